// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The verdict at each path that something speaks of. The same decision as policy::PathDecider's,
// made down the tree: a rule that names a deeper path beats all above it, so a node needs its own
// rules and what its surroundings decided.
#include <algorithm>
#include <cstring>

#include "confine/path_planner.h"
#include "policy/explain.h"
#include "policy/path_decision.h"

namespace ward::confine {

namespace {

void consider(const policy::PathRule& rule, Winners& here) {
  for (std::size_t scope = 0; scope <= static_cast<std::size_t>(rule.origin.scope); ++scope)
    if (here[scope] == nullptr || policy::goes_before(rule, *here[scope])) here[scope] = &rule;
}

}  // namespace

bool path_before(std::string_view a, std::string_view b) {
  const std::size_t size = std::min(a.size(), b.size());
  std::size_t at = 0;
  // Long common beginnings are the rule; they are passed in words.
  for (std::uint64_t word_a = 0, word_b = 0; at + sizeof word_a <= size; at += sizeof word_a) {
    std::memcpy(&word_a, a.data() + at, sizeof word_a);
    std::memcpy(&word_b, b.data() + at, sizeof word_b);
    if (word_a != word_b) break;
  }
  while (at < size && a[at] == b[at]) ++at;
  if (at == size) return a.size() < b.size();
  if (a[at] == '/' || b[at] == '/') return a[at] == '/';
  return static_cast<unsigned char>(a[at]) < static_cast<unsigned char>(b[at]);
}

// A deny among the stronger scopes alone is final.
const policy::PathRule* PathPlanner::winner(const Winners& winners) const {
  for (std::size_t scope = winners.size(); scope-- > 0;)
    if (winners[scope] != nullptr && denies(*winners[scope])) return winners[scope];
  return winners[0];
}

std::string_view PathPlanner::text_of(const policy::PathRule& rule) const {
  return access_->tables_->texts[static_cast<std::size_t>(&rule - final_rules().data())];
}

void PathPlanner::make_nodes() {
  marks_.push_back({.path = "/",
                    .kind = MarkKind::link,
                    .index = 0,
                    .what = PathNode::Kind::directory,
                    .object = resolver_.look("/").object});
  auto order = [](const Mark* a, const Mark* b) {
    if (path_before(a->path, b->path)) return true;
    return a->kind < b->kind && a->path == b->path;
  };
  // Marks are large: their order is found first, and each is moved once.
  std::vector<Mark*> sorted;
  sorted.reserve(marks_.size());
  for (Mark& mark : marks_) sorted.push_back(&mark);
  // The matches of a walk come nearly in order, and by far the most marks may be some.
  auto matches = sorted.begin() + static_cast<std::ptrdiff_t>(first_match_);
  auto rest = matches + static_cast<std::ptrdiff_t>(match_count_);
  if (!std::is_sorted(matches, rest, order)) std::sort(matches, rest, order);
  std::sort(sorted.begin(), matches, order);
  std::sort(rest, sorted.end(), order);
  std::inplace_merge(sorted.begin(), matches, rest, order);
  std::inplace_merge(sorted.begin(), rest, sorted.end(), order);
  std::vector<Mark> in_order;
  in_order.reserve(marks_.size());
  for (Mark* mark : sorted) in_order.push_back(std::move(*mark));
  marks_ = std::move(in_order);
  nodes_.reserve(marks_.size());
  for (std::size_t i = 0; i < marks_.size();) {
    PlanNode node;
    node.marks = &marks_[i];
    for (; i < marks_.size() && marks_[i].path == node.marks->path; ++i) ++node.mark_count;
    node.what = node.marks->what;
    nodes_.push_back(node);
  }
}

void PathPlanner::decide_nodes() {
  std::vector<std::int32_t> around;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    PlanNode& node = nodes_[i];
    while (!around.empty() &&
           !lies_in(node.path(), nodes_[static_cast<std::size_t>(around.back())].path()))
      around.pop_back();
    node.enclosing = around.empty() ? -1 : around.back();
    if (node.enclosing >= 0) {
      const PlanNode& outer = nodes_[static_cast<std::size_t>(node.enclosing)];
      node.own = outer.own;
      node.protect = outer.protect;
      node.read = outer.read;
      node.write = outer.write;
      node.in_private = outer.in_private;
      node.below_private = outer.below_private || outer.private_root;
    }
    decide_node(node);
    if (node.what == PathNode::Kind::directory) around.push_back(static_cast<std::int32_t>(i));
  }
}

void PathPlanner::decide_node(PlanNode& node) {
  const std::vector<policy::PathRule>& rules = final_rules();
  Winners read = {}, write = {};
  for (std::uint32_t i = 0; i < node.mark_count; ++i) {
    const Mark& mark = node.marks[i];
    switch (mark.kind) {
      case MarkKind::rule: {
        const policy::PathRule& rule = rules[mark.index];
        if (rule.list != policy::PathList::deny_write) consider(rule, read);
        if (rule.list != policy::PathList::allow_read) consider(rule, write);
        break;
      }
      case MarkKind::protect:
        if (node.protect < 0) node.protect = static_cast<std::int32_t>(mark.index);
        break;
      case MarkKind::own: node.own = static_cast<std::int32_t>(mark.index); break;
      case MarkKind::private_folder: node.private_root = true; break;
      case MarkKind::pin: node.pin = true; break;
      case MarkKind::link:
        if (node.what == PathNode::Kind::symlink && !denies(rules[mark.index]))
          node.link_open = true;
        break;
      case MarkKind::frozen: break;
    }
  }
  if (node.private_root) {
    // The rules around it are about the host's folder, which is not there.
    node.read = node.write = {};
    node.in_private = true;
    node.state = PathState::writable;
    node.text = "private folder";
    return;
  }
  for (std::size_t scope = 0; scope < read.size(); ++scope) {
    if (read[scope] != nullptr) node.read[scope] = read[scope];
    if (write[scope] != nullptr) node.write[scope] = write[scope];
  }
  const policy::PathRule* for_read = winner(node.read);
  const policy::PathRule* for_write = winner(node.write);
  if (node.what == PathNode::Kind::absent && around(node).state == PathState::writable) {
    // The walk finds no name that is not there; a wildcard may match this one all the same.
    policy::PathVerdict verdict = access_->tables_->decided->decider.decide(node.path());
    for_read = verdict.read.rule;
    for_write = verdict.write.rule;
  }
  if (node.in_private) {
    if (for_read != nullptr && !denies(*for_read) && node.what != PathNode::Kind::absent)
      node.in_private = false;
    else
      node.read = node.write = {};
  }
  const bool by_default = given_.default_access == policy::DefaultAccess::read;
  const bool reads = for_read == nullptr ? by_default || node.in_private : !denies(*for_read);
  const bool writes = for_write != nullptr && !denies(*for_write);
  if (node.own >= 0) {
    node.state = PathState::hidden;
    node.text = texts_[static_cast<std::size_t>(node.own)];
  } else if (node.in_private) {
    node.state = PathState::writable;
    node.text = "private folder";
  } else if (!reads) {
    node.state = PathState::hidden;
    node.decided = for_read;
    node.text = for_read != nullptr ? text_of(*for_read) : "the default: deny";
  } else if (node.protect >= 0 || !writes) {
    node.state = PathState::read_only;
    node.decided = for_write != nullptr && denies(*for_write) ? for_write : for_read;
    node.text = node.protect >= 0 ? std::string_view(texts_[static_cast<std::size_t>(node.protect)])
                : node.decided != nullptr ? text_of(*node.decided)
                                          : std::string_view("the default: read");
    if (node.protect >= 0) node.decided = nullptr;
  } else {
    node.state = PathState::writable;
    node.decided = for_write;
    node.text = text_of(*for_write);
  }
}

// One object under two names gets the stricter verdict under both.
void PathPlanner::level_objects() {
  std::vector<std::pair<sys::ObjectId, std::uint32_t>> objects;
  objects.reserve(nodes_.size());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    if (!nodes_[i].in_private &&
        (nodes_[i].what == PathNode::Kind::file || nodes_[i].what == PathNode::Kind::directory))
      objects.emplace_back(nodes_[i].marks->object, i);
  std::sort(objects.begin(), objects.end());
  for (std::size_t first = 0; first < objects.size();) {
    std::size_t end = first + 1;
    while (end < objects.size() && objects[end].first == objects[first].first) ++end;
    const PlanNode* strictest = &nodes_[objects[first].second];
    for (std::size_t i = first; i < end; ++i)
      if (nodes_[objects[i].second].state < strictest->state)
        strictest = &nodes_[objects[i].second];
    for (; first < end; ++first) {
      PlanNode& node = nodes_[objects[first].second];
      if (node.state <= strictest->state) continue;
      texts_.push_back(std::string(strictest->text) + ", as the same object is " +
                       strictest->path());
      node.state = strictest->state;
      node.decided = nullptr;
      node.text = texts_.back();
    }
  }
}

}  // namespace ward::confine
