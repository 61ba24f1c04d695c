// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/digest.h"

#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>

namespace ward {

std::string sha256_hex(std::string_view bytes) {
  unsigned char hash[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(hash, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  std::string text(2 * sizeof hash + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), hash, sizeof hash);
  text.pop_back();
  return text;
}

}  // namespace ward
