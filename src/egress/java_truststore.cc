// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/java_truststore.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "egress/encoding.h"

namespace ward::egress {

namespace {

constexpr std::uint32_t kMagic = 0xfeedfeed, kVersion = 2, kTrustedCertificate = 2;

void put(std::string& to, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) to += static_cast<char>(value >> (8U * bytes) & 255U);
}

void put_text(std::string& to, std::string_view text) {
  put(to, text.size(), 2);
  to += text;
}

class Sha1 {
 public:
  static std::string of(std::string text) {
    const std::uint64_t bits = text.size() * 8U;
    text += '\x80';
    while (text.size() % 64 != 56) text += '\0';
    put(text, bits, 8);
    Sha1 sha;
    for (std::size_t at = 0; at < text.size(); at += 64) sha.add(text.substr(at, 64));
    std::string digest;
    for (const std::uint32_t word : sha.state_) put(digest, word, 4);
    return digest;
  }

 private:
  void add(const std::string& block) {
    std::array<std::uint32_t, 80> words = {};
    for (std::size_t i = 0; i < 64; ++i)
      words[i / 4] = words[i / 4] << 8U | static_cast<unsigned char>(block[i]);
    for (std::size_t i = 16; i < 80; ++i)
      words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t choice = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999U
                                   : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1U
                                   : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU
                                            : (b ^ c ^ d) + 0xca62c1d6U;
      const std::uint32_t next = std::rotl(a, 5) + choice + e + words[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d, state_[4] + e};
  }

  std::array<std::uint32_t, 5> state_ = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U,
                                         0xc3d2e1f0U};
};

// The certificates of a PEM text in binary form.
std::vector<std::string> certificates(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----",
                             kEnd = "-----END CERTIFICATE-----";
  std::vector<std::string> found;
  for (std::size_t at = pem.find(kBegin); at != std::string_view::npos; at = pem.find(kBegin, at)) {
    at += kBegin.size();
    const std::size_t end = pem.find(kEnd, at);
    if (end == std::string_view::npos) break;
    std::string text;
    for (const char c : pem.substr(at, end - at))
      if (c != '\n' && c != '\r') text += c;
    if (auto bytes = base64_decode(text)) found.push_back(std::move(*bytes));
    at = end;
  }
  return found;
}

}  // namespace

std::string java_truststore(std::string_view bundle_pem) {
  const std::vector<std::string> all = certificates(bundle_pem);
  std::string store;
  put(store, kMagic, 4);
  put(store, kVersion, 4);
  put(store, all.size(), 4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    put(store, kTrustedCertificate, 4);
    put_text(store, "ward-" + std::to_string(i));
    put(store, 0, 8);  // when it was added
    put_text(store, "X.509");
    put(store, all[i].size(), 4);
    store += all[i];
  }
  std::string signed_text;
  for (const char c : kTruststorePassword) put(signed_text, static_cast<unsigned char>(c), 2);
  signed_text += "Mighty Aphrodite";  // so the format has it
  return store + Sha1::of(signed_text + store);
}

}  // namespace ward::egress
