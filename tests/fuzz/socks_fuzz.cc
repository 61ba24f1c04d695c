// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A SOCKS5 greeting and request. Every prefix of what is complete waits for more, and nothing
// behind it is looked at.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "egress/gateway/socks.h"

namespace {

template <class Part>
void check(Part (*read)(std::string_view), std::string_view bytes) {
  const Part whole = read(bytes);
  if (whole.state != Part::State::complete) return;
  if (whole.size > bytes.size()) std::abort();
  for (std::size_t size = 0; size < whole.size; ++size)
    if (read(bytes.substr(0, size)).state != Part::State::more) std::abort();
  const Part exact = read(bytes.substr(0, whole.size));
  if (exact.state != Part::State::complete || exact.size != whole.size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward::egress;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(&read_socks_greeting, bytes);
  check(&read_socks_request, bytes);
  return 0;
}
