// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/creation_guard.h"

#include <algorithm>

#include "confine/caller_view.h"

namespace ward::confine {

namespace {

std::string joined(const std::string& folder, const std::string& name) {
  return folder == "/" ? "/" + name : folder + "/" + name;
}

bool beneath(std::string_view path, std::string_view folder) {
  return path.size() >= folder.size() && path.substr(0, folder.size()) == folder &&
         (path.size() == folder.size() || path[folder.size()] == '/' || folder == "/");
}

// File systems may compare names without regard to case (ext4's casefold, vfat); the quick question
// must not miss there.
std::string folded(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return out;
}

}  // namespace

bool may_match(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  auto is_star = [&](char c) { return c == '*' || c == '[' || c == '{' || c == '\\'; };
  while (n < name.size()) {
    if (p < pattern.size() && is_star(pattern[p])) {
      // Behind a bracket, brace or backslash this matcher understands nothing more.
      if (pattern[p] != '*') return true;
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size() || pattern[p] == '[' || pattern[p] == '{' || pattern[p] == '\\';
}

void CreationGuard::Names::add(const std::string& parent, sys::ObjectId object,
                               const std::string& name, const std::string& rule) {
  by_object.emplace(Key(object, name), rule);
  by_path.emplace(joined(parent, name), rule);
}

const std::string* CreationGuard::Names::rule_of(const Folder& folder,
                                                 const std::string& name) const {
  if (auto row = by_object.find(Key(folder.object, name)); row != by_object.end())
    return &row->second;
  if (!folder.path.empty())
    if (auto row = by_path.find(joined(folder.path, name)); row != by_path.end())
      return &row->second;
  if (!folder.folds_case) return nullptr;
  std::string plain = folded(name);
  for (const auto& [key, rule] : by_object)
    if (key.first == folder.object && folded(key.second) == plain) return &rule;
  std::string path = folded(joined(folder.path, name));
  for (const auto& [row_path, rule] : by_path)
    if (!folder.path.empty() && folded(row_path) == path) return &rule;
  return nullptr;
}

CreationGuard::CreationGuard(const PathPlan& plan, std::vector<std::string> private_folders)
    : rules_(plan.rules), private_folders_(std::move(private_folders)) {
  for (const AbsentRow& row : plan.absent) {
    names_.insert(folded(row.name));
    absent_.add(row.parent, row.parent_object, row.name, row.rule);
  }
  for (const FrozenName& row : plan.frozen) {
    names_.insert(folded(row.name));
    frozen_.add(row.parent, row.parent_object, row.name, row.rule);
  }
  for (const DenyGlob& glob : plan.deny_globs) {
    std::string name = folded(last_component(glob.pattern));
    if (name.find_first_of("*?[{\\") == std::string::npos)
      names_.insert(std::move(name));
    else if (std::find(wild_names_.begin(), wild_names_.end(), name) == wild_names_.end())
      wild_names_.push_back(std::move(name));
  }
}

bool CreationGuard::concerns(std::string_view name) const {
  std::string plain = folded(name);
  return names_.contains(plain) ||
         std::any_of(wild_names_.begin(), wild_names_.end(),
                     [&](const std::string& pattern) { return may_match(pattern, plain); });
}

bool CreationGuard::in_private_folder(std::string_view path) const {
  return std::any_of(private_folders_.begin(), private_folders_.end(),
                     [&](const std::string& folder) { return beneath(path, folder); });
}

std::optional<Refusal> CreationGuard::creation(const Folder& folder,
                                               const std::string& name) const {
  if (const std::string* rule = absent_.rule_of(folder, name)) return Refusal{*rule};
  if (const std::string* rule = frozen_.rule_of(folder, name)) return Refusal{*rule};
  if (folder.path.empty()) return std::nullopt;  // removed: nothing can be created in it
  std::string path = joined(folder.path, folder.folds_case ? folded(name) : name);
  if (rules_ == nullptr) return std::nullopt;
  Access access = rules_->decide(path);
  if (!access.read) return Refusal{std::string(access.read_rule)};
  if (!access.write) return Refusal{std::string(access.write_rule)};
  return std::nullopt;
}

std::optional<Refusal> CreationGuard::removal(const Folder& folder, const std::string& name) const {
  if (const std::string* rule = frozen_.rule_of(folder, name)) return Refusal{*rule};
  return std::nullopt;
}

bool CreationGuard::writable(const std::string& path) const {
  if (in_private_folder(path) || beneath(path, "/dev")) return true;
  return rules_ == nullptr || rules_->decide(path).write;
}

}  // namespace ward::confine
