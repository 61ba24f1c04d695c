// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A file with a second name can be read or written by that name, whatever is mounted on the first.
// Names of one file cannot be asked of the kernel; they are searched for.
#include <algorithm>
#include <map>

#include "confine/path_planner.h"

namespace ward::confine {

namespace {

struct Linked {
  const PlanNode* node = nullptr;
  std::size_t listed = 0;  // names that are nodes, hence as strict
};

}  // namespace

Status PathPlanner::refuse_hard_link(const PlanNode& node, const std::string& other,
                                     std::size_t found) const {
  std::string message = node.path() + " has " + std::to_string(node.marks->links) + " names";
  message += other.empty() ? ", of which only " + std::to_string(found) + " were found"
                           : ", and no rule speaks of " + other;
  message += ": it could be reached around " + std::string(node.text);
  return fail(Error(ErrorKind::invalid, std::move(message))
                  .with_remedy("give the other name the same rule, or make the file its own: cp -p " +
                               node.path() + " COPY && mv COPY " + node.path()));
}

// For a file that must not be written, no name may lie in a writable folder; those are all walked.
// For one that must not be read, every name has to be known: their count is compared with the
// file's own.
Status PathPlanner::check_hard_links() {
  std::map<sys::ObjectId, Linked> linked;
  for (const PlanNode& node : nodes_) {
    if (node.what != PathNode::Kind::file || node.marks->links < 2 || node.in_private ||
        node.state == PathState::writable)
      continue;
    Linked& entry = linked[node.marks->object];
    ++entry.listed;
    if (entry.node == nullptr || (node.has_row && !entry.node->has_row)) entry.node = &node;
  }
  std::erase_if(linked, [](const auto& entry) {
    return !entry.second.node->has_row || entry.second.listed >= entry.second.node->marks->links;
  });
  if (linked.empty()) return {};

  WalkRequest request;
  for (const auto& [object, entry] : linked) request.aliases_of.push_back(object);
  for (const PlanNode& node : nodes_)
    if (node.has_row && node.state == PathState::writable && node.what == PathNode::Kind::directory)
      request.roots.push_back({.path = node.path(), .wants = {}});
  for (const std::string& workspace : workspaces_)
    request.roots.push_back({.path = workspace, .wants = {}});
  for (const auto& [object, entry] : linked) {
    if (entry.node->state != PathState::hidden) continue;
    request.roots.push_back({.path = std::string(parent_of(entry.node->path())), .wants = {}});
    for (const GlobRule& glob : globs_)
      if (resolver_.resolve(glob.glob.literal_prefix()).end == Resolution::End::found)
        request.roots.push_back({.path = glob.glob.literal_prefix(), .wants = {}});
  }
  WARD_ASSIGN(WalkResult found, walk_tree(request));
  std::map<sys::ObjectId, std::size_t> explained;
  for (const Alias& alias : found.aliases) {
    auto entry = linked.find(alias.object);
    if (entry == linked.end()) continue;
    Access access = access_->decide(alias.path);
    const bool listed = find_node(alias.path) != nullptr;
    const bool hidden = entry->second.node->state == PathState::hidden;
    if (!listed && (access.write || (hidden && access.read)))
      return refuse_hard_link(*entry->second.node, alias.path, 0);
    ++explained[alias.object];
  }
  for (const auto& [object, entry] : linked)
    if (entry.node->state == PathState::hidden && explained[object] < entry.node->marks->links)
      return refuse_hard_link(*entry.node, "", explained[object]);
  return {};
}

}  // namespace ward::confine
