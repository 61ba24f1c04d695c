// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a gateway that was taken over could send to its supervisor, and the reverse: what is
// accepted is written again as the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "egress/spec.h"
#include "egress/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward::egress;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto message = decode_from_gateway(bytes))
    if (!decode_from_gateway(encode(*message))) std::abort();
  if (const auto message = decode_to_gateway(bytes))
    if (encode(*message) != bytes) std::abort();
  if (const auto spec = parse_spec(bytes))
    if (!parse_spec(serialise(*spec))) std::abort();
  return 0;
}
