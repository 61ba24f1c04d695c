// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/changes.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "sys/directory.h"

namespace ward::process {

namespace {

constexpr std::uint64_t kTickNs = 50'000'000;

// The order of a walk that visits each folder's names sorted: a slash sorts before every byte.
int compare_paths(std::string_view a, std::string_view b) {
  auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i)
    if (a[i] != b[i]) return rank(a[i]) < rank(b[i]) ? -1 : 1;
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

// The `.git` folder that the path is in or is, or nothing.
std::string_view git_folder_of(std::string_view path) {
  constexpr std::string_view kName = "/.git";
  for (std::size_t at = path.find(kName); at != std::string_view::npos;
       at = path.find(kName, at + 1)) {
    const std::size_t end = at + kName.size();
    if (end < path.size() && path[end] == '/') return path.substr(0, end);
  }
  return {};
}

}  // namespace

class SnapshotReader {
 public:
  SnapshotReader(Snapshot& snapshot, const std::vector<std::string>& skip)
      : snapshot_(snapshot), skip_(skip) {}

  Status read(const std::string& folder) {
    path_ = folder == "/" ? "" : folder;
    return read_folder(AT_FDCWD, folder.c_str(), 0);
  }

 private:
  Status read_folder(int dirfd, const char* name, std::size_t depth) {
    if (depth > kMaxSnapshotDepth) return over("nested folders", kMaxSnapshotDepth);
    Result<UniqueFd> fd = sys::open_directory(dirfd, name);
    if (!fd) return unreadable(fd.error());
    std::vector<std::string> names;
    for (;;) {
      Result<std::span<const char>> records = sys::read_directory(fd->get(), buffer_);
      if (!records) return unreadable(records.error());
      if (records->empty()) break;
      sys::DirectoryBatch batch(*records);
      for (sys::DirectoryEntry entry; batch.next(entry);) names.emplace_back(entry.name);
      if (snapshot_.entries_.size() + names.size() > kMaxSnapshotEntries)
        return over("entries", kMaxSnapshotEntries);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& entry : names) WARD_TRY(take(fd->get(), entry, depth));
    return {};
  }

  Status take(int dirfd, const std::string& name, std::size_t depth) {
    struct stat status = {};
    if (sys::stat_entry(dirfd, name.c_str(), status) != 0) return {};  // gone meanwhile
    const std::size_t length = path_.size();
    path_ += '/';
    path_ += name;
    Status done;
    if (std::find(skip_.begin(), skip_.end(), path_) == skip_.end()) {
      sys::ChangeStamp stamp = sys::change_stamp(status);
      snapshot_.entries_.push_back(
          {snapshot_.paths_.size(), static_cast<std::uint32_t>(path_.size()), status.st_mode,
           stamp.object.device, stamp.object.inode, static_cast<std::uint64_t>(status.st_size),
           stamp.mtime_ns, stamp.ctime_ns});
      snapshot_.paths_ += path_;
      if (S_ISDIR(status.st_mode)) done = read_folder(dirfd, name.c_str(), depth + 1);
    }
    path_.resize(length);
    return done;
  }

  Status unreadable(const Error& error) {
    if (error.os_errno() == EMFILE || error.os_errno() == ENFILE || error.os_errno() == ENOMEM)
      return fail(error);
    if (error.os_errno() != ENOENT && error.os_errno() != ENOTDIR)
      snapshot_.unreadable_.push_back(path_);
    return {};
  }

  Status over(const char* what, std::size_t limit) const {
    return fail(Error(ErrorKind::exhausted, "changes are not listed: more than " +
                                                std::to_string(limit) + ' ' + what + " at " + path_)
                    .with_remedy("run without --changes, or in a smaller workspace"));
  }

  Snapshot& snapshot_;
  const std::vector<std::string>& skip_;
  std::string path_;
  std::array<char, 65536> buffer_;
};

Result<Snapshot> Snapshot::take(std::vector<std::string> folders,
                                const std::vector<std::string>& skip) {
  Snapshot snapshot;
  snapshot.taken_ns_ = sys::file_clock_ns();
  std::sort(folders.begin(), folders.end(),
            [](const std::string& a, const std::string& b) { return compare_paths(a, b) < 0; });
  SnapshotReader reader(snapshot, skip);
  std::string last;
  for (const std::string& folder : folders) {
    bool folded = !last.empty() && folder.starts_with(last) &&
                  (last == "/" || folder.size() == last.size() || folder[last.size()] == '/');
    if (folded) continue;
    WARD_TRY(reader.read(folder));
    last = folder;
  }
  return snapshot;
}

Changes compare(const Snapshot& before, const Snapshot& after) {
  using Entry = Snapshot::Entry;
  Changes changes;
  std::size_t listed = 0;
  auto list = [&](std::vector<std::string>& where, std::string_view path, bool folder) {
    if (std::string_view git = git_folder_of(path); !git.empty()) {
      if (changes.git_folders.empty() || changes.git_folders.back() != git)
        changes.git_folders.emplace_back(git);
      return;
    }
    if (++listed > kMaxListedChanges) {
      ++changes.omitted;
      return;
    }
    where.emplace_back(path);
    if (folder) where.back() += '/';
  };
  auto differs = [](const Entry& a, const Entry& b) {
    if (a.mode != b.mode || a.device != b.device || a.inode != b.inode) return true;
    return !S_ISDIR(a.mode) &&
           (a.size != b.size || a.mtime_ns != b.mtime_ns || a.ctime_ns != b.ctime_ns);
  };
  auto old = before.entries_.begin();
  auto now = after.entries_.begin();
  while (old != before.entries_.end() || now != after.entries_.end()) {
    int order = old == before.entries_.end()  ? 1
                : now == after.entries_.end() ? -1
                                              : compare_paths(before.path(*old), after.path(*now));
    if (order < 0) {
      list(changes.deleted, before.path(*old), S_ISDIR(old->mode));
    } else if (order > 0) {
      list(changes.created, after.path(*now), S_ISDIR(now->mode));
    } else if (differs(*old, *now)) {
      list(changes.changed, after.path(*now), S_ISDIR(now->mode));
    } else if (S_ISREG(now->mode) && old->ctime_ns + kTickNs > before.taken_ns_) {
      list(changes.uncertain, after.path(*now), false);
    }
    if (order <= 0) ++old;
    if (order >= 0) ++now;
  }
  auto& git = changes.git_folders;
  std::sort(git.begin(), git.end());
  git.erase(std::unique(git.begin(), git.end()), git.end());
  return changes;
}

}  // namespace ward::process
