// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/trust.h"

#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <array>

namespace ward::policy {

namespace {

constexpr std::size_t kHashDigits = 64;

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

class Hasher {
 public:
  Hasher() { crypto_hash_sha256_init(&state_); }

  // The length goes first, so that the parts cannot be split otherwise.
  void add(std::string_view part) {
    put(std::to_string(part.size()) + ":");
    put(part);
  }
  std::string finish() {
    std::array<unsigned char, crypto_hash_sha256_BYTES> digest = {};
    crypto_hash_sha256_final(&state_, digest.data());
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
      text += kDigits[byte >> 4U];
      text += kDigits[byte & 15U];
    }
    return text;
  }

 private:
  void put(std::string_view bytes) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  }
  crypto_hash_sha256_state state_ = {};
};

}  // namespace

Result<TrustSet> TrustSet::parse(std::string_view text) {
  TrustSet set;
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string_view hash = line.substr(0, kHashDigits);
    const bool separated = line.size() > kHashDigits + 1 && line[kHashDigits] == ' ';
    if (!is_hash(hash) || !separated || line[kHashDigits + 1] != '/')
      return fail(Error(ErrorKind::invalid, "line " + std::to_string(number) +
                                                " of the store of trusted policies is damaged")
                      .with_remedy("remove the line, and trust its workspace again"));
    set.add(std::string(hash), std::string(line.substr(kHashDigits + 1)));
  }
  return set;
}

std::string TrustSet::print() const {
  std::string text =
      "# Workspace policies that `ward policy trust` has agreed to: SHA-256 and workspace.\n";
  for (const auto& [hash, workspace] : rows_) text += hash + " " + workspace + "\n";
  return text;
}

void TrustSet::add(std::string hash, std::string workspace) {
  remove_workspace(workspace);
  entries_.insert(hash);
  rows_.emplace_back(std::move(hash), std::move(workspace));
}

bool TrustSet::remove_workspace(const std::string& workspace) {
  const auto row = std::find_if(rows_.begin(), rows_.end(),
                                [&](const auto& r) { return r.second == workspace; });
  if (row == rows_.end()) return false;
  entries_.erase(row->first);
  rows_.erase(row);
  return true;
}

std::string trust_hash(std::string_view workspace, const std::vector<NamedBytes>& files) {
  Hasher hasher;
  hasher.add("ward policy trust 1");
  hasher.add(workspace);
  for (const auto& [path, bytes] : files) {
    hasher.add(path);
    hasher.add(bytes);
  }
  return hasher.finish();
}

}  // namespace ward::policy
