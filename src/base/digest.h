// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Digest: SHA-256 (FIPS 180-4) of bytes, as text. libsodium does the work. Pure; safe from any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace ward {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace ward
