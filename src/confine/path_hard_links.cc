// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A file with a second name can be read or written by that name, whatever is mounted on the first.
// Names of one file cannot be asked of the kernel; they are searched for.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "confine/path_planner.h"

namespace ward::confine {

namespace {

constexpr int kMaxDepth = 32;

// Adds the files below a folder that have more than one name.
void add_linked_below(const std::string& folder, int depth, LinkedFiles& out,
                      const PlanNode& node) {
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), &::closedir);
  if (!dir || depth > kMaxDepth) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR) {
      add_linked_below(join_path(folder, name), depth + 1, out, node);
      continue;
    }
    auto status = sys::stat_at(::dirfd(dir.get()), entry->d_name, AT_SYMLINK_NOFOLLOW);
    if (!status || !S_ISREG(status->st_mode) || status->st_nlink < 2) continue;
    LinkedFile& file = out[sys::object_id(*status)];
    if (file.node == nullptr) file = {&node, join_path(folder, name), status->st_nlink, 0};
    ++file.listed;
  }
}

// Hidden for what is in it. Ward's own program is hidden too, but whoever reads it by another name
// learns nothing: package managers that share equal files give it many.
bool is_secret(const LinkedFile& file) {
  return file.node->state == PathState::hidden && file.node->own < 0;
}

// Could this user, as whom the command runs, write the file by some name or make it writable?
bool may_be_written(const std::string& path) {
  auto status = sys::stat_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
  return !status || status->st_uid == ::geteuid() ||
         ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 || errno != EACCES;
}

}  // namespace

Status PathPlanner::refuse_hard_link(const LinkedFile& file, const std::string& other,
                                     std::uint64_t found) const {
  std::string message = file.path + " has " + std::to_string(file.links) + " names";
  message += other.empty() ? ", of which only " + std::to_string(found) + " were found"
                           : ", and no rule speaks of " + other;
  message += ": it could be reached around " + std::string(file.node->text);
  return fail(
      Error(ErrorKind::invalid, std::move(message))
          .with_remedy("give the other name the same rule, or make the file its own: cp -p " +
                       file.path + " COPY && mv COPY " + file.path));
}

// Files with more names than the plan knows to be as strict, where those could do harm. In a folder
// that is always protected each file counts: a hook can be a second name of a script of the
// project.
LinkedFiles PathPlanner::linked_files() const {
  LinkedFiles linked;
  for (const PlanNode& node : nodes_) {
    if (node.in_private || node.state == PathState::writable) continue;
    if (node.what == PathNode::Kind::directory && node.has_row && node.protect >= 0 &&
        node.state == PathState::read_only)
      add_linked_below(node.path(), 0, linked, node);
    if (node.what != PathNode::Kind::file || node.marks->links < 2) continue;
    LinkedFile& file = linked[node.marks->object];
    if (file.node == nullptr || (node.has_row && !file.node->has_row))
      file = {&node, node.path(), node.marks->links, file.listed};
    ++file.listed;
  }
  std::erase_if(linked, [](const auto& entry) {
    const LinkedFile& file = entry.second;
    return !file.node->has_row || file.listed >= file.links ||
           (!is_secret(file) && !may_be_written(file.path));
  });
  return linked;
}

// For a file that must not be written, no name may lie in a writable folder; those are all walked.
// For one that must not be read, every name has to be known: their count is compared with the
// file's own.
Status PathPlanner::check_hard_links() {
  const LinkedFiles linked = linked_files();
  if (linked.empty()) return {};

  WalkRequest request;
  auto add_root = [&](std::string path) {
    request.roots.push_back({.path = std::move(path), .wants = {}});
  };
  for (const auto& [object, file] : linked) request.aliases_of.push_back(object);
  for (const PlanNode& node : nodes_)
    if (node.has_row && node.state == PathState::writable && node.what == PathNode::Kind::directory)
      add_root(node.path());
  for (const std::string& workspace : workspaces_) add_root(workspace);
  for (const auto& [object, file] : linked) {
    if (!is_secret(file)) continue;
    add_root(std::string(parent_of(file.path)));
    for (const GlobRule& glob : globs_)
      if (resolver_.resolve(glob.glob.literal_prefix()).end == Resolution::End::found)
        add_root(glob.glob.literal_prefix());
  }
  WARD_ASSIGN(WalkResult found, walk_tree(request));
  std::map<sys::ObjectId, std::uint64_t> explained;
  for (const Alias& alias : found.aliases) {
    auto entry = linked.find(alias.object);
    if (entry == linked.end()) continue;
    Access access = access_->decide(alias.path);
    const bool listed = find_node(alias.path) != nullptr;
    if (!listed && (access.write || (is_secret(entry->second) && access.read)))
      return refuse_hard_link(entry->second, alias.path, 0);
    ++explained[alias.object];
  }
  for (const auto& [object, file] : linked)
    if (is_secret(file) && explained[object] < file.links)
      return refuse_hard_link(file, "", explained[object]);
  return {};
}

}  // namespace ward::confine
