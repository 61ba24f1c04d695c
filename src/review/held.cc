// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/held.h"

#include <dirent.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/id.h"
#include "confine/path_resolver.h"
#include "confine/watch.h"
#include "review/changes.h"
#include "review/held_json.h"
#include "sys/copy.h"
#include "sys/directory.h"
#include "sys/file_lock.h"
#include "sys/state_folder.h"

namespace ward::review {

namespace {

constexpr mode_t kOwn = 0700;
constexpr off_t kMostCopied = off_t{256} << 20U;  // bytes of a single file
constexpr std::string_view kGone = "gone-";       // a folder that is being removed

std::string held_folder(const std::string& state_folder) { return state_folder + "/held"; }

bool is_id(std::string_view name) { return Id::parse(name).has_value(); }

// "\040" in /proc/self/mountinfo is a blank.
std::string unescape_mount(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      plain += static_cast<char>(value);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

Result<std::vector<std::string>> mount_points() {
  WARD_ASSIGN(std::string text, sys::read_file("/proc/self/mountinfo"));
  std::vector<std::string> points;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    for (int field = 0; field < 4; ++field) {
      std::size_t blank = line.find(' ');
      line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
    }
    points.push_back(unescape_mount(line.substr(0, line.find(' '))));
    at = end + 1;
  }
  return points;
}

Error cannot_hold(const std::string& path, const std::string& why, std::string remedy) {
  return Error(ErrorKind::unsupported, "the changes of " + path + " cannot be held: " + why)
      .with_remedy(std::move(remedy));
}

// An overlay keeps its marks in user.overlay.* attributes of the upper folder.
Status check_upper(int folder, const std::string& path) {
  struct statfs fs = {};
  if (::fstatfs(folder, &fs) != 0) return fail_errno(errno, "statfs " + path);
  const bool overlay = static_cast<std::uint64_t>(fs.f_type) == OVERLAYFS_SUPER_MAGIC;
  if (!overlay && ::fsetxattr(folder, "user.overlay.probe", "1", 1, 0) == 0) {
    ::fremovexattr(folder, "user.overlay.probe");
    return {};
  }
  std::string why =
      overlay ? "it lies on an overlay itself" : "its file system has no user attributes for files";
  return fail(
      Error(ErrorKind::unsupported, "the state folder cannot hold changes: " + path + ": " + why)
          .with_remedy("set XDG_STATE_HOME to a folder on ext4, xfs or btrfs, or on a "
                       "tmpfs from Linux 6.6 on"));
}

Status check_root(const confine::PathRow& row, const std::string& state_folder,
                  const std::vector<std::string>& mounts) {
  if (!row.directory) return {};
  if (confine::lies_in(state_folder, row.path))
    return fail(cannot_hold(row.path, "Ward's state folder " + state_folder + " lies in it",
                            "narrow the rule that makes it writable, or set XDG_STATE_HOME to a "
                            "folder outside of it"));
  for (const std::string& point : mounts)
    if (point != row.path && confine::lies_in(point, row.path))
      return fail(cannot_hold(row.path, "another file system is mounted on " + point,
                              "deny writing to the mount point's parent, or unmount it"));
  return {};
}

// No file that was changed before this call has a later time, and every one that is changed after
// it has. Files are stamped by a clock that moves in ticks, but where a stamp was looked at also by
// the exact one (Linux 6.13, "multigrain").
std::uint64_t stamp_of_start() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::uint64_t stamp = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                              static_cast<std::uint64_t>(now.tv_nsec);
  while (sys::file_clock_ns() <= stamp) ::usleep(500);
  return stamp;
}

// Sorted; none where the folder does not exist.
Result<std::vector<std::string>> names_in(const std::string& path) {
  std::vector<std::string> names;
  Result<UniqueFd> folder = sys::open_path(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder && folder.error().os_errno() == ENOENT) return names;
  if (!folder) return fail(std::move(folder).error());
  std::array<char, 32768> buffer;
  for (;;) {
    WARD_ASSIGN(std::span<const char> records, sys::read_directory(folder->get(), buffer));
    if (records.empty()) break;
    sys::DirectoryBatch batch(records);
    for (sys::DirectoryEntry entry; batch.next(entry);) names.emplace_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> find_id(const std::string& held, const std::string& id) {
  WARD_ASSIGN(std::vector<std::string> found, names_in(held));
  std::erase_if(found, [&](const std::string& name) {
    return !is_id(name) || name.compare(0, id.size(), id) != 0;
  });
  if (found.size() == 1) return found.front();
  if (found.empty()) return fail(ErrorKind::not_found, "no changes are held under \"" + id + "\"");
  return fail(ErrorKind::invalid, "\"" + id + "\" begins more than one id");
}

Result<HeldInfo> read_info(const std::string& folder) {
  WARD_ASSIGN(std::string text, sys::read_file(folder + "/held.json"));
  return in_context(held_from_json(text), folder);
}

Status remove_folder(const std::string& folder) {
  std::size_t slash = folder.rfind('/');
  WARD_ASSIGN(UniqueFd parent,
              sys::open_path(folder.substr(0, slash), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return confine::remove_tree(parent.get(), folder.substr(slash + 1));
}

// What a killed ward had begun to remove.
Status finish_removals(const std::string& state_folder) {
  WARD_ASSIGN(std::vector<std::string> names, names_in(held_folder(state_folder)));
  for (const std::string& name : names)
    if (name.starts_with(kGone)) WARD_TRY(remove_folder(held_folder(state_folder) + "/" + name));
  return {};
}

}  // namespace

HeldChange::HeldChange(std::string folder, HeldInfo info, UniqueFd lock)
    : folder_(std::move(folder)), info_(std::move(info)), lock_(std::move(lock)) {}

std::string HeldChange::changed_path(std::size_t root) const {
  return folder_ + "/" + std::to_string(root) + (info_.roots[root].directory ? "/upper" : "/file");
}

Status HeldChange::store() const {
  return sys::replace_file(folder_ + "/held.json", held_to_json(info_), 0600);
}

Status HeldChange::note_outcome(const std::string& outcome) {
  info_.outcome = outcome;
  return store();
}

// Each name ends with a NUL; a doubtful one has a question mark before it.
Status HeldChange::seal(const Changes& changes) const {
  std::string text;
  for (const std::string& name : changes.common) {
    text += name;
    text += '\0';
  }
  for (const std::string& name : changes.doubtful) {
    text += '?';
    text += name;
    text += '\0';
  }
  return sys::replace_file(folder_ + "/base", text, 0600);
}

bool HeldChange::sealed() const { return ::access((folder_ + "/base").c_str(), F_OK) == 0; }

Status HeldChange::note_landing(bool goes_on) {
  if (info_.landing == goes_on) return {};
  info_.landing = goes_on;
  return store();
}

// The root of an overlay has the mode and owner of its upper folder.
Status HeldChange::make_root(std::size_t index) {
  const HeldRoot& root = info_.roots[index];
  const std::string folder = folder_ + "/" + std::to_string(index);
  WARD_TRY(sys::make_dirs(folder, kOwn));
  WARD_ASSIGN(UniqueFd host,
              sys::open_resolved(AT_FDCWD, root.path, O_PATH | O_NOFOLLOW, RESOLVE_NO_SYMLINKS));
  WARD_ASSIGN(struct stat status, sys::stat_fd(host.get()));
  const std::string made = changed_path(index);
  if (root.directory) {
    WARD_TRY(sys::make_dirs(made, kOwn));
    WARD_TRY(sys::make_dirs(folder + "/work", kOwn));
  } else {
    if (!S_ISREG(status.st_mode))
      return fail(cannot_hold(root.path, "it is no regular file", "take it out of allowWrite"));
    if (status.st_size > kMostCopied)
      return fail(cannot_hold(root.path, "it is a single file of over 256 MiB",
                              "make its folder writable instead"));
    WARD_ASSIGN(UniqueFd from, sys::open_resolved(AT_FDCWD, root.path, O_RDONLY | O_NOFOLLOW,
                                                  RESOLVE_NO_SYMLINKS));
    WARD_ASSIGN(UniqueFd to, sys::open_path(made, O_WRONLY | O_CREAT | O_EXCL, 0600));
    WARD_TRY(in_context(sys::copy_contents(from.get(), to.get()), root.path));
  }
  if (::lchown(made.c_str(), status.st_uid, status.st_gid) != 0 && ::geteuid() == 0)
    return fail_errno(errno, "chown " + made);
  if (::chmod(made.c_str(), status.st_mode & 01777U) != 0)
    return fail_errno(errno, "chmod " + made);
  return {};
}

Result<HeldChange> HeldChange::create(const std::string& state_folder, HeldInfo info,
                                      const confine::PathPlan& plan) {
  WARD_ASSIGN(std::vector<std::string> mounts, mount_points());
  for (const confine::PathRow& row : plan.rows) {
    if (row.action != confine::Action::writable) continue;
    WARD_TRY(check_root(row, state_folder, mounts));
    info.roots.push_back({row.path, row.directory, row.object});
  }
  WARD_ASSIGN(UniqueFd state, sys::make_state_folder(state_folder));
  std::string folder = held_folder(state_folder) + "/" + info.id;
  WARD_TRY(sys::make_dirs(folder, kOwn));
  WARD_ASSIGN(UniqueFd lock, sys::open_path(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  WARD_TRY(sys::try_lock(lock.get(), sys::LockMode::exclusive));
  info.start_ns = stamp_of_start();
  HeldChange held(folder, std::move(info), std::move(lock));
  Status made = check_upper(held.lock_.get(), folder);
  if (made) made = held.store();
  for (std::size_t i = 0; made && i < held.info_.roots.size(); ++i) made = held.make_root(i);
  if (made) return held;
  (void)std::move(held).remove().has_value();
  return fail(std::move(made).error());
}

Result<HeldChange> HeldChange::open(const std::string& state_folder, const std::string& id,
                                    Access access) {
  Result<std::string> name = find_id(held_folder(state_folder), id);
  if (!name) return fail(std::move(name).error().with_remedy("`ward review` lists what is held"));
  std::string folder = held_folder(state_folder) + "/" + *name;
  WARD_ASSIGN(UniqueFd lock, sys::open_path(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  Status locked = sys::try_lock(
      lock.get(), access == Access::shared ? sys::LockMode::shared : sys::LockMode::exclusive);
  if (!locked && locked.error().kind() == ErrorKind::busy)
    return fail(Error(ErrorKind::busy, *name + " is in use: its command still runs, or another "
                                               "ward is at work on it"));
  WARD_TRY(std::move(locked));
  WARD_ASSIGN(HeldInfo info, read_info(folder));
  return HeldChange(std::move(folder), std::move(info), std::move(lock));
}

// Out of sight first: what is half removed must never be taken for a held change.
Status HeldChange::remove() && {
  std::size_t slash = folder_.rfind('/') + 1;
  std::string gone = folder_.substr(0, slash) + std::string(kGone) + folder_.substr(slash);
  if (::rename(folder_.c_str(), gone.c_str()) != 0) return fail_errno(errno, "rename " + folder_);
  return remove_folder(gone);
}

Result<std::vector<HeldSummary>> list_held(const std::string& state_folder,
                                           std::vector<std::string>& damaged) {
  std::vector<HeldSummary> list;
  const std::string held = held_folder(state_folder);
  WARD_ASSIGN(std::vector<std::string> names, names_in(held));
  for (const std::string& name : names) {
    if (!is_id(name)) continue;
    Result<HeldInfo> info = read_info(held + "/" + name);
    if (!info) {
      damaged.push_back(held + "/" + name + ": " + info.error().message());
      continue;
    }
    HeldSummary summary{std::move(*info), false};
    Result<UniqueFd> lock = sys::open_path(held + "/" + name, O_RDONLY | O_DIRECTORY);
    summary.busy = !lock || !sys::try_lock(lock->get(), sys::LockMode::shared);
    list.push_back(std::move(summary));
  }
  return list;
}

Result<std::vector<HeldInfo>> remove_expired(const std::string& state_folder, Deadline now) {
  std::vector<std::string> damaged;
  WARD_ASSIGN(std::vector<HeldSummary> list, list_held(state_folder, damaged));
  std::vector<HeldInfo> removed;
  WARD_TRY(finish_removals(state_folder));
  for (HeldSummary& summary : list) {
    if (summary.busy || summary.info.deadline > now) continue;
    Result<HeldChange> held = HeldChange::open(state_folder, summary.info.id, Access::exclusive);
    if (!held) continue;  // somebody else has it
    WARD_TRY(std::move(*held).remove());
    removed.push_back(std::move(summary.info));
  }
  return removed;
}

}  // namespace ward::review
