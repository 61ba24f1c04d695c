// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ResultTarget: where `--result FILE|fd:N` goes. It is opened before the command runs and written
// after it; a file that the command could write is refused, since the report is to be believed more
// than anything the command says. Owned by one thread.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::cli {

class ResultTarget {
 public:
  // `text` is "" for none, "fd:N" (N >= 3 and open), or a path.
  static Result<ResultTarget> open(const std::string& text);

  bool wanted() const { return fd_.valid(); }
  // The file's canonical path; "" for a descriptor or none. For the check against the policy.
  const std::string& path() const { return path_; }
  // Replaces what the file held. Preconditions: wanted().
  Status write(const std::string& document) const;

 private:
  UniqueFd fd_;
  std::string path_;
};

}  // namespace ward::cli
