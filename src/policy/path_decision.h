// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PathDecider answers, for one canonical path, whether it may be read and written and which rule
// says so. Pure: it looks at the rules only, never at the file system. Immutable after
// construction, so safe to share between threads.
//
// The order of rules: for reading, denyRead denies and allowRead and allowWrite allow; for writing,
// denyRead and denyWrite deny and allowWrite allows. The rule that matches the longest ancestor-or-
// self of the path wins; on a tie a literal rule beats a wildcard one, then a
// document's rule one of a built-in profile, then deny beats allow. A
// deny that wins among the rules of the higher scopes alone is final: no lower scope reopens it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "policy/policy.h"

namespace ward::policy {

bool denies(const PathRule& rule);
// A rule of a built-in profile, which nobody here wrote.
bool is_built_in(const PathRule& rule);

// Of two rules that match at the same depth, whether `challenger` decides before `holder`: literal
// before wildcard, a document before a built-in profile, deny before allow; then the stronger
// scope, which says the same and is the better answer to "which rule?".
bool goes_before(const PathRule& challenger, const PathRule& holder);

struct Verdict {
  bool allowed = false;
  const PathRule* rule = nullptr;  // null: the default decided
};

struct PathVerdict {
  Verdict read, write;
};

class PathDecider {
 public:
  // `filesystem` must outlive the decider. Rules are taken as they stand: the caller has resolved
  // symbolic links in literal patterns, and has added the canonical form beside the written one.
  explicit PathDecider(const Filesystem& filesystem);
  ~PathDecider();
  PathDecider(PathDecider&&) noexcept;
  PathDecider& operator=(PathDecider&&) noexcept;

  // Preconditions: `path` is absolute and lexically normal.
  PathVerdict decide(std::string_view path) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

// The number of components of the longest ancestor-or-self of `path` that the rule matches; nothing
// where it matches none. For explaining: it compiles the pattern each time.
std::optional<std::size_t> match_depth(const PathRule& rule, std::string_view path);

}  // namespace ward::policy
