// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// LearnPlace: the folder that holds what a command changes while its policy is learnt. It is the
// user's own, in /var/tmp: the home folder, where the state folder is, is held itself. Its owner
// holds its lock and removes it; what a killed one left is not locked any more, and is swept by the
// next command of Ward that looks for expired changes. Used by one thread.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::cli {

inline constexpr const char* kLearnBase = "/var/tmp";

class LearnPlace {
 public:
  static Result<LearnPlace> make(const std::string& base = kLearnBase);
  LearnPlace(LearnPlace&& other) noexcept = default;
  LearnPlace& operator=(LearnPlace&&) = delete;
  ~LearnPlace();
  std::string path() const { return base_ + "/" + name_; }

 private:
  LearnPlace(std::string base, std::string name, UniqueFd lock);
  std::string base_, name_;
  UniqueFd lock_;
};

// Removes the places of this user that nobody holds.
Status sweep_learn_places(const std::string& base = kLearnBase);

}  // namespace ward::cli
