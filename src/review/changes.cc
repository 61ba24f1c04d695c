// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/changes.h"

#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <unordered_set>

#include "sys/copy.h"
#include "sys/directory.h"

namespace ward::review {

namespace {

constexpr mode_t kPermissions = 01777;
constexpr std::uint64_t kMostCompared = 16U << 20U;  // bytes of a file that may have been renamed
constexpr std::size_t kMostComparisons = 1000;
constexpr std::string_view kDeleted = "it was deleted on the host since the run began";
constexpr std::string_view kDoubt =
    "the host may have deleted it: its folder was changed there while the command ran";
constexpr std::string_view kTooDeep = "it is too deep, or its path too long";

FileType type_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return FileType::file;
  if (S_ISDIR(status.st_mode)) return FileType::folder;
  return S_ISLNK(status.st_mode) ? FileType::link : FileType::other;
}

bool is_whiteout(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0);
}

std::string child_path(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

Result<std::vector<std::string>> sorted_names(int folder) {
  std::vector<std::string> names;
  std::array<char, 32768> buffer;
  for (;;) {
    WARD_ASSIGN(std::span<const char> records, sys::read_directory(folder, buffer));
    if (records.empty()) break;
    sys::DirectoryBatch batch(records);
    for (sys::DirectoryEntry entry; batch.next(entry);) names.emplace_back(entry.name);
    if (names.size() > kMaxChanges) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The time at which a folder came into being; 0 where the file system does not tell.
std::uint64_t birth_ns(int folder, const std::string& name) {
  struct statx status = {};
  if (::statx(folder, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0 ||
      (status.stx_mask & STATX_BTIME) == 0)
    return 0;
  return static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000U +
         status.stx_btime.tv_nsec;
}

std::string read_base(const HeldChange& held) {
  Result<std::string> text = sys::read_file(held.folder() + "/base", std::uint64_t{1} << 30U);
  return text ? *text : "";
}

// One name on both sides.
struct Pair {
  int host = -1;  // the folder; -1 where the host has none
  int held = -1;
  std::string name, path;
  std::optional<struct stat> before, after;
};

class Lister {
 public:
  explicit Lister(const HeldChange& held) : held_(held) {
    // What a landing has done to the host so far is nobody's deletion.
    if (held.info().landing) return;
    open_ = !held.sealed();
    base_text_ = read_base(held);
    for (std::string_view rest = base_text_; !rest.empty();) {
      std::size_t end = std::min(rest.find('\0'), rest.size());
      base_.insert(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  Result<Changes> list() {
    for (root_ = 0; root_ < held_.info().roots.size(); ++root_) {
      const HeldRoot& root = held_.info().roots[root_];
      WARD_TRY(in_context(list_root(root), root.path));
    }
    find_renames();
    return std::move(changes_);
  }

 private:
  Status list_root(const HeldRoot& root) {
    WARD_ASSIGN(Sides sides, open_sides(held_, root_));
    if (!root.directory) {
      Pair pair{sides.host.get(), sides.held.get(), sides.host_name, "", {}, {}};
      WARD_ASSIGN(pair.after, sys::stat_at(sides.held.get(), sides.held_name, AT_SYMLINK_NOFOLLOW));
      struct stat status = {};
      if (sys::stat_entry(pair.host, pair.name.c_str(), status) == 0) pair.before = status;
      held_name_ = sides.held_name;
      Status listed = compare(pair);
      held_name_.clear();
      return listed;
    }
    WARD_ASSIGN(UniqueFd host, sys::open_directory(sides.host.get(), "."));
    WARD_ASSIGN(UniqueFd held, sys::open_directory(sides.held.get(), "."));
    WARD_ASSIGN(struct stat before, sys::stat_fd(host.get()));
    WARD_ASSIGN(struct stat after, sys::stat_fd(held.get()));
    compare_modes(before, after, "");
    return list_folder(host.get(), held.get(), "", 0);
  }

  Status list_folder(int host, int held, const std::string& path, int depth) {
    const bool around = in_doubt_;
    // Nothing tells of a file that was deleted but its folder's time. A new folder is as doubtful
    // as its name.
    if (host >= 0) {
      WARD_ASSIGN(struct stat status, sys::stat_fd(host));
      in_doubt_ = open_ && sys::change_stamp(status).ctime_ns > held_.info().start_ns;
    }
    Status listed = list_names(host, held, path, depth);
    in_doubt_ = around;
    return listed;
  }

  Status list_names(int host, int held, const std::string& path, int depth) {
    WARD_ASSIGN(std::vector<std::string> names, sorted_names(held));
    for (const std::string& name : names) {
      Pair pair{host, held, name, child_path(path, name), {}, {}};
      struct stat status = {};
      if (sys::stat_entry(held, name.c_str(), status) != 0) continue;
      pair.after = status;
      if (host >= 0 && sys::stat_entry(host, name.c_str(), status) == 0) pair.before = status;
      if (pair.before) changes_.common.push_back(key(pair.path));
      if (is_whiteout(*pair.after)) {
        if (pair.before) WARD_TRY(list_deleted(host, name, pair.path, *pair.before, depth));
      } else if (S_ISDIR(pair.after->st_mode)) {
        WARD_TRY(list_subfolder(pair, depth));
      } else {
        if (pair.before && S_ISDIR(pair.before->st_mode))
          WARD_TRY(list_inside_deleted(host, name, pair.path, depth));
        WARD_TRY(compare(pair));
      }
    }
    if (host < 0 || !is_opaque(held)) return {};
    WARD_ASSIGN(std::vector<std::string> host_names, sorted_names(host));
    for (const std::string& name : host_names) {
      struct stat status = {};
      if (name == unfinished_name(held_.info()) ||
          std::binary_search(names.begin(), names.end(), name) ||
          sys::stat_entry(host, name.c_str(), status) != 0)
        continue;
      WARD_TRY(list_deleted(host, name, child_path(path, name), status, depth));
    }
    return {};
  }

  Status list_subfolder(const Pair& pair, int depth) {
    const bool merged = pair.before && S_ISDIR(pair.before->st_mode);
    Change* made = nullptr;
    if (merged) {
      compare_modes(*pair.before, *pair.after, pair.path);
    } else {
      WARD_ASSIGN(made, add(pair, pair.before ? Change::Kind::changed : Change::Kind::created));
    }
    if (depth >= kMaxDepth || pair.path.size() > kMaxPath) {
      WARD_TRY(refuse(pair, made, std::string(kTooDeep)));
      return {};
    }
    Result<UniqueFd> held = sys::open_directory(pair.held, pair.name.c_str());
    if (!held) {
      WARD_TRY(refuse(pair, made, "its owner may not look into it"));
      return {};
    }
    UniqueFd host;
    if (merged) {
      WARD_ASSIGN(host, sys::open_directory(pair.host, pair.name.c_str()));
    }
    return list_folder(host.get(), held->get(), pair.path, depth + 1);
  }

  Status refuse(const Pair& pair, Change* change, std::string why) {
    if (change == nullptr) {
      WARD_ASSIGN(change, add(pair, Change::Kind::changed));
    }
    change->problem = std::move(why);
    return {};
  }

  bool is_opaque(int folder) const {
    char value = 0;
    return ::fgetxattr(folder, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
  }

  // A file, a link or something else on the held side.
  Status compare(const Pair& pair) {
    const struct stat& after = *pair.after;
    const bool same_type = pair.before && type_of(*pair.before) == type_of(after);
    Change::Kind kind = pair.before ? Change::Kind::changed : Change::Kind::created;
    std::string problem;
    if (type_of(after) == FileType::other) {
      problem = S_ISFIFO(after.st_mode)   ? "it is a FIFO"
                : S_ISSOCK(after.st_mode) ? "it is a socket"
                                          : "it is a device";
    } else if (type_of(after) == FileType::file) {
      WARD_ASSIGN(std::optional<Change::Kind> file, compare_files(pair, same_type, problem));
      if (!file) return {};
      kind = *file;
    } else if (same_type) {
      Result<std::string> one = sys::readlink_at(pair.host, pair.name);
      Result<std::string> other = sys::readlink_at(pair.held, pair.name);
      if (one && other && *one == *other) return {};
    }
    if (pair.path.size() > kMaxPath) problem = kTooDeep;
    WARD_ASSIGN(Change * change, add(pair, kind));
    change->problem = std::move(problem);
    return {};
  }

  // Nothing where the two are the same.
  Result<std::optional<Change::Kind>> compare_files(const Pair& pair, bool same_type,
                                                    std::string& problem) {
    const std::string& held_name = held_name_.empty() ? pair.name : held_name_;
    Result<UniqueFd> after = sys::open_at(pair.held, held_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!after) problem = "its owner may not read it";
    if (!same_type) return pair.before ? Change::Kind::changed : Change::Kind::created;
    if (!after) return Change::Kind::changed;
    Result<UniqueFd> before =
        sys::open_at(pair.host, pair.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!before) return Change::Kind::changed;
    WARD_ASSIGN(bool same, sys::same_contents(before->get(), after->get()));
    if (!same) return Change::Kind::changed;
    if (((pair.before->st_mode ^ pair.after->st_mode) & kPermissions) == 0)
      return std::optional<Change::Kind>();
    return Change::Kind::mode;
  }

  void compare_modes(const struct stat& before, const struct stat& after, const std::string& path) {
    if (((before.st_mode ^ after.st_mode) & kPermissions) == 0) return;
    Change change;
    change.kind = Change::Kind::mode;
    change.root = root_;
    change.path = path;
    change.before = change.after = FileType::folder;
    change.mode_before = before.st_mode & kPermissions;
    change.mode_after = after.st_mode & kPermissions;
    changes_.list.push_back(std::move(change));
  }

  Status list_deleted(int folder, const std::string& name, const std::string& path,
                      const struct stat& status, int depth) {
    WARD_ASSIGN(Change * change, add({folder, -1, name, path, status, {}}, Change::Kind::deleted));
    if (!S_ISDIR(status.st_mode)) return {};
    if (birth_ns(folder, name) > held_.info().start_ns)
      change->conflict = "it was made on the host since the run began";
    return list_inside_deleted(folder, name, path, depth);
  }

  Status list_inside_deleted(int folder, const std::string& name, const std::string& path,
                             int depth) {
    Result<UniqueFd> inner = sys::open_directory(folder, name.c_str());
    if (!inner || depth >= kMaxDepth || path.size() > kMaxPath) {
      changes_.list.back().problem = inner ? std::string(kTooDeep) : inner.error().message();
      return {};
    }
    WARD_ASSIGN(std::vector<std::string> names, sorted_names(inner->get()));
    for (const std::string& entry : names) {
      struct stat status = {};
      if (entry == unfinished_name(held_.info()) ||
          sys::stat_entry(inner->get(), entry.c_str(), status) != 0)
        continue;
      WARD_TRY(list_deleted(inner->get(), entry, child_path(path, entry), status, depth + 1));
    }
    return {};
  }

  // The pointer is good until the next call.
  Result<Change*> add(const Pair& pair, Change::Kind kind) {
    if (changes_.list.size() >= kMaxChanges)
      return fail(ErrorKind::exhausted, "there are more than a million changes");
    Change change;
    change.kind = kind;
    change.root = root_;
    change.path = pair.path;
    if (pair.before) {
      change.before = type_of(*pair.before);
      change.mode_before = pair.before->st_mode & kPermissions;
      change.stamp_before = sys::change_stamp(*pair.before);
      change.size_before = static_cast<std::uint64_t>(pair.before->st_size);
      if (change.before == FileType::link) {
        Result<std::string> target = sys::readlink_at(pair.host, pair.name);
        if (target) change.target_before = std::move(*target);
      }
    }
    if (pair.after) {
      change.after = type_of(*pair.after);
      change.mode_after = pair.after->st_mode & kPermissions;
      change.size_after = static_cast<std::uint64_t>(pair.after->st_size);
      if (change.after == FileType::link) {
        Result<std::string> target = sys::readlink_at(pair.held, pair.name);
        if (target) change.target_after = std::move(*target);
      }
    }
    change.conflict = conflict_of(pair, change);
    if (!pair.before && change.conflict.empty() && is_doubtful(pair.path)) {
      change.doubt = kDoubt;
      changes_.doubtful.push_back(key(pair.path));
    }
    changes_.list.push_back(std::move(change));
    return &changes_.list.back();
  }

  std::string conflict_of(const Pair& pair, const Change& change) const {
    if (!pair.before)
      // The root is a single file, which was there.
      return std::string(pair.path.empty() || base_.contains(key(pair.path)) ? kDeleted : "");
    // A folder's own times change with every name in it, by a landing too: its names are compared.
    if (change.before == FileType::folder) return "";
    if (sys::change_stamp(*pair.before).ctime_ns <= held_.info().start_ns) return "";
    return "it was changed on the host since the run began";
  }

  bool is_doubtful(const std::string& path) const {
    return open_ ? in_doubt_ : base_.contains("?" + key(path));
  }

  std::string key(const std::string& path) const { return std::to_string(root_) + "/" + path; }

  void find_renames() {
    std::multimap<std::uint64_t, Change*> deleted;
    for (Change& change : changes_.list)
      if (change.kind == Change::Kind::deleted && change.before == FileType::file &&
          change.size_before > 0 && change.size_before <= kMostCompared)
        deleted.emplace(change.size_before, &change);
    std::size_t comparisons = 0;
    for (Change& change : changes_.list) {
      if (change.kind != Change::Kind::created || change.after != FileType::file) continue;
      auto [first, last] = deleted.equal_range(change.size_after);
      for (auto candidate = first; candidate != last; ++candidate) {
        if (++comparisons > kMostComparisons) return;
        if (!candidate->second->renamed_to.empty() || !same_file(*candidate->second, change))
          continue;
        change.renamed_from = full_path(held_.info(), *candidate->second);
        candidate->second->renamed_to = full_path(held_.info(), change);
        break;
      }
    }
  }

  bool same_file(const Change& deleted, const Change& created) const {
    Result<Sides> from = open_sides(held_, deleted.root), to = open_sides(held_, created.root);
    if (!from || !to) return false;
    Result<UniqueFd> a = open_beneath(from->host.get(), deleted.path, O_RDONLY | O_NONBLOCK);
    Result<UniqueFd> b = open_beneath(to->held.get(), created.path, O_RDONLY | O_NONBLOCK);
    if (!a || !b) return false;
    Result<bool> same = sys::same_contents(a->get(), b->get());
    return same && *same;
  }

  const HeldChange& held_;
  Changes changes_;
  std::size_t root_ = 0;
  std::string held_name_;  // of the single file that is compared
  bool open_ = false;      // the run has not been sealed
  bool in_doubt_ = false;  // of the folder that is listed
  std::string base_text_;
  std::unordered_set<std::string_view> base_;  // into base_text_
};

}  // namespace

std::string_view to_string(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::created: return "created";
    case Change::Kind::changed: return "changed";
    case Change::Kind::mode: return "mode";
    case Change::Kind::deleted: return "deleted";
  }
  return "changed";
}

std::string_view to_string(FileType type) {
  switch (type) {
    case FileType::none: return "nothing";
    case FileType::file: return "file";
    case FileType::folder: return "folder";
    case FileType::link: return "link";
    case FileType::other: return "other";
  }
  return "other";
}

Result<Changes> list_changes(const HeldChange& held) { return Lister(held).list(); }

std::string unfinished_name(const HeldInfo& info) { return ".ward-" + info.id; }

std::string full_path(const HeldInfo& info, const Change& change) {
  const std::string& root = info.roots[change.root].path;
  if (change.path.empty()) return root;
  return root == "/" ? "/" + change.path : root + "/" + change.path;
}

Result<Sides> open_sides(const HeldChange& held, std::size_t root) {
  const HeldRoot& row = held.info().roots[root];
  const std::string changed = held.changed_path(root);
  auto open = [](const std::string& path) {
    return sys::open_resolved(AT_FDCWD, path, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
  };
  Sides sides;
  if (!row.directory) {
    const std::size_t slash = row.path.rfind('/');
    WARD_ASSIGN(sides.host, open(slash == 0 ? "/" : row.path.substr(0, slash)));
    WARD_ASSIGN(sides.held, open(changed.substr(0, changed.rfind('/'))));
    sides.host_name = row.path.substr(slash + 1);
    sides.held_name = changed.substr(changed.rfind('/') + 1);
    return sides;
  }
  WARD_ASSIGN(sides.host, open(row.path));
  WARD_ASSIGN(struct stat status, sys::stat_fd(sides.host.get()));
  if (sys::object_id(status) != row.object)
    return fail(Error(ErrorKind::busy, row.path + " is another folder than the command worked in")
                    .with_remedy("put it back, or discard the changes"));
  WARD_ASSIGN(sides.held, open(changed));
  return sides;
}

Result<UniqueFd> open_beneath(int folder, const std::string& path, int flags) {
  return sys::open_resolved(folder, path.empty() ? "." : path, flags | O_NOFOLLOW,
                            RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}

}  // namespace ward::review
