// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/landing.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "confine/path_resolver.h"
#include "sys/copy.h"

namespace ward::review {

namespace {

constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE

bool beneath(const std::string& path, const std::string& folder) {
  return confine::lies_in(path, folder);
}

std::string parent_path(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The policy's word on one path, from the same plan that a run would be confined by.
class PolicyCheck {
 public:
  explicit PolicyCheck(const confine::PathPlan& plan) : plan_(plan) {
    for (const confine::PathRow& row : plan.rows) rows_[row.path] = &row;
    for (const confine::AbsentRow& row : plan.absent)
      absent_[confine::join_path(row.parent, row.name)] = &row.rule;
    for (const confine::FrozenName& row : plan.frozen)
      frozen_[confine::join_path(row.parent, row.name)] = &row.rule;
  }

  std::string refusal(const Change& change, const std::string& path) const {
    confine::Access access = plan_.rules->decide(path);
    if (!access.write) return "the policy denies writing it: " + std::string(access.write_rule);
    const bool stays = change.before == change.after;
    if (auto name = frozen_.find(path); name != frozen_.end() && !stays)
      return "it may not be moved or replaced: " + *name->second;
    for (std::string_view at = path;; at = confine::parent_of(at)) {
      if (auto name = absent_.find(at); name != absent_.end())
        return "it may not come into being: " + *name->second;
      if (auto found = rows_.find(at); found != rows_.end()) {
        const confine::PathRow& row = *found->second;
        if (row.action == confine::Action::writable) return "";
        if (row.action == confine::Action::pin && (at != path || stays)) return "";
        return "the policy protects it: " + row.rule;
      }
      if (at == "/") return "the policy does not make it writable";
    }
  }

 private:
  const confine::PathPlan& plan_;
  std::map<std::string, const confine::PathRow*, std::less<>> rows_;
  std::map<std::string, const std::string*, std::less<>> absent_, frozen_;
};

std::string first_refusal(const HeldInfo& info, const Change& change, const std::string& path,
                          const PolicyCheck& policy, const Objection& objection) {
  if (!change.problem.empty()) return change.problem;
  if (last_name(change.path) == unfinished_name(info)) return "its name is reserved";
  if (std::string why = policy.refusal(change, path); !why.empty()) return why;
  if (!change.conflict.empty()) return change.conflict;
  return objection ? objection(change, path) : "";
}

class Lander {
 public:
  Lander(const HeldChange& held, std::span<const Change> changes,
         const std::function<void()>& before_step)
      : held_(held), changes_(changes), before_step_(before_step) {}

  Status land() {
    WARD_TRY(open_roots());
    WARD_TRY(delete_inside_replaced());
    for (const Change& change : changes_)
      if (change.kind != Change::Kind::deleted) WARD_TRY(told(change, land_one(change)));
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
      if (change->kind == Change::Kind::deleted && !removed_.contains(&*change))
        WARD_TRY(told(*change, remove(*change)));
    WARD_TRY(set_folder_modes());
    return sync();
  }

 private:
  struct Parent {
    UniqueFd folder;
    std::string name;
  };

  Status told(const Change& change, Status status) const {
    return in_context(std::move(status), "land " + full_path(held_.info(), change));
  }

  void step() const {
    if (before_step_) before_step_();
  }

  Status open_roots() {
    for (const Change& change : changes_) {
      if (sides_.contains(change.root)) continue;
      WARD_ASSIGN(Sides sides, open_sides(held_, change.root));
      sides_.emplace(change.root, std::move(sides));
    }
    return {};
  }

  const Sides& sides(const Change& change) const { return sides_.at(change.root); }

  Result<Parent> parent_of(const Change& change) {
    if (!held_.info().roots[change.root].directory) {
      WARD_ASSIGN(UniqueFd folder,
                  open_beneath(sides(change).host.get(), "", O_PATH | O_DIRECTORY));
      return Parent{std::move(folder), sides(change).host_name};
    }
    const std::string path = parent_path(change.path);
    WARD_ASSIGN(UniqueFd folder,
                open_beneath(sides(change).host.get(), path, O_PATH | O_DIRECTORY));
    WARD_TRY(make_accessible(folder.get(), change.root, path));
    return Parent{std::move(folder), last_name(change.path)};
  }

  // A folder may deny its owner to write (a module cache does): it is opened for as long as the
  // landing takes.
  Status make_accessible(int folder, std::size_t root, const std::string& path) {
    WARD_ASSIGN(struct stat status, sys::stat_fd(folder));
    if ((status.st_mode & S_IRWXU) == S_IRWXU) return {};
    modes_.emplace(std::pair(root, path), status.st_mode & 01777U);
    step();
    return change_mode(folder, (status.st_mode & 01777U) | S_IRWXU);
  }

  // Through /proc, as the descriptor may be one that only names its object.
  static Status change_mode(int fd, mode_t mode) {
    std::array<char, 40> link;
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    if (::chmod(link.data(), mode) != 0) return fail_errno(errno, "chmod");
    return {};
  }

  // The host's object is still the one that was checked.
  static Status look_again(const Parent& at, const Change& change) {
    struct stat status = {};
    int error = sys::stat_entry(at.folder.get(), at.name.c_str(), status);
    bool same = change.before == FileType::none
                    ? error == ENOENT
                    : error == 0 && (change.before == FileType::folder
                                         ? S_ISDIR(status.st_mode)
                                         : sys::change_stamp(status) == change.stamp_before);
    if (same) return {};
    return fail(Error(ErrorKind::busy, "it was changed on the host just now")
                    .with_remedy("run `ward apply` again"));
  }

  Status delete_inside_replaced() {
    std::set<std::pair<std::size_t, std::string>> replaced;
    for (const Change& change : changes_)
      if (change.before == FileType::folder && change.kind == Change::Kind::changed)
        replaced.insert({change.root, change.path});
    if (replaced.empty()) return {};
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      if (change->kind != Change::Kind::deleted) continue;
      for (std::string at = parent_path(change->path); !at.empty(); at = parent_path(at)) {
        if (!replaced.contains({change->root, at})) continue;
        WARD_TRY(told(*change, remove(*change)));
        removed_.insert(&*change);
        break;
      }
    }
    return {};
  }

  Status land_one(const Change& change) {
    if (change.kind == Change::Kind::mode) return land_mode(change);
    WARD_ASSIGN(Parent at, parent_of(change));
    WARD_TRY(look_again(at, change));
    switch (change.after) {
      case FileType::folder: return land_folder(at, change);
      case FileType::file: return land_file(at, change);
      case FileType::link: return land_link(at, change);
      case FileType::none:
      case FileType::other: break;
    }
    return fail(ErrorKind::bug, "it is no file, folder or link");
  }

  Status land_mode(const Change& change) {
    if (change.after == FileType::folder) {
      modes_[{change.root, change.path}] = change.mode_after;
      return {};
    }
    WARD_ASSIGN(Parent at, parent_of(change));
    WARD_TRY(look_again(at, change));
    WARD_ASSIGN(UniqueFd file, open_beneath(at.folder.get(), at.name, O_PATH));
    step();
    return change_mode(file.get(), change.mode_after & 0777U);
  }

  Status land_folder(const Parent& at, const Change& change) {
    modes_[{change.root, change.path}] = change.mode_after;
    WARD_TRY(clear_place(at, change));
    step();
    if (::mkdirat(at.folder.get(), at.name.c_str(), 0700) != 0) return fail_errno(errno, "mkdir");
    if (::geteuid() != 0) return {};
    WARD_ASSIGN(UniqueFd held, open_beneath(sides(change).held.get(), change.path, O_PATH));
    WARD_ASSIGN(struct stat status, sys::stat_fd(held.get()));
    if (::fchownat(at.folder.get(), at.name.c_str(), status.st_uid, status.st_gid,
                   AT_SYMLINK_NOFOLLOW) != 0)
      return fail_errno(errno, "chown");
    return {};
  }

  // What no rename can replace goes first.
  Status clear_place(const Parent& at, const Change& change) const {
    const bool to_folder = change.after == FileType::folder;
    if (change.before == FileType::none || (!to_folder && change.before != FileType::folder))
      return {};
    step();
    int flag = change.before == FileType::folder ? AT_REMOVEDIR : 0;
    if (::unlinkat(at.folder.get(), at.name.c_str(), flag) != 0) return fail_errno(errno, "remove");
    return {};
  }

  Status land_file(const Parent& at, const Change& change) {
    const Sides& side = sides(change);
    WARD_ASSIGN(UniqueFd from,
                open_beneath(side.held.get(), change.path.empty() ? side.held_name : change.path,
                             O_RDONLY | O_NONBLOCK));
    WARD_ASSIGN(struct stat held, sys::stat_fd(from.get()));
    if (!S_ISREG(held.st_mode)) return fail(ErrorKind::invalid, "it is no regular file any more");
    const std::string unfinished = unfinished_name(held_.info());
    ::unlinkat(at.folder.get(), unfinished.c_str(), 0);
    step();
    WARD_ASSIGN(UniqueFd to, sys::open_at(at.folder.get(), unfinished,
                                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    step();
    WARD_TRY(sys::copy_contents(from.get(), to.get()));
    if (::geteuid() == 0 && ::fchown(to.get(), held.st_uid, held.st_gid) != 0)
      return fail_errno(errno, "chown");
    // After the owner: changing that takes bits away.
    if (::fchmod(to.get(), change.mode_after & 0777U) != 0) return fail_errno(errno, "chmod");
    const struct timespec times[2] = {held.st_atim, held.st_mtim};
    if (::futimens(to.get(), times) != 0) return fail_errno(errno, "set the times");
    return put(at, change, unfinished);
  }

  Status land_link(const Parent& at, const Change& change) {
    const std::string unfinished = unfinished_name(held_.info());
    ::unlinkat(at.folder.get(), unfinished.c_str(), 0);
    step();
    if (::symlinkat(change.target_after.c_str(), at.folder.get(), unfinished.c_str()) != 0)
      return fail_errno(errno, "symlink");
    return put(at, change, unfinished);
  }

  Status put(const Parent& at, const Change& change, const std::string& unfinished) {
    WARD_TRY(clear_place(at, change));
    const bool replaces = change.before == FileType::file || change.before == FileType::link;
    step();
    if (::syscall(SYS_renameat2, at.folder.get(), unfinished.c_str(), at.folder.get(),
                  at.name.c_str(), replaces ? 0U : kNoReplace) != 0)
      return fail_errno(errno, "rename it to its place");
    step();
    return {};
  }

  Status remove(const Change& change) {
    Result<Parent> at = parent_of(change);
    if (!at && at.error().os_errno() == ENOENT) return {};
    if (!at) return fail(std::move(at).error());
    struct stat status = {};
    if (sys::stat_entry(at->folder.get(), at->name.c_str(), status) == ENOENT) return {};
    WARD_TRY(look_again(*at, change));
    step();
    int flag = change.before == FileType::folder ? AT_REMOVEDIR : 0;
    if (::unlinkat(at->folder.get(), at->name.c_str(), flag) != 0 && errno != ENOENT)
      return fail_errno(errno, "remove");
    return {};
  }

  Status set_folder_modes() {
    for (auto entry = modes_.rbegin(); entry != modes_.rend(); ++entry) {
      const auto& [root, path] = entry->first;
      Result<UniqueFd> folder =
          open_beneath(sides_.at(root).host.get(), path, O_PATH | O_DIRECTORY);
      if (!folder && folder.error().os_errno() == ENOENT) continue;  // it was deleted
      if (!folder) return fail(std::move(folder).error());
      step();
      WARD_TRY(change_mode(folder->get(), entry->second));
    }
    return {};
  }

  Status sync() const {
    for (const auto& [root, sides] : sides_) {
      WARD_ASSIGN(UniqueFd folder, open_beneath(sides.host.get(), "", O_RDONLY | O_DIRECTORY));
      if (::syncfs(folder.get()) != 0) return fail_errno(errno, "syncfs");
    }
    return {};
  }

  const HeldChange& held_;
  std::span<const Change> changes_;
  const std::function<void()>& before_step_;
  std::map<std::size_t, Sides> sides_;
  std::set<const Change*> removed_;  // inside of replaced folders
  // What each folder is to have when all is done; deeper ones sort behind.
  std::map<std::pair<std::size_t, std::string>, mode_t> modes_;
};

}  // namespace

std::vector<Refused> check_landing(const HeldInfo& info, std::span<const Change> changes,
                                   const confine::PathPlan& plan, const Objection& objection) {
  PolicyCheck policy(plan);
  std::vector<Refused> refused;
  for (const Change& change : changes) {
    std::string path = full_path(info, change);
    std::string why = first_refusal(info, change, path, policy, objection);
    if (!why.empty()) refused.push_back({std::move(path), std::move(why)});
  }
  return refused;
}

Result<std::vector<Change>> select_changes(const HeldInfo& info, const std::vector<Change>& all,
                                           const std::vector<std::string>& paths) {
  std::vector<bool> chosen(all.size(), false);
  for (const std::string& path : paths) {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string full = full_path(info, all[i]);
      if (!beneath(full, path)) continue;
      chosen[i] = any = true;
    }
    if (!any) return fail(ErrorKind::not_found, "nothing is held at " + path);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].after == FileType::folder && all[i].kind != Change::Kind::mode &&
          beneath(path, full_path(info, all[i])))
        chosen[i] = true;
  }
  std::vector<Change> selected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) selected.push_back(all[i]);
  return selected;
}

Status land(HeldChange& held, std::span<const Change> changes,
            const std::function<void()>& before_step) {
  WARD_TRY(held.note_landing(true));
  WARD_TRY(Lander(held, changes, before_step).land());
  return held.note_landing(false);
}

Status remove_unfinished(const HeldChange& held, std::span<const Change> changes) {
  if (!held.info().landing) return {};
  std::set<std::pair<std::size_t, std::string>> folders;
  for (const Change& change : changes) folders.insert({change.root, parent_path(change.path)});
  for (const auto& [root, path] : folders) {
    WARD_ASSIGN(Sides sides, open_sides(held, root));
    Result<UniqueFd> folder = open_beneath(sides.host.get(), path, O_PATH | O_DIRECTORY);
    if (folder) ::unlinkat(folder->get(), unfinished_name(held.info()).c_str(), 0);
  }
  return {};
}

}  // namespace ward::review
