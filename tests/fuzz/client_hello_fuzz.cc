// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The first bytes of a connection. A verdict does not change when more bytes come: what was refused
// stays refused, and a name that was read is the name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "egress/gateway/client_hello.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward::egress;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const HelloVerdict whole = inspect_client_hello(bytes);
  // Every prefix of a short input, and a few of a long one.
  const std::size_t step = std::max<std::size_t>(1, size / 64);
  for (std::size_t part = 0; part < size; part += step) {
    const HelloVerdict verdict = inspect_client_hello(bytes.substr(0, part));
    if (verdict.state == HelloVerdict::State::more) continue;
    if (verdict.state != whole.state || verdict.server_name != whole.server_name) std::abort();
  }
  return 0;
}
