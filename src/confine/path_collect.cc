// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The first half of a plan: which paths the rules, the protected names and the repositories speak
// of.
#include <unistd.h>

#include <algorithm>

#include "confine/path_planner.h"
#include "policy/explain.h"
#include "policy/path_decision.h"

namespace ward::confine {

namespace {

// The pattern with another folder in place of its literal prefix, which has `components` parts.
std::string with_prefix(std::string_view pattern, const std::string& old_prefix,
                        const std::string& prefix) {
  std::size_t at = 0;
  if (old_prefix != "/")
    for (auto parts = std::count(old_prefix.begin(), old_prefix.end(), '/'); parts >= 0; --parts)
      at = pattern.find('/', at) + 1;
  else
    at = 1;
  std::string out = policy::escape_glob(prefix);
  if (out.back() != '/') out += '/';
  out += pattern.substr(at);
  return out;
}

Mark mark_of(const Resolution& resolution, MarkKind kind, std::uint32_t index) {
  Mark mark;
  mark.path = resolution.path;
  mark.kind = kind;
  mark.index = index;
  if (resolution.end == Resolution::End::found) {
    mark.what = resolution.node.kind;
    mark.object = resolution.node.object;
    mark.links = resolution.node.links;
  } else {
    mark.object = resolution.last_object;
    mark.there = static_cast<std::uint32_t>(resolution.last.size());
  }
  return mark;
}

}  // namespace

PathPlanner::PathPlanner(const policy::Filesystem& filesystem, const HostContext& host,
                         const WalkCache* cache)
    : given_(filesystem), host_(host), cache_(cache) {}

std::uint32_t PathPlanner::add_rule(policy::PathRule rule) {
  rules_.rules.push_back(std::move(rule));
  return static_cast<std::uint32_t>(rules_.rules.size() - 1);
}

std::uint32_t PathPlanner::add_text(std::string text) {
  texts_.push_back(std::move(text));
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

void PathPlanner::note(PlanNote::Kind kind, const policy::PathRule& rule, std::string why,
                       std::string remedy) {
  plan_.notes.push_back({.kind = kind,
                         .rule = policy::describe(rule),
                         .origin = rule.origin,
                         .why = std::move(why),
                         .remedy = std::move(remedy),
                         .built_in = is_built_in(rule)});
}

bool PathPlanner::in_private(std::string_view path) const {
  return std::any_of(private_folders_.begin(), private_folders_.end(),
                     [&](const std::string& folder) { return lies_in(path, folder); });
}

// Marks the end of a way, and the links on it: whoever could replace one could lead it elsewhere.
void PathPlanner::add_mark(const Resolution& resolution, MarkKind kind, std::uint32_t index) {
  for (const std::string& link : resolution.links) {
    const PathNode& node = resolver_.look(link);
    marks_.push_back({.path = link,
                      .kind = kind == MarkKind::rule ? MarkKind::link : MarkKind::frozen,
                      .index = index,
                      .what = PathNode::Kind::symlink,
                      .object = node.object});
  }
  if (resolution.end == Resolution::End::found || resolution.end == Resolution::End::absent)
    marks_.push_back(mark_of(resolution, kind, index));
}

void PathPlanner::add_special(const std::string& path, MarkKind kind, std::uint32_t text) {
  add_mark(resolver_.resolve(path), kind, text);
}

Status PathPlanner::collect_host() {
  home_ = host_.home.empty() ? "" : resolver_.resolve(host_.home).path;
  cwd_ = host_.cwd.empty() ? "" : resolver_.resolve(host_.cwd).path;
  std::uint32_t text = add_text("private folder");
  for (const std::string& folder : host_.private_folders) {
    Resolution end = resolver_.resolve(folder);
    if (end.end != Resolution::End::found || end.node.kind != PathNode::Kind::directory) continue;
    private_folders_.push_back(end.path);
    add_mark(end, MarkKind::private_folder, text);
  }
  text = add_text("Ward's own, always hidden");
  std::vector<std::string> own;
  for (const std::string& path : host_.ward_paths) {
    Resolution end = resolver_.resolve(path);
    if (end.end == Resolution::End::found) own.push_back(end.path);
    add_mark(end, MarkKind::own, text);
  }
  for (const std::string& path : host_.workspaces) {
    Resolution end = resolver_.resolve(path);
    if (end.end != Resolution::End::found || end.node.kind != PathNode::Kind::directory)
      return fail(Error(ErrorKind::invalid, "the workspace " + path + " is not a folder"));
    for (const std::string& hidden : own)
      if (lies_in(end.path, hidden))
        return fail(Error(ErrorKind::invalid,
                          "the workspace " + path + " lies in " + hidden + ", which is Ward's own")
                        .with_remedy("work in another folder"));
    workspaces_.push_back(end.path);
  }
  return {};
}

// A workspace below a private folder would not be there at all.
void PathPlanner::add_workspaces_in_private() {
  for (const std::string& path : workspaces_) {
    bool below = std::any_of(
        private_folders_.begin(), private_folders_.end(),
        [&](const std::string& folder) { return path != folder && lies_in(path, folder); });
    if (!below) continue;
    add_rule({.list = policy::PathList::allow_read,
              .pattern = path,
              .literal = true,
              .written = path,
              .origin = {.file = "the workspace", .scope = policy::Scope::workspace}});
  }
}

void PathPlanner::add_base() {
  if (given_.default_access != policy::DefaultAccess::deny) return;
  for (std::string_view path : base_readable()) {
    std::string text(path);
    if (resolver_.resolve(text).end != Resolution::End::found) continue;
    add_rule({.list = policy::PathList::allow_read,
              .pattern = text,
              .literal = true,
              .written = text,
              .origin = {.file = "what programs need", .scope = policy::Scope::workspace}});
  }
}

// Takes a rule whose path has been resolved: as it is where it was canonical, else its canonical
// form too.
void PathPlanner::take_canonical(const policy::PathRule& rule, Resolution resolution,
                                 std::uint32_t index) {
  if (resolution.links.empty() && resolution.path == rule.pattern)
    return add_mark(resolution, MarkKind::rule, index);
  policy::PathRule canonical = rule;
  canonical.pattern = resolution.path;
  if (denies(rule) || resolution.links.empty()) {
    std::uint32_t added = add_rule(std::move(canonical));
    return add_mark(resolution, MarkKind::rule, added);
  }
  Mark mark = mark_of(resolution, MarkKind::rule, index);
  pending_.push_back({.rule = std::move(canonical),
                      .links = std::move(resolution.links),
                      .mark = std::move(mark),
                      .glob = false});
}

void PathPlanner::take_early_end(std::uint32_t index, const Resolution& resolution) {
  policy::PathRule rule = rules_.rules[index];
  add_mark(resolution, MarkKind::link, index);
  if (resolution.end == Resolution::End::looping)
    return note(PlanNote::Kind::unresolvable, rule,
                "its symbolic links lead in a circle at " + resolution.path);
  if (resolution.end == Resolution::End::through) {
    if (denies(rule))
      marks_.push_back({.path = resolution.last,
                        .kind = MarkKind::frozen,
                        .index = add_text(policy::describe(rule)),
                        .what = PathNode::Kind::file,
                        .object = resolution.last_object});
    return note(PlanNote::Kind::matches_nothing, rule, resolution.last + " is not a folder");
  }
  // What we cannot look at, nor can the command as long as nobody opens the folder to it; a folder
  // that its owner closed can be opened again by a program of the same owner.
  if (::access(resolution.last.c_str(), X_OK) == 0 || !denies(rule))
    return note(PlanNote::Kind::unresolvable, rule, resolution.path + " cannot be inspected");
  note(PlanNote::Kind::unresolvable, rule,
       resolution.last + " may not be searched: the rule covers all of that folder");
  rule.pattern = resolution.last;
  rule.literal = true;
  Resolution folder = resolver_.resolve(rule.pattern);
  add_mark(folder, MarkKind::rule, add_rule(std::move(rule)));
}

void PathPlanner::collect_literal(std::uint32_t index) {
  const policy::PathRule rule = rules_.rules[index];
  // What /proc says of links is about this process, and it is another /proc inside.
  if (in_private("/proc") && lies_in(rule.pattern, "/proc"))
    return note(PlanNote::Kind::no_effect, rule, "/proc is a fresh one inside");
  if (std::find(private_folders_.begin(), private_folders_.end(), rule.pattern) !=
      private_folders_.end())
    return note(PlanNote::Kind::no_effect, rule,
                rule.pattern + " is a private folder inside, empty at first and writable");
  Resolution resolution = resolver_.resolve(rule.pattern);
  if (resolution.end == Resolution::End::found || resolution.end == Resolution::End::absent)
    return take_canonical(rule, std::move(resolution), index);
  take_early_end(index, resolution);
}

void PathPlanner::add_glob(policy::Glob glob, std::uint32_t rule) {
  using Kind = policy::Glob::Component::Kind;
  const auto& parts = glob.components();
  const std::string& prefix = glob.literal_prefix();
  const auto before = prefix == "/" ? 0 : std::count(prefix.begin(), prefix.end(), '/');
  const bool anywhere = static_cast<std::ptrdiff_t>(parts.size()) == before + 2 &&
                        parts[parts.size() - 2].kind == Kind::any_depth;
  globs_.push_back(
      {.glob = std::move(glob), .rule = rule, .matched = false, .anywhere_below = anywhere});
}

Status PathPlanner::collect_glob(std::uint32_t index) {
  const policy::PathRule rule = rules_.rules[index];
  WARD_ASSIGN(policy::Glob glob,
              in_context(policy::Glob::compile(rule.pattern), policy::describe(rule)));
  const std::string prefix = glob.literal_prefix();
  Resolution resolution = resolver_.resolve(prefix);
  if (resolution.end != Resolution::End::found && resolution.end != Resolution::End::absent) {
    take_early_end(index, resolution);
    return {};
  }
  if (resolution.links.empty()) {
    add_glob(std::move(glob), index);
    return {};
  }
  policy::PathRule canonical = rule;
  canonical.pattern = with_prefix(rule.pattern, prefix, resolution.path);
  if (!denies(rule)) {
    pending_.push_back({.rule = std::move(canonical),
                        .links = std::move(resolution.links),
                        .mark = std::nullopt,
                        .glob = true});
    return {};
  }
  Resolution links_only;
  links_only.end = Resolution::End::looping;
  links_only.links = std::move(resolution.links);
  add_mark(links_only, MarkKind::rule, index);
  WARD_ASSIGN(policy::Glob moved, policy::Glob::compile(canonical.pattern));
  add_glob(std::move(moved), add_rule(std::move(canonical)));
  return {};
}

// An allow whose way goes through a link in a writable folder could have been led anywhere by an
// earlier run: `rm -r build; ln -s ~/.config build`. It is taken only where it allows nothing new.
void PathPlanner::settle_pending() {
  std::vector<PendingAllow> accepted;
  for (PendingAllow& pending : pending_) {
    const std::string* bad = nullptr;
    for (const std::string& link : pending.links)
      if (before_->decider.decide(parent_of(link)).write.allowed) bad = &link;
    if (bad != nullptr) {
      note(PlanNote::Kind::no_effect, pending.rule,
           "it goes through the symbolic link " + *bad + ", which a sandboxed command can replace",
           "write the path that it leads to");
      continue;
    }
    Resolution resolution;
    resolution.end = Resolution::End::looping;
    resolution.links = pending.links;
    std::uint32_t index = add_rule(pending.rule);
    add_mark(resolution, MarkKind::rule, index);
    if (pending.mark) {
      pending.mark->index = index;
      marks_.push_back(std::move(*pending.mark));
    } else if (auto glob = policy::Glob::compile(pending.rule.pattern)) {
      add_glob(std::move(*glob), index);
    }
    accepted.push_back(std::move(pending));
  }
  pending_.clear();
  if (!accepted.empty()) before_ = std::make_shared<const DecidedRules>(rules_);
}

void PathPlanner::protect(const ProtectedPath& path) {
  add_special(path.path, MarkKind::protect,
              add_text("always protected: " + std::string(path.reason)));
}

void PathPlanner::protect_project(const std::string& folder) {
  std::vector<ProtectedPath> paths;
  add_protected_project(paths, folder, resolver_);
  if (folder == home_) add_protected_home(paths, folder);
  for (const ProtectedPath& path : paths) protect(path);
}

// What a repository needs never reopens what a person closed.
void PathPlanner::grant(const std::string& path, policy::PathList list, const std::string& top) {
  policy::PathRule rule{
      .list = list,
      .pattern = path,
      .literal = true,
      .written = path,
      .origin = {.file = "the repository " + top, .scope = policy::Scope::workspace}};
  policy::PathVerdict verdict = before_->decider.decide(path);
  const policy::Verdict& act = list == policy::PathList::allow_write ? verdict.write : verdict.read;
  if (act.allowed) return;
  // A profile hides the home folder as a whole; that is its default there and no word about this
  // repository. Every other deny stands.
  const bool only_hidden_home =
      act.rule != nullptr && act.rule->pattern == home_ && is_built_in(*act.rule);
  if (act.rule != nullptr && !only_hidden_home)
    return note(PlanNote::Kind::git, rule, "not granted: " + policy::describe(*act.rule));
  if (only_hidden_home) rule.origin.scope = act.rule->origin.scope;
  Resolution resolution = resolver_.resolve(path);
  add_mark(resolution, MarkKind::rule, add_rule(std::move(rule)));
}

void PathPlanner::take_layout(const GitLayout& layout, const std::string& top) {
  for (const ProtectedPath& path : layout.protect) protect(path);
  for (const std::string& path : layout.pins)
    add_special(path, MarkKind::pin, add_text("always protected: it is a git folder"));
  if (!layout.link.empty()) {
    Resolution resolution = resolver_.resolve(layout.link);
    resolution.end = Resolution::End::looping;
    add_mark(resolution, MarkKind::protect, add_text("always protected: it names the git folder"));
  }
  if (!before_->decider.decide(top).write.allowed) return;
  for (const std::string& path : layout.write) grant(path, policy::PathList::allow_write, top);
  for (const std::string& path : layout.read) grant(path, policy::PathList::allow_read, top);
  if (layout.refused.empty()) return;
  plan_.notes.push_back({.kind = PlanNote::Kind::git,
                         .rule = join_path(top, ".git"),
                         .origin = {},
                         .why = layout.refused,
                         .remedy = layout.remedy,
                         .built_in = false});
}

void PathPlanner::take_git(const std::vector<GitEntry>& entries) {
  GitSurroundings around{.home = home_,
                         .user_config = read_user_git_config(home_),
                         .writable = [this](const std::string& path) {
                           return before_->decider.decide(path).write.allowed;
                         }};
  TextSet tops;
  for (const std::string& workspace : workspaces_) {
    if (!tops.insert(workspace).second) continue;
    protect_project(workspace);
    if (is_git_folder(workspace, resolver_)) {
      protect_git_folder(workspace);
    } else if (resolver_.look(join_path(workspace, ".git")).kind == PathNode::Kind::absent) {
      protect({join_path(workspace, ".git"), "it would make a repository of the workspace"});
    }
  }
  if (!home_.empty() && around.writable(home_) && tops.insert(home_).second) protect_project(home_);
  for (const GitEntry& entry : entries) {
    std::string top(parent_of(entry.path));
    plan_.repositories.push_back(top);
    take_layout(read_git_layout(entry.path, around, resolver_), top);
    if (around.writable(top) && tops.insert(top).second) protect_project(top);
  }
}

}  // namespace ward::confine
