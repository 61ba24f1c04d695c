// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PathPlan: the file system part of a policy, resolved on this machine into rows that the kernel
// can hold: what is mounted writable, read-only, hidden or as a skeleton, which names may not be
// created, which may not be renamed. plan_paths() only looks at the file system and changes
// nothing; the launcher executes the rows, the notifier and the watch enforce the names, and
// `explain`, the journal and the tests read the same rows. A plain value, immutable once made, safe
// to share between threads. docs/layers/process.md describes the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "sys/file.h"

namespace ward::confine {

class SeenFolders;
class WalkCache;

// What this run is about, apart from the policy. Every path is absolute; plan_paths() resolves
// symbolic links in them.
struct HostContext {
  std::string home;
  std::string cwd;
  std::vector<std::string> workspaces;
  // Folders that are a private, empty, writable file system inside: /tmp, /var/tmp, /dev/shm, /run,
  // /proc, /dev. What the host has there is absent unless a rule below them re-opens it.
  std::vector<std::string> private_folders;
  // Ward's own state, configuration, index, sockets and program: hidden, by no policy liftable.
  std::vector<std::string> ward_paths;
};

// What is mounted on an existing object.
enum class Action : std::uint8_t {
  writable,   // the host's object, read-write
  read_only,  // the host's object, read-only: EROFS, and EBUSY for rename and unlink
  hidden,     // an object of its kind with mode 000: EACCES
  skeleton,   // a private read-only folder: each entry of the hidden one as a stub, some re-opened
  pin,        // the object on itself, read-write, so that it cannot be renamed: EBUSY
};
std::string_view to_string(Action action);

// One entry of a skeleton.
struct Stub {
  std::string name;
  bool directory = false;
  bool revealed = false;  // a later row stands on it; otherwise mode 000
  std::string link;       // a symbolic link that may be followed: its text. Nothing stands on it
  auto operator<=>(const Stub&) const = default;
};

// One mount. Rows are sorted so that each stands after the row that encloses it. The path has no
// symbolic link in it; whoever mounts opens it without following any and compares the object.
struct PathRow {
  std::string path;
  Action action = Action::read_only;
  bool directory = false;
  bool below_private = false;  // below a private folder: the mount point must be made there
  sys::ObjectId object;
  std::string rule;         // its text and origin
  std::vector<Stub> stubs;  // of a skeleton, sorted by name
};

// A name that does not exist and may not come into being by any call: EACCES. It is the topmost
// missing component of a protected path, in a folder that is writable.
struct AbsentRow {
  std::string parent;
  sys::ObjectId parent_object;
  std::string name;
  std::string rule;
};

// A path that is to be hidden and does not exist, where nobody inside can make it: a program
// outside may, during the run. `parent` is the last folder on its way that exists.
struct AwaitedRow {
  std::string parent, path, rule;
};

// A name in a writable folder that may not be renamed, replaced or removed: EACCES. It is a folder
// on the way to a protected path, or a symbolic link that such a path goes through.
struct FrozenName {
  std::string parent;
  sys::ObjectId parent_object;
  std::string name;
  sys::ObjectId object;
  std::string rule;
};

// A wildcard deny. It holds for names that appear later too: one that is created from inside is
// refused, one that appears from the host is masked. `pattern` is canonical in its literal part.
struct DenyGlob {
  std::string pattern;
  policy::PathList list = policy::PathList::deny_read;
  std::string rule;
};

// A rule that does less, or more, than its words say. Never fatal; the run reports it.
struct PlanNote {
  enum class Kind : std::uint8_t {
    matches_nothing,  // nothing there now, and nothing can come there
    unresolvable,     // a broken or looping link, or a folder that cannot be inspected
    no_effect,        // Ward's own protection, or a private folder, decides instead
    git,              // part of a repository's git folder stays read-only
  };
  Kind kind = Kind::matches_nothing;
  std::string rule;
  policy::Origin origin;
  std::string why;
  std::string remedy;
  bool built_in = false;  // a rule of a built-in profile, which most machines match in part only
};
std::string_view to_string(PlanNote::Kind kind);

// May a path be read and written, and which rule says so. The last word, for paths that do not
// exist too: what the policy decides, and over it what is always protected. The rules are texts
// with origin; they live as long as the AccessRules.
struct Access {
  bool read = false;
  bool write = false;
  std::string_view read_rule, write_rule;
  bool private_folder = false;  // what is there inside is gone with the sandbox
};

class AccessRules {
 public:
  ~AccessRules();
  // Preconditions: `path` is absolute, lexically normal, and free of symbolic links.
  Access decide(std::string_view path) const;

 private:
  friend class PathPlanner;
  struct Tables;
  explicit AccessRules(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

struct PathPlan {
  policy::DefaultAccess default_access = policy::DefaultAccess::read;
  policy::ProtectMechanism protect = policy::ProtectMechanism::guard;
  std::vector<PathRow> rows;
  std::vector<AbsentRow> absent;
  std::vector<AwaitedRow> awaited;
  std::vector<FrozenName> frozen;
  std::vector<DenyGlob> deny_globs;
  std::vector<PlanNote> notes;
  // When planning began, in nanoseconds since 1970: what changed later may be another object under
  // an old inode number.
  std::uint64_t made_ns = ~std::uint64_t{0};
  // The workspaces' folders, where a wildcard has them searched. Null: not known.
  std::shared_ptr<const SeenFolders> folders;
  std::vector<std::string> repositories;  // folders that hold a `.git`, at the start
  std::shared_ptr<const AccessRules> rules;
  // What made it, freed with it: before the command starts there is no time for that.
  std::shared_ptr<const void> planner;

  // One line a row: mechanism, path, errno, rule. Stable: the journal stores it, golden tests
  // compare it.
  std::string text() const;
};

// Fails (invalid) where a rule cannot be kept at all: a workspace that is no folder or lies in
// Ward's own folders, a denied file that has another name which no rule explains.
Result<PathPlan> plan_paths(const policy::Filesystem& filesystem, const HostContext& host,
                            const WalkCache* cache = nullptr);

}  // namespace ward::confine
