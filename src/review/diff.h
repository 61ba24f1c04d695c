// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Differ: the difference between the two sides of a changed file, as unified hunks. A hostile
// program chose the content: work and output of all files together are bounded, and a file beyond
// the bounds is described by size and hash. The shortest edit script is dtl's. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "review/changes.h"

namespace ward::review {

struct FileDiff {
  // "@@ -1,3 +1,4 @@" and lines that begin with ' ', '-' or '+', each with its newline. Raw bytes.
  std::string hunks;
  std::size_t added = 0, removed = 0;  // lines
  // Where there are no hunks: "binary, 12 bytes sha256 ... -> 14 bytes sha256 ...".
  std::string description;
};

struct DiffLimits {
  std::uint64_t file_bytes = 1U << 20U;    // of a side that is compared by lines
  std::uint64_t hash_bytes = 16U << 20U;   // of a side that is hashed
  std::uint64_t file_work = 25'000'000;    // lines of one side times lines of the other
  std::uint64_t work = 1'000'000'000;      // of all files together
  std::uint64_t output_bytes = 4U << 20U;  // hunks of all files together
  std::uint64_t read_bytes = 256U << 20U;  // of all files together
};

// The hunks of two texts; nothing where `left`, of which the work is taken, does not allow it.
std::optional<FileDiff> diff_texts(std::string_view before, std::string_view after,
                                   DiffLimits& left);

class Differ {
 public:
  explicit Differ(const HeldChange& held, DiffLimits limits = {}) : held_(held), left_(limits) {}

  // For a change whose sides are files, or one a file and the other nothing; empty for others.
  Result<FileDiff> diff(const Change& change);

 private:
  struct Side {
    bool present = false;
    bool read = false;  // `text` is all of it
    std::string text;
    std::uint64_t size = 0;
    std::string hash;  // where it was hashed
  };
  Result<Side> read_side(int folder, const std::string& path, std::uint64_t size);
  FileDiff describe(const Side& before, const Side& after) const;
  FileDiff compare(const Side& before, const Side& after);

  const HeldChange& held_;
  DiffLimits left_;  // what is left of the totals
};

}  // namespace ward::review
