// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// CreationGuard decides which names may come into being, move or go. It knows protected names that
// do not exist, by the folder's object and by its path (a folder that was removed and made again is
// another object at the same path; one that was moved is the same object at another), names that
// may not be moved, and wildcard denies. Pure but for what PathPlan::rules decides: immutable,
// safe to share between threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "confine/path_plan.h"
#include "sys/file.h"

namespace ward::confine {

// A folder, as the caller reached it.
struct Folder {
  sys::ObjectId object;
  std::string path;  // inside; "" where it has none any more
  // Does the file system take `.GIT` for `.git`? (vfat, ext4 with casefold, shares of others.)
  bool folds_case = false;
};

struct Refusal {
  std::string rule;
};

class CreationGuard {
 public:
  CreationGuard(const PathPlan& plan, std::vector<std::string> private_folders);

  // False for a name that no rule speaks of in any folder: nothing more need be looked at. A
  // superset, so that it can be told from the name alone.
  bool concerns(std::string_view name) const;

  // May this absent name come into being here?
  std::optional<Refusal> creation(const Folder& folder, const std::string& name) const;
  // May this existing name be moved away, replaced or removed?
  std::optional<Refusal> removal(const Folder& folder, const std::string& name) const;

  // Does the policy let this path be written? For calls that the supervisor performs itself, where
  // no Landlock domain stands in the way.
  bool writable(const std::string& path) const;
  bool in_private_folder(std::string_view path) const;
  const AccessRules* rules() const { return rules_.get(); }

 private:
  using Key = std::pair<sys::ObjectId, std::string>;
  struct Names {
    std::map<Key, std::string> by_object;
    std::map<std::string, std::string, std::less<>> by_path;
    void add(const std::string& parent, sys::ObjectId object, const std::string& name,
             const std::string& rule);
    const std::string* rule_of(const Folder& folder, const std::string& name) const;
  };
  std::shared_ptr<const AccessRules> rules_;
  std::vector<std::string> private_folders_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> wild_names_;  // last components with wildcards
  Names absent_, frozen_;
};

// Could `name` match this pattern component? `*` and `?` are understood, everything else that may
// be a wildcard counts as `*`: never false for a real match.
bool may_match(std::string_view pattern, std::string_view name);

}  // namespace ward::confine
