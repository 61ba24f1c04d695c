// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a plan takes from the one walk over the trees: matches of wildcard rules, repositories,
// folders that cannot be looked into.
#include <algorithm>

#include "confine/path_planner.h"
#include "policy/explain.h"
#include "policy/path_decision.h"

namespace ward::confine {

// Below a folder that a wildcard denies nothing more has to be found, unless some rule opens a part
// of it again.
std::vector<AtMatch> PathPlanner::at_match() const {
  const bool wild_allow = std::any_of(globs_.begin(), globs_.end(), [&](const GlobRule& entry) {
    return !denies(rules_.rules[entry.rule]);
  });
  std::vector<AtMatch> out;
  for (const GlobRule& entry : globs_) {
    bool stop = rules_.rules[entry.rule].list == policy::PathList::deny_read && !wild_allow;
    for (const policy::PathRule& rule : rules_.rules)
      if (stop && rule.literal && !denies(rule) && entry.glob.match_depth(rule.pattern))
        stop = false;
    out.push_back(stop ? AtMatch::stop : AtMatch::descend);
  }
  return out;
}

// Folders that are hidden as a whole, and private ones, of which the host's side is absent.
std::vector<std::string> PathPlanner::pruned() const {
  std::vector<std::string> out = private_folders_;
  for (const Mark& mark : marks_)
    if (mark.kind == MarkKind::own && mark.what == PathNode::Kind::directory)
      out.push_back(mark.path);
  const std::vector<policy::PathRule>& rules = rules_.rules;
  if (std::any_of(globs_.begin(), globs_.end(),
                  [&](const GlobRule& entry) { return !denies(rules[entry.rule]); }))
    return out;
  std::vector<std::string_view> allowed;
  for (const policy::PathRule& rule : rules)
    if (rule.literal && !denies(rule)) allowed.push_back(rule.pattern);
  for (const Mark& mark : marks_) {
    if (mark.kind != MarkKind::rule || mark.what != PathNode::Kind::directory ||
        rules[mark.index].list != policy::PathList::deny_read)
      continue;
    bool opened = std::any_of(allowed.begin(), allowed.end(),
                              [&](std::string_view path) { return lies_in(path, mark.path); });
    if (!opened && !before_->decider.decide(mark.path).read.allowed) out.push_back(mark.path);
  }
  return out;
}

Status PathPlanner::walk() {
  WalkRequest request;
  for (const std::string& workspace : workspaces_)
    request.roots.push_back(
        {.path = workspace, .wants = {.git = true, .folders = !globs_.empty()}});
  std::vector<policy::Glob> globs;
  for (const GlobRule& entry : globs_) {
    globs.push_back(entry.glob);
    if (resolver_.resolve(entry.glob.literal_prefix()).end == Resolution::End::found)
      request.roots.push_back({.path = entry.glob.literal_prefix(), .wants = {}});
  }
  WARD_ASSIGN(policy::GlobSet set, policy::GlobSet::compile(std::move(globs)));
  request.globs = &set;
  request.at_match = at_match();
  request.prune = pruned();
  WARD_ASSIGN(WalkResult found, walk_tree(request, cache_));
  if (found.folders.size() > 0)
    plan_.folders = std::make_shared<const SeenFolders>(std::move(found.folders));
  marks_.reserve(marks_.size() + found.matches.size() + 128);
  first_match_ = marks_.size();
  for (GlobMatch& match : found.matches) {
    globs_[match.glob].matched = true;
    std::uint32_t rule = globs_[match.glob].rule;
    take_match(std::move(match), rule);
  }
  match_count_ = marks_.size() - first_match_;
  for (const Unreadable& folder : found.unreadable) take_unreadable(folder);
  add_other_repositories(found.git);
  take_git(found.git);
  return {};
}

// A folder outside the workspaces that a rule makes writable may be a repository, too.
void PathPlanner::add_other_repositories(std::vector<GitEntry>& entries) {
  const std::size_t count = marks_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (marks_[i].kind != MarkKind::rule || marks_[i].what != PathNode::Kind::directory) continue;
    const policy::PathRule& rule = rules_.rules[marks_[i].index];
    if (rule.list != policy::PathList::allow_write || !rule.literal) continue;
    const std::string folder = marks_[i].path;
    if (std::any_of(workspaces_.begin(), workspaces_.end(),
                    [&](const std::string& workspace) { return lies_in(folder, workspace); }))
      continue;
    if (is_git_folder(folder, resolver_)) protect_git_folder(folder);
    std::string entry = join_path(folder, ".git");
    PathNode::Kind kind = resolver_.look(entry).kind;
    if (kind == PathNode::Kind::absent || kind == PathNode::Kind::blocked) continue;
    if (std::none_of(entries.begin(), entries.end(),
                     [&](const GitEntry& known) { return known.path == entry; }))
      entries.push_back({.path = entry});
  }
}

void PathPlanner::protect_git_folder(const std::string& folder) {
  std::vector<ProtectedPath> paths;
  add_protected_git_folder(paths, folder, resolver_);
  for (const ProtectedPath& path : paths) protect(path);
}

void PathPlanner::take_match(GlobMatch match, std::uint32_t rule) {
  if (!match.symlink) {
    marks_.push_back({.path = std::move(match.path),
                      .kind = MarkKind::rule,
                      .index = rule,
                      .what = match.directory ? PathNode::Kind::directory : PathNode::Kind::file,
                      .object = match.object,
                      .links = match.links});
    return;
  }
  marks_.push_back({.path = match.path,
                    .kind = MarkKind::link,
                    .index = rule,
                    .what = PathNode::Kind::symlink,
                    .object = match.object});
  // A link that a wildcard allows is not followed: an earlier run could have made it.
  if (!denies(rules_.rules[rule])) return;
  Resolution target = resolver_.resolve(match.path);
  policy::PathRule copy = rules_.rules[rule];
  if (target.end != Resolution::End::found && target.end != Resolution::End::absent)
    return note(PlanNote::Kind::unresolvable, copy,
                "the symbolic link " + match.path + " leads nowhere");
  copy.pattern = target.path;
  copy.literal = true;
  add_mark(target, MarkKind::rule, add_rule(std::move(copy)));
}

// What cannot be listed may hold what a wildcard denies; where the command could open the folder or
// a file in it all the same, it is denied as a whole.
void PathPlanner::take_unreadable(const Unreadable& folder) {
  if (!folder.owned && !folder.searchable && !folder.broken) return;
  const GlobRule* covering = nullptr;
  for (const GlobRule& entry : globs_) {
    const policy::PathRule& rule = rules_.rules[entry.rule];
    if (!denies(rule) || !lies_in(folder.path, entry.glob.literal_prefix())) continue;
    if (covering == nullptr || rule.list == policy::PathList::deny_read) covering = &entry;
  }
  if (covering == nullptr) return;
  policy::PathRule rule = rules_.rules[covering->rule];
  note(PlanNote::Kind::unresolvable, rule,
       folder.path + " cannot be listed: the rule covers all of that folder");
  rule.pattern = folder.path;
  rule.literal = true;
  Resolution at = resolver_.resolve(folder.path);
  add_mark(at, MarkKind::rule, add_rule(std::move(rule)));
}

}  // namespace ward::confine
