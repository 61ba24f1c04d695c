// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The second half of a plan: from the states of the nodes to mounts and names.
#include <dirent.h>

#include <algorithm>
#include <memory>

#include "confine/path_planner.h"
#include "policy/explain.h"
#include "policy/path_decision.h"

namespace ward::confine {

namespace {

Action action_of(PathState state) {
  return state == PathState::writable    ? Action::writable
         : state == PathState::read_only ? Action::read_only
                                         : Action::hidden;
}

}  // namespace

const PlanNode& PathPlanner::around(const PlanNode& node) const {
  // What surrounds the root folder: everything is read-only to begin with.
  static const PlanNode kOutside = {};
  return node.enclosing < 0 ? kOutside : nodes_[static_cast<std::size_t>(node.enclosing)];
}

const PlanNode* PathPlanner::find_node(std::string_view path) const {
  auto found = std::lower_bound(
      nodes_.begin(), nodes_.end(), path,
      [](const PlanNode& node, std::string_view p) { return path_before(node.path(), p); });
  return found != nodes_.end() && found->path() == path ? &*found : nullptr;
}

const PlanNode& PathPlanner::enclosing_of(std::string_view path) const {
  for (;; path = parent_of(path)) {
    const PlanNode* node = find_node(path);
    if (node != nullptr && (node->what == PathNode::Kind::directory || path == "/")) return *node;
  }
}

// The node's mount is what makes its folder writable.
bool PathPlanner::opens_writing(const PlanNode& node) const {
  const PlanNode& outer = around(node);
  return node.has_row && node.state == PathState::writable &&
         (outer.state != PathState::writable || outer.in_private || outer.private_root);
}

void PathPlanner::emit_rows() {
  for (PlanNode& node : nodes_) emit_row(node);
  if (!opened_.empty()) emit_skeletons();
}

void PathPlanner::emit_row(PlanNode& node) {
  const PlanNode& outer = around(node);
  const bool outer_hidden = outer.state == PathState::hidden;
  if (node.what == PathNode::Kind::symlink) {
    if (node.link_open && outer_hidden && node.own < 0) open_in_skeletons(node.path());
    return;
  }
  if (node.what == PathNode::Kind::absent) {
    // What may be read and is not there answers so, as outside: git complains of a settings folder
    // that is closed, not of one that is absent.
    const std::string existing = node.path().substr(0, node.marks->there);
    const bool inside = lies_in(existing, outer.path()) && existing != outer.path();
    if (outer_hidden && node.state != PathState::hidden && inside)
      open_in_skeletons(join_path(existing, "."));
    return;
  }
  if (node.what != PathNode::Kind::directory && node.what != PathNode::Kind::file) return;
  if (node.private_root) {
    if (outer_hidden) open_in_skeletons(node.path());
    return;
  }
  if (node.in_private) return;
  const bool outer_private = outer.in_private || outer.private_root;
  Action action = action_of(node.state);
  if (outer_private) {
    if (node.state == PathState::hidden) return;
  } else if (node.state == outer.state) {
    if (!node.pin || node.state != PathState::writable) return;
    action = Action::pin;
  }
  node.has_row = true;
  if (outer_hidden && !outer_private) open_in_skeletons(node.path());
  std::string_view rule = node.text;
  if (action == Action::pin)
    for (std::uint32_t i = 0; i < node.mark_count; ++i)
      if (node.marks[i].kind == MarkKind::pin) rule = texts_[node.marks[i].index];
  plan_.rows.push_back({.path = node.path(),
                        .action = action,
                        .directory = node.what == PathNode::Kind::directory,
                        .below_private = node.below_private,
                        .object = node.marks->object,
                        .rule = std::string(rule),
                        .stubs = {}});
}

// Everything from the hidden folder around it down to `path` becomes a skeleton.
void PathPlanner::open_in_skeletons(std::string_view path) {
  for (;;) {
    std::string_view folder = parent_of(path);
    auto [entry, fresh] = opened_.try_emplace(std::string(folder));
    entry->second.emplace(name_of(path));
    const PlanNode* node = find_node(folder);
    if (!fresh || folder == "/" || (node != nullptr && node->has_row)) return;
    path = folder;
  }
}

void PathPlanner::emit_skeletons() {
  std::vector<PathRow>& rows = plan_.rows;
  std::vector<PathRow> between;  // hidden by what is around them, opened for what is in them
  for (const auto& [folder, names] : opened_) {
    auto row = std::lower_bound(rows.begin(), rows.end(), folder,
                                [](const PathRow& known, const std::string& path) {
                                  return path_before(known.path, path);
                                });
    if (row == rows.end() || row->path != folder) {
      const PlanNode& hidden = enclosing_of(folder);
      between.push_back({.path = folder,
                         .action = Action::skeleton,
                         .directory = true,
                         .below_private = hidden.below_private,
                         .object = resolver_.look(folder).object,
                         .rule = std::string(hidden.text),
                         .stubs = list_stubs(folder, names)});
      continue;
    }
    row->action = Action::skeleton;
    row->stubs = list_stubs(folder, names);
  }
  auto order = [](const PathRow& a, const PathRow& b) { return path_before(a.path, b.path); };
  std::sort(between.begin(), between.end(), order);
  auto middle = static_cast<std::ptrdiff_t>(rows.size());
  std::move(between.begin(), between.end(), std::back_inserter(rows));
  std::inplace_merge(rows.begin(), rows.begin() + middle, rows.end(), order);
}

// A folder that cannot be listed shows what is re-opened in it, and nothing else.
std::vector<Stub> PathPlanner::list_stubs(const std::string& folder, const TextSet& names) {
  std::vector<Stub> stubs;
  auto add = [&](const std::string& name) {
    const bool opened = names.find(name) != names.end();
    const PathNode& node = resolver_.look(join_path(folder, name));
    const bool link = node.kind == PathNode::Kind::symlink;
    stubs.push_back({.name = name,
                     .directory = node.kind == PathNode::Kind::directory,
                     .revealed = opened && !link,
                     .link = opened && link ? node.target : ""});
  };
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), &::closedir);
  if (dir) {
    while (const dirent* entry = ::readdir(dir.get())) {
      std::string name = entry->d_name;
      if (name != "." && name != "..") add(name);
    }
  } else {
    for (const std::string& name : names) add(name);
  }
  std::sort(stubs.begin(), stubs.end());
  return stubs;
}

void PathPlanner::emit_names() {
  for (const PlanNode& node : nodes_) {
    const PlanNode& outer = around(node);
    if (outer.in_private || outer.private_root) continue;
    if (outer.state == PathState::read_only && node.what == PathNode::Kind::absent &&
        node.state == PathState::hidden)
      plan_.awaited.push_back(
          {.parent = node.path().substr(0, std::max<std::size_t>(1, node.marks->there)),
           .path = node.path(),
           .rule = std::string(node.text)});
    if (outer.state != PathState::writable) continue;
    if (node.what == PathNode::Kind::absent) {
      if (node.state != PathState::writable) emit_absent(node);
      continue;
    }
    bool stays = false;  // the name itself has to stay what it is
    for (std::uint32_t i = 0; i < node.mark_count; ++i) {
      const Mark& mark = node.marks[i];
      if (mark.kind == MarkKind::frozen) {
        stays = true;
        freeze(node.path(), texts_[mark.index]);
      } else if (mark.kind == MarkKind::link && node.what == PathNode::Kind::symlink) {
        const policy::PathRule& rule = final_rules()[mark.index];
        if (!denies(rule)) continue;
        stays = true;
        freeze(node.path(), text_of(rule));
      }
    }
    if (stays || (node.has_row && (node.state != PathState::writable || node.pin)))
      freeze_above(node, parent_of(node.path()));
  }
}

void PathPlanner::emit_absent(const PlanNode& node) {
  const std::string& path = node.path();
  std::string parent = path.substr(0, node.marks->there);
  std::size_t begin = parent.size() + (parent == "/" ? 0 : 1);
  std::string name = path.substr(begin, path.find('/', begin) - begin);
  freeze_above(node, parent);
  if (!absent_seen_.insert(join_path(parent, name)).second) return;
  plan_.absent.push_back({.parent = std::move(parent),
                          .parent_object = node.marks->object,
                          .name = std::move(name),
                          .rule = std::string(node.text)});
}

void PathPlanner::freeze(const std::string& path, std::string_view rule) {
  if (!frozen_seen_.insert(path).second) return;
  std::string parent(parent_of(path));
  plan_.frozen.push_back({.parent = parent,
                          .parent_object = resolver_.look(parent).object,
                          .name = std::string(name_of(path)),
                          .object = resolver_.look(path).object,
                          .rule = std::string(rule)});
}

// The folders on the way to a node must keep their names, up to the mount that makes them writable:
// what is mounted cannot be renamed, but a folder above a mount can, and the old name made anew.
void PathPlanner::freeze_above(const PlanNode& node, std::string_view from) {
  const PlanNode* root = &around(node);
  while (!opens_writing(*root)) {
    if (root->enclosing < 0) return;
    root = &around(*root);
  }
  // `PREFIX/**/NAME` speaks of the file wherever below PREFIX its folders are moved.
  if (node.decided != nullptr && !node.decided->literal) {
    const policy::PathRule* first = final_rules().data();
    for (const GlobRule& entry : globs_)
      if (first + entry.rule == node.decided && entry.anywhere_below)
        from = entry.glob.literal_prefix();
  }
  if (!lies_in(from, root->path())) return;
  const PlanNode* mounted = &around(node);
  for (std::string_view path = from; path != root->path(); path = parent_of(path)) {
    while (mounted->path().size() > path.size()) mounted = &around(*mounted);
    if (mounted->has_row && mounted->path() == path) continue;
    std::string text(path);
    if (frozen_seen_.find(text) != frozen_seen_.end()) return;
    freeze(text, node.text);
  }
}

void PathPlanner::emit_notes() {
  const std::vector<policy::PathRule>& rules = final_rules();
  for (const PlanNode& node : nodes_) {
    if (node.what != PathNode::Kind::absent || node.in_private) continue;
    const bool writable_around = around(node).state == PathState::writable;
    for (std::uint32_t i = 0; i < node.mark_count; ++i) {
      if (node.marks[i].kind != MarkKind::rule) continue;
      const policy::PathRule& rule = rules[node.marks[i].index];
      // A deny there is kept, by refusing the name; an allow there has its effect already.
      if (writable_around && (denies(rule) || node.state == PathState::writable)) continue;
      note(PlanNote::Kind::matches_nothing, rule, node.path() + " does not exist",
           rule.list == policy::PathList::allow_write ? "make it before the run" : "");
    }
  }
  for (const GlobRule& entry : globs_) {
    const policy::PathRule& rule = rules[entry.rule];
    if (denies(rule))
      plan_.deny_globs.push_back(
          {.pattern = rule.pattern, .list = rule.list, .rule = std::string(text_of(rule))});
    if (!entry.matched)
      note(PlanNote::Kind::matches_nothing, rule,
           "no name matches " + rule.pattern + " at present");
  }
  for (const PlanNode& node : nodes_) {
    if (node.state == PathState::writable || (node.protect < 0 && node.own < 0)) continue;
    for (std::uint32_t i = 0; i < node.mark_count; ++i) {
      if (node.marks[i].kind != MarkKind::rule) continue;
      const policy::PathRule& rule = rules[node.marks[i].index];
      if (rule.list == policy::PathList::allow_write || (node.own >= 0 && !denies(rule)))
        note(PlanNote::Kind::no_effect, rule, node.path() + " is " + std::string(node.text));
    }
  }
}

Status PathPlanner::check_cwd() const {
  if (cwd_.empty()) return {};
  const PlanNode& node = enclosing_of(cwd_);
  if (node.state == PathState::hidden)
    return fail(Error(ErrorKind::invalid,
                      "the working directory " + cwd_ + " is hidden by " + std::string(node.text))
                    .with_remedy("allowRead it, or work in another folder"));
  if ((node.in_private || node.private_root) && node.path() != cwd_)
    return fail(Error(ErrorKind::invalid, "the working directory " + cwd_ +
                                              " is not there inside: " + node.path() +
                                              " is a private folder")
                    .with_remedy("allowRead or allowWrite it, or work in another folder"));
  return {};
}

}  // namespace ward::confine
