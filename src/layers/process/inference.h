// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Inference: what was probably denied, from the last that a failed command printed. The kernel's
// EACCES and EROFS leave no trace of their own; programs print them, with the path. A path counts
// only if the policy denies that very access, so a made-up line makes a made-up hint at worst. The
// text is hostile: everything here is bounded in the text's length. Looks at the file system (names
// only, no symbolic link's target is opened), changes nothing; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "confine/denial.h"
#include "confine/path_plan.h"

namespace ward::process {

struct InferenceContext {
  std::string working_directory;  // absolute: where relative paths are taken to begin
  std::string home;
  const confine::AccessRules* rules = nullptr;
};

// How much of the end of the output is worth looking at.
inline constexpr std::size_t kInferenceBytes = 16384;
inline constexpr std::size_t kMaxInferred = 20;

// Each with `exact` false; no two of one act and target.
std::vector<confine::Denial> infer_denials(std::string_view output,
                                           const InferenceContext& context);

}  // namespace ward::process
