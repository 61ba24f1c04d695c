// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/standing.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>

namespace ward::confine {

namespace {

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A mount that was put below a private folder lies there, and not on the host's object.
bool can_lose_its_mount(const PathRow& row) {
  return row.action != Action::writable && !row.below_private && row.path != "/";
}

}  // namespace

Standing::Standing(const PathPlan& plan, const LateMask& mask, const sys::FolderWatch& changes,
                   OnDenial on_denial)
    : mask_(mask), changes_(changes), on_denial_(std::move(on_denial)), planned_ns_(plan.made_ns) {
  for (const PathRow& row : plan.rows) {
    if (!can_lose_its_mount(row)) continue;
    by_path_.emplace(row.path, rows_.size());
    rows_.push_back({.path = row.path,
                     .rule = row.rule,
                     .action = row.action,
                     .planned = row.object,
                     .stamp = {}});
  }
  for (const AwaitedRow& row : plan.awaited)
    awaited_.push_back({.there = row.parent, .path = row.path, .rule = row.rule});
}

// -1: it cannot be opened, so nothing in it is visible inside either, or there are too many.
int Standing::watch_folder(const std::string& path) {
  if (auto known = folders_.find(path); known != folders_.end()) return known->second.get();
  if (folders_.size() >= most_folders_) {
    bounded_ = true;
    return -1;
  }
  Result<UniqueFd> folder = sys::open_directory(AT_FDCWD, path.c_str());
  if (!folder) {
    if (folder.error().os_errno() == EMFILE || folder.error().os_errno() == ENFILE) bounded_ = true;
    return -1;
  }
  if (!changes_.add(folder->get())) {
    bounded_ = true;
    return -1;
  }
  int fd = folder->get();
  folders_.emplace(path, std::move(*folder));
  return fd;
}

bool Standing::take_up(std::size_t count, std::size_t most_folders) {
  most_folders_ = most_folders;
  for (; count > 0 && next_awaited_ < awaited_.size(); --count) advance(next_awaited_++);
  for (; count > 0 && next_row_ < rows_.size(); --count) {
    Row& row = rows_[next_row_];
    if (int folder = watch_folder(folder_of(row.path)); folder >= 0)
      rows_in_.emplace(folder, next_row_);
    else
      await_return(row);
    ++next_row_;
    look(row);
  }
  return next_awaited_ < awaited_.size() || next_row_ < rows_.size();
}

// What the plan saw may be gone, and its folder with it: it was not mounted on then, and has
// nothing to show. It is hidden when it comes back.
void Standing::await_return(const Row& row) {
  struct stat status = {};
  std::string there = folder_of(row.path);
  if (sys::stat_entry(AT_FDCWD, there.c_str(), status) == 0) return;
  while (there != "/" && sys::stat_entry(AT_FDCWD, there.c_str(), status) != 0)
    there = folder_of(there);
  awaited_.push_back(
      {.there = std::move(there), .path = row.path, .rule = row.rule, .action = row.action});
}

// A folder that was removed or moved away is watched where it is now, if at all.
void Standing::forget_folder(const std::string& path) {
  auto known = folders_.find(path);
  if (known == folders_.end()) return;
  struct stat now = {};
  Result<struct stat> held = sys::stat_fd(known->second.get());
  if (held && sys::stat_entry(AT_FDCWD, path.c_str(), now) == 0 &&
      sys::object_id(*held) == sys::object_id(now))
    return;
  rows_in_.erase(known->second.get());
  awaited_in_.erase(known->second.get());
  folders_.erase(known);
}

void Standing::folder_came(const std::string& path) {
  for (; sorted_ < rows_.size(); ++sorted_)
    rows_below_.emplace(folder_of(rows_[sorted_].path), sorted_);
  auto [first, last] = rows_below_.equal_range(path);
  if (first == last) return;
  forget_folder(path);
  int folder = watch_folder(path);
  const bool fresh = folder >= 0 && !rows_in_.contains(folder);
  for (auto row = first; row != last; ++row) {
    if (fresh) rows_in_.emplace(folder, row->second);
    look(rows_[row->second]);
  }
}

void Standing::changed(int folder) {
  auto [first_row, last_row] = rows_in_.equal_range(folder);
  for (auto row = first_row; row != last_row; ++row) look(rows_[row->second]);
  // advance() adds to the table.
  std::vector<std::size_t> awaited;
  auto [first, last] = awaited_in_.equal_range(folder);
  for (auto row = first; row != last; ++row) awaited.push_back(row->second);
  for (std::size_t index : awaited) advance(index);
}

void Standing::changed_all() {
  for (Row& row : rows_) look(row);
  for (std::size_t i = 0; i < awaited_.size(); ++i) advance(i);
}

bool Standing::holds(const std::string& path) {
  auto row = by_path_.find(path);
  if (row == by_path_.end()) return false;
  look(rows_[row->second]);
  return true;
}

bool Standing::hides(const std::string& path) const {
  auto found = by_path_.find(path);
  if (found == by_path_.end()) return false;
  Action action = rows_[found->second].action;
  return action == Action::hidden || action == Action::skeleton;
}

void Standing::add_hidden(const std::string& path, const std::string& rule) {
  if (by_path_.contains(path)) return;
  by_path_.emplace(path, rows_.size());
  rows_.push_back({.path = path, .rule = rule, .planned = {}, .stamp = {}});
  Row& row = rows_.back();
  struct stat status = {};
  if (sys::stat_entry(AT_FDCWD, path.c_str(), status) == 0) row.stamp = sys::change_stamp(status);
  row.seen = true;
}

// The change time tells a new file apart that got an old one's inode number; where it is another
// for any other reason, the sandbox's own view decides.
void Standing::look(Row& row) {
  struct stat status = {};
  if (sys::stat_entry(AT_FDCWD, row.path.c_str(), status) != 0) {
    row.stamp = {};
    row.seen = true;
    return;
  }
  sys::ChangeStamp now = sys::change_stamp(status);
  bool same = row.seen ? now.object == row.stamp.object && now.ctime_ns == row.stamp.ctime_ns
                       : now.object == row.planned && now.ctime_ns < planned_ns_;
  row.stamp = now;
  row.seen = true;
  if (same) return;
  Result<bool> renewed = mask_.renew(row.path, row.action);
  if (renewed && !*renewed) return;  // it stands
  if (!renewed && renewed.error().kind() == ErrorKind::not_found) {
    row.stamp = {};
    return;
  }
  report(row, renewed ? Status() : fail(std::move(renewed).error()), false);
}

// Follows the way to a path that did not exist, as far as it exists now.
void Standing::advance(std::size_t index) {
  Awaited& row = awaited_[index];
  while (!row.done) {
    int folder = watch_folder(row.there);
    if (folder < 0) return;
    bool known = false;
    auto [first, last] = awaited_in_.equal_range(folder);
    for (auto entry = first; entry != last; ++entry) known = known || entry->second == index;
    if (!known) awaited_in_.emplace(folder, index);
    std::size_t begin = row.there == "/" ? 1 : row.there.size() + 1;
    std::size_t end = row.path.find('/', begin);
    std::string next = row.path.substr(0, end);
    struct stat status = {};
    if (sys::stat_entry(AT_FDCWD, next.c_str(), status) != 0) return;
    if (S_ISDIR(status.st_mode) && next != row.path) {
      row.there = next;
      continue;
    }
    std::string target = next;
    if (S_ISLNK(status.st_mode)) {
      char real[PATH_MAX];
      if (::realpath(row.path.c_str(), real) == nullptr) return;  // it leads nowhere yet
      target = real;
    }
    Row hidden{.path = target, .rule = row.rule, .action = row.action, .planned = {}, .stamp = {}};
    Result<bool> renewed = mask_.renew(target, row.action);
    if (!renewed && renewed.error().kind() == ErrorKind::not_found) return;
    Status masked = renewed ? Status() : fail(std::move(renewed).error());
    row.done = true;
    add_hidden(target, row.rule);
    if (target == row.path) rows_in_.emplace(folder, by_path_[target]);
    report(hidden, masked, true);
  }
}

void Standing::report(const Row& row, const Status& status, bool awaited) {
  Denial denial;
  bool hides = row.action != Action::read_only;
  denial.act = hides ? Denial::Act::read : Denial::Act::write;
  denial.target = row.path;
  denial.rule = row.rule;
  std::string what = awaited ? "it appeared during the run" : "it was replaced during the run";
  std::string held = hides ? "hidden" : "read-only";
  denial.remedy =
      status ? what + " and is " + held + " inside"
             : what + " and could not be made " + held + " inside: " + status.error().message();
  on_denial_(denial);
}

}  // namespace ward::confine
