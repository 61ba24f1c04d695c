// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The examination of this machine for `ward doctor`: layer by layer what it can enforce for this
// user, each finding with the probe that showed it and, where it is missing, the cause and the
// remedy. Limits are examined by making them ready for a run and giving them up again; what killed
// runs left is removed on the way. A plain value; printing it is the command line's. Forks, so it
// is for single-threaded programs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace ward::confine {

struct Finding {
  enum class Weight : std::uint8_t {
    required,  // without it the layer refuses to run anything
    optional,  // without it something is slower or not offered; `purpose` says what
  };
  std::string name;
  std::string purpose;
  Weight weight = Weight::required;
  bool available = false;
  std::string probe;  // what was tried, and where it is available what it showed
  std::string cause;  // why it is not available
  std::string remedy;
};

struct LayerExamination {
  enum class State : std::uint8_t { works, unavailable, not_in_this_version };
  std::string layer;
  State state = State::not_in_this_version;
  std::vector<Finding> findings;
};

struct Examination {
  std::vector<LayerExamination> layers;  // weakest first
  std::vector<Finding> limits;           // keys of a policy's `limits`
  std::optional<Error> self_test;        // why it failed
  std::vector<std::string> removed;      // cgroups that killed runs had left

  // The process layer works and its self-test passed.
  bool healthy() const;
};

// `self_test` runs a command confined and proves it; `workspace` is where disk limits would apply.
Examination examine(const std::function<Status()>& self_test, const std::string& workspace);

}  // namespace ward::confine
