// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/chain.h"

#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <charconv>

namespace ward::journal {

namespace {

// Part of what is hashed: a change of the encoding changes it.
constexpr std::string_view kEncoding = "ward journal record 1\n";
constexpr std::size_t kChainIdBytes = 8;
constexpr std::string_view kHexDigits = "0123456789abcdef";

class Hasher {
 public:
  Hasher() { crypto_hash_sha256_init(&state_); }
  void bytes(std::string_view bytes) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  }
  void number(std::uint64_t value) {
    std::array<unsigned char, 8> big_endian = {};
    for (std::size_t index = 0; index < big_endian.size(); ++index)
      big_endian[index] = static_cast<unsigned char>(value >> (56 - 8 * index));
    crypto_hash_sha256_update(&state_, big_endian.data(), big_endian.size());
  }
  void sized(std::string_view text) {
    number(text.size());
    bytes(text);
  }
  void hash(const Hash& hash) { crypto_hash_sha256_update(&state_, hash.data(), hash.size()); }
  Hash finish() {
    Hash hash = {};
    crypto_hash_sha256_final(&state_, hash.data());
    return hash;
  }

 private:
  crypto_hash_sha256_state state_;
};
static_assert(sizeof(Hash) == crypto_hash_sha256_BYTES);

std::string hex_of(const Hash& hash, std::size_t bytes) {
  std::string hex;
  for (std::size_t index = 0; index < bytes; ++index) {
    hex += kHexDigits[hash[index] >> 4U];
    hex += kHexDigits[hash[index] & 15U];
  }
  return hex;
}

std::string numbered(const char* noun, std::int64_t seq) {
  return std::string(noun) + " " + std::to_string(seq);
}

// One walk along the chain. Feed it the records in order, then finish().
class Walk {
 public:
  explicit Walk(std::span<const NotedHead> noted) : noted_(noted.begin(), noted.end()) {}

  void record(const Record& record) {
    if (result_.head)
      follow(record, *result_.head);
    else
      start(record);
    if (hash_of(record) != record.hash)
      add(Finding::Kind::altered, record.seq,
          numbered("record", record.seq) + " is not what was written");
    for (; next_ < noted_.size() && noted_[next_].head.seq <= record.seq; ++next_)
      compare(noted_[next_], record);
    result_.head = Head{record.seq, record.hash};
    ++result_.records;
  }

  Verification finish() && {
    if (!result_.head) separate_foreign();
    for (; next_ < noted_.size(); ++next_)
      add(Finding::Kind::cut_tail, noted_[next_].head.seq,
          numbered("the journal ends before record", noted_[next_].head.seq) + ", noted in " +
              noted_[next_].where);
    for (const NotedHead& note : foreign_) report_foreign(note);
    return std::move(result_);
  }

 private:
  void start(const Record& record) {
    result_.chain = chain_id(record.hash);
    first_payload_ = record.payload;
    separate_foreign();
    const bool begins = record.seq == 1 && record.previous == Hash{} &&
                        record.kind == to_string(EventKind::journal_created);
    if (!begins)
      add(Finding::Kind::no_start, record.seq,
          numbered("the chain begins with record", record.seq) +
              ", which is not the one that begins a journal");
  }

  void follow(const Record& record, const Head& last) {
    if (record.seq != last.seq + 1)
      add(Finding::Kind::gap, record.seq,
          numbered("records are missing between", last.seq) + numbered(" and", record.seq));
    if (record.previous != last.hash)
      add(Finding::Kind::broken, record.seq,
          numbered("record", record.seq) + " does not follow from the one before it");
  }

  // Splits off the notes about other chains, and puts the others in the order of the walk.
  void separate_foreign() {
    auto foreign = std::stable_partition(noted_.begin(), noted_.end(), [&](const NotedHead& note) {
      return note.chain.empty() || note.chain == result_.chain;
    });
    foreign_.assign(foreign, noted_.end());
    noted_.erase(foreign, noted_.end());
    std::stable_sort(noted_.begin(), noted_.end(), [](const NotedHead& a, const NotedHead& b) {
      return a.head.seq < b.head.seq;
    });
  }

  void compare(const NotedHead& note, const Record& record) {
    if (note.head == Head{record.seq, record.hash}) {
      ++result_.heads_met;
      return;
    }
    const bool missing = note.head.seq != record.seq;
    add(Finding::Kind::replaced, note.head.seq,
        numbered("record", note.head.seq) + (missing ? ", noted in " + note.where + ", is missing"
                                                     : " is not the one noted in " + note.where));
  }

  void report_foreign(const NotedHead& note) {
    // A chain that took the place of a damaged one names it in its first record.
    if (first_payload_.find('"' + note.chain + '"') != std::string::npos) {
      ++result_.heads_of_replaced;
      return;
    }
    add(Finding::Kind::other, note.head.seq,
        "another journal was here: chain " + note.chain + " had reached record " +
            std::to_string(note.head.seq) + ", noted in " + note.where);
  }

  void add(Finding::Kind kind, std::int64_t seq, std::string text) {
    if (result_.findings.size() < kMaxFindings)
      result_.findings.push_back({kind, seq, std::move(text)});
  }

  std::vector<NotedHead> noted_;
  std::vector<NotedHead> foreign_;
  std::size_t next_ = 0;  // the first of noted_ that the walk has not reached
  std::string first_payload_;
  Verification result_;
};

}  // namespace

Hash hash_of(const Record& record) {
  Hasher hasher;
  hasher.bytes(kEncoding);
  hasher.hash(record.previous);
  hasher.number(static_cast<std::uint64_t>(record.seq));
  hasher.number(static_cast<std::uint64_t>(record.time.time_since_epoch().count()));
  hasher.sized(record.run);
  hasher.sized(record.kind);
  hasher.sized(record.payload);
  return hasher.finish();
}

std::string chain_id(const Hash& first_hash) { return hex_of(first_hash, kChainIdBytes); }

std::string to_hex(const Hash& hash) { return hex_of(hash, hash.size()); }

Result<Hash> parse_hash(std::string_view hex) {
  Hash hash = {};
  if (hex.size() != 2 * hash.size())
    return fail(ErrorKind::invalid, "a hash has 64 hexadecimal digits");
  for (std::size_t index = 0; index < hex.size(); ++index) {
    std::size_t digit = kHexDigits.find(hex[index]);
    if (digit == std::string_view::npos)
      return fail(ErrorKind::invalid, "a hash has only the digits 0-9 and a-f");
    hash[index / 2] = static_cast<std::uint8_t>(hash[index / 2] * 16U + digit);
  }
  return hash;
}

std::string to_string(const Head& head) {
  return std::to_string(head.seq) + " " + to_hex(head.hash);
}

Result<Head> parse_head(std::string_view text) {
  const std::size_t separator = text.find_first_of(" :");
  Head head;
  if (separator == std::string_view::npos)
    return fail(ErrorKind::invalid, "a head is SEQ:HASH, as `ward audit head` prints it");
  const std::string_view number = text.substr(0, separator);
  auto parsed = std::from_chars(number.begin(), number.end(), head.seq);
  if (parsed.ec != std::errc() || parsed.ptr != number.end() || head.seq < 1)
    return fail(ErrorKind::invalid, "a head begins with the number of its record");
  WARD_ASSIGN(head.hash, parse_hash(text.substr(separator + 1)));
  return head;
}

std::string_view to_string(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::gap: return "gap";
    case Finding::Kind::altered: return "altered";
    case Finding::Kind::broken: return "broken";
    case Finding::Kind::no_start: return "no-start";
    case Finding::Kind::cut_tail: return "cut-tail";
    case Finding::Kind::replaced: return "replaced";
    case Finding::Kind::other: return "other-journal";
  }
  return "unknown";
}

Result<Verification> verify(Journal& journal, std::span<const NotedHead> noted) {
  Walk walk(noted);
  WARD_TRY(journal.scan({}, [&](const Record& record) {
    walk.record(record);
    return true;
  }));
  return std::move(walk).finish();
}

}  // namespace ward::journal
