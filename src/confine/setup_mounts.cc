// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The mount steps of init. Everything is done on descriptors: the object that the plan resolved is
// opened without following any link, compared by device and inode, and mounted on, so that a
// program that swaps a folder for a link while a sandbox starts cannot move a mask elsewhere.
#include <sys/mount.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <span>

#include "confine/setup.h"
#include "sys/raw.h"

namespace ward::confine {

namespace raw = sys::raw;

namespace {

constexpr unsigned kClone = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
constexpr unsigned kOntoEmptyPath = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
constexpr std::uint64_t kInert = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::uint64_t kMaskAttributes = MOUNT_ATTR_RDONLY | kInert | MOUNT_ATTR_NOEXEC;

// Folders of the scratch file system. It is first mounted on /tmp, then covered by its own `tmp`.
struct ScratchFolder {
  const char* name;
  mode_t mode;
};
constexpr ScratchFolder kScratchFolders[] = {
    {"tmp", 01777}, {"var-tmp", 01777}, {"shm", 01777},     {"run", 0755},
    {"dev", 0755},  {"mask", 0755},     {"skeleton", 0755},
};

// Device nodes that every program may use. The host's own are mounted: an ordinary user cannot make
// new ones, and the whole host /dev would hand root the disks.
constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom", "tty"};
constexpr std::size_t kDeviceCount = std::size(kDevices);
int device_trees[kDeviceCount];

struct DeviceLink {
  const char* name;
  const char* target;
};
constexpr DeviceLink kDeviceLinks[] = {
    {"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"},
};

// Parts of /proc and /sys that belong to the whole machine. Inside a user namespace they are
// checked against the caller's real uid: root without any capability could still write
// /proc/sys/kernel/core_pattern and have the host run a program for it.
struct MachineFile {
  const char* path;
  bool hide;  // otherwise read-only
};
constexpr MachineFile kMachineFiles[] = {
    {"/proc/sys", false},
    {"/proc/sysrq-trigger", false},
    {"/proc/irq", false},
    {"/proc/bus", false},
    {"/proc/fs", false},
    {"/proc/acpi", true},
    {"/proc/kcore", true},
    {"/proc/keys", true},
    {"/proc/kmsg", true},
    {"/proc/latency_stats", true},
    {"/proc/timer_list", true},
    {"/proc/scsi", true},
    {"/proc/sched_debug", true},
    {"/sys/firmware", true},
    {"/sys/kernel/debug", true},
    {"/sys/kernel/tracing", true},
    {"/sys/kernel/security", true},
    {"/sys/fs/bpf", true},
};

bool needs_host_tree(const SetupRow& row) {
  return row.kind == SetupRow::Kind::writable || row.kind == SetupRow::Kind::read_only ||
         row.kind == SetupRow::Kind::overlay;
}

// Opens what `row` names and makes sure that it is what the plan saw.
long open_row(const SetupRow& row) {
  long fd = raw::open_no_links(row.path, O_PATH);
  if (fd < 0 || row.object == sys::ObjectId{}) return fd;
  struct stat status = {};
  if (::fstat(static_cast<int>(fd), &status) != 0 || sys::object_id(status) != row.object) {
    raw::close(static_cast<int>(fd));
    return -ESTALE;
  }
  return fd;
}

long make_mount_point(const SetupRow& row) {
  char path[PATH_MAX];
  std::size_t size = std::strlen(row.path) + 1;
  if (size > sizeof path) return -ENAMETOOLONG;
  std::memcpy(path, row.path, size);
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr;
       slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    long status = raw::mkdirat(AT_FDCWD, path, 0755);
    *slash = '/';
    if (status < 0 && status != -EEXIST && status != -EROFS) return status;
  }
  if (row.directory) {
    long status = raw::mkdirat(AT_FDCWD, path, 0755);
    return status == -EEXIST ? 0 : status;
  }
  // Not by open(2): a FIFO that stands there already would have it wait for ever.
  long status = raw::value_or_errno(::mknodat(AT_FDCWD, path, S_IFREG, 0));
  return status == -EEXIST ? 0 : status;
}

// Moves the detached `tree` onto the object that `target` refers to; closes both.
long attach(long tree, long target) {
  if (tree >= 0 && target >= 0) {
    long status =
        raw::move_mount(static_cast<int>(tree), "", static_cast<int>(target), "", kOntoEmptyPath);
    raw::close(static_cast<int>(tree));
    raw::close(static_cast<int>(target));
    return status;
  }
  long status = tree < 0 ? tree : target;
  if (tree >= 0) raw::close(static_cast<int>(tree));
  if (target >= 0) raw::close(static_cast<int>(target));
  return status;
}

long clone_of_scratch(const InitState& state, const char* name) {
  return raw::open_tree(state.scratch, name, kClone);
}

long hide(const InitState& state, bool directory, long target) {
  if (target < 0) return target;
  return attach(clone_of_scratch(state, directory ? "mask/folder" : "mask/file"), target);
}

long build_skeleton(const InitState& state, const SetupRow& row, const char* name) {
  long status = raw::mkdirat(state.scratch, name, 0755);
  if (status < 0) return status;
  long folder = raw::openat(state.scratch, name, O_PATH | O_DIRECTORY);
  if (folder < 0) return folder;
  int at = static_cast<int>(folder);
  for (const SetupStub& stub : row.stubs) {
    if (stub.link[0] != '\0') {
      status = raw::symlinkat(stub.link, at, stub.name);
    } else if (stub.directory) {
      status = raw::mkdirat(at, stub.name, stub.revealed ? 0755 : 0);
    } else {
      status = raw::openat(at, stub.name, O_CREAT | O_EXCL | O_RDONLY, 0);
      if (status >= 0) status = raw::close(static_cast<int>(status));
    }
    if (status < 0) break;
  }
  raw::close(at);
  return status < 0 ? status : 0;
}

// A root of our own: the skeleton becomes "/" and the old root stays mounted on top of it, out of
// the way of lookups, until the rows have taken from it what they need (enter_root).
long begin_root(InitState& state, const SetupRow& row) {
  long status = build_skeleton(state, row, "root");
  if (status < 0) return status;
  status = attach(clone_of_scratch(state, "root"),
                  raw::openat(state.scratch, "root", O_PATH | O_DIRECTORY));
  if (status < 0) return status;
  long old_root = raw::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
  if (old_root < 0) return old_root;
  state.old_root = static_cast<int>(old_root);
  if (::fchdir(state.scratch) != 0 || ::chdir("root") != 0) return -errno;
  return raw::pivot_root(".", ".");
}

long mount_skeleton(InitState& state, const SetupRow& row) {
  char name[48];
  std::snprintf(name, sizeof name, "skeleton/%d", state.detail);
  if (std::strcmp(row.path, "/") == 0) return begin_root(state, row);
  long status = build_skeleton(state, row, name);
  if (status < 0) return status;
  long tree = clone_of_scratch(state, name);
  if (tree < 0) return tree;
  status =
      raw::mount_setattr(static_cast<int>(tree), "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY | kInert, 0);
  if (status < 0) {
    raw::close(static_cast<int>(tree));
    return status;
  }
  // The mount point may be a stub of an enclosing skeleton instead of the object of the plan.
  return attach(tree, raw::open_no_links(row.path, O_PATH));
}

long pin(long target) {
  if (target < 0) return target;
  return attach(raw::open_tree(static_cast<int>(target), "", kClone | AT_EMPTY_PATH | AT_RECURSIVE),
                target);
}

long make_file(const InitState& state, const SetupRow& row, const char* name) {
  long fd = raw::openat(state.scratch, name, O_CREAT | O_EXCL | O_WRONLY, 0444);
  if (fd < 0) return fd;
  int file = static_cast<int>(fd);
  long size = raw::value_or_errno(::write(file, row.content.data(), row.content.size()));
  raw::close(file);
  if (size < 0) return size;
  long tree = clone_of_scratch(state, name);
  if (tree < 0) return tree;
  long status = raw::mount_setattr(static_cast<int>(tree), "", AT_EMPTY_PATH, kMaskAttributes, 0);
  if (status == 0) return tree;
  raw::close(static_cast<int>(tree));
  return status;
}

long mount_file(const InitState& state, const SetupRow& row) {
  char name[48];
  std::snprintf(name, sizeof name, "skeleton/%d", state.detail);
  return attach(make_file(state, row, name), raw::open_no_links(row.path, O_PATH));
}

long mount_row(InitState& state, std::size_t index) {
  const SetupRow& row = state.plan->rows[index];
  if (row.make_mount_point) {
    if (long status = make_mount_point(row); status < 0) return status;
  }
  switch (row.kind) {
    case SetupRow::Kind::private_folder:
      return attach(raw::open_tree(state.scratch, row.source, kClone | AT_RECURSIVE),
                    open_row(row));
    case SetupRow::Kind::hidden: {
      // What was there may be gone or replaced since the plan; whatever is there now is hidden.
      long target = raw::open_no_links(row.path, O_PATH);
      if (target == -ENOENT) return 0;
      return hide(state, row.directory, target);
    }
    case SetupRow::Kind::skeleton: return mount_skeleton(state, row);
    case SetupRow::Kind::file: return mount_file(state, row);
    case SetupRow::Kind::pin: return pin(raw::open_no_links(row.path, O_PATH));
    case SetupRow::Kind::overlay:
    case SetupRow::Kind::writable:
    case SetupRow::Kind::read_only: {
      long target = raw::open_no_links(row.path, O_PATH);
      long status = attach(state.plan->trees[index], target);
      state.plan->trees[index] = -1;
      return status;
    }
  }
  return -EINVAL;
}

long clone_host_tree(const SetupRow& row, long object) {
  long tree = raw::open_tree(static_cast<int>(object), "",
                             kClone | AT_EMPTY_PATH | (row.directory ? AT_RECURSIVE : 0U));
  if (tree < 0) return tree;
  std::uint64_t set = kInert;
  if (row.kind == SetupRow::Kind::read_only) set |= MOUNT_ATTR_RDONLY;
  long status =
      raw::mount_setattr(static_cast<int>(tree), "", AT_EMPTY_PATH | AT_RECURSIVE, set, 0);
  return status < 0 ? status : tree;
}

// The file whose changes are held: its copy stands for it.
long clone_copy(const SetupRow& row) {
  long copy = raw::open_no_links(row.upper, O_PATH);
  if (copy < 0) return copy;
  long tree = clone_host_tree(row, copy);
  raw::close(static_cast<int>(copy));
  return tree;
}

// A folder of an overlay goes by its descriptor: its path may hold the separators of the option.
long set_folder(int overlay, const char* option, long folder) {
  if (folder < 0) return folder;
  char path[48];
  std::snprintf(path, sizeof path, "/proc/self/fd/%ld", folder);
  return raw::fsconfig_string(overlay, option, path);
}

long make_overlay(const SetupRow& row, long object) {
  long fs = raw::fsopen("overlay");
  if (fs < 0) return fs;
  int overlay = static_cast<int>(fs);
  long upper = raw::open_no_links(row.upper, O_PATH | O_DIRECTORY);
  long work = raw::open_no_links(row.work, O_PATH | O_DIRECTORY);
  long status = set_folder(overlay, "lowerdir", object);
  if (status == 0) status = set_folder(overlay, "upperdir", upper);
  if (status == 0) status = set_folder(overlay, "workdir", work);
  if (status == 0) status = raw::fsconfig_flag(overlay, "userxattr");
  if (status == 0) status = raw::fsconfig_create(overlay);
  // Before Linux 6.5 an overlay looks its folders up only now.
  if (upper >= 0) raw::close(static_cast<int>(upper));
  if (work >= 0) raw::close(static_cast<int>(work));
  if (status == 0) status = raw::fsmount(overlay, kInert);
  raw::close(overlay);
  return status;
}

// Takes hold of the host's device nodes, and makes what stands beside them in `dev`.
long make_device_folder(int scratch) {
  long dev = raw::openat(scratch, "dev", O_PATH | O_DIRECTORY);
  if (dev < 0) return dev;
  int at = static_cast<int>(dev);
  for (std::size_t i = 0; i < kDeviceCount; ++i) {
    char path[32];
    std::snprintf(path, sizeof path, "/dev/%s", kDevices[i]);
    long tree = raw::open_tree(AT_FDCWD, path, kClone);
    device_trees[i] = static_cast<int>(tree);
    if (tree == -ENOENT) continue;
    if (tree < 0) return tree;
    long point = raw::openat(at, kDevices[i], O_CREAT | O_EXCL | O_RDONLY, 0);
    if (point < 0) return point;
    raw::close(static_cast<int>(point));
  }
  for (const DeviceLink& link : kDeviceLinks) {
    if (long status = raw::symlinkat(link.target, at, link.name); status < 0) return status;
  }
  for (const char* folder : {"pts", "shm"}) {
    if (long status = raw::mkdirat(at, folder, 0755); status < 0) return status;
  }
  return raw::close(at);
}

long mount_devices(const InitState& state) {
  long dev = raw::openat(state.scratch, "dev", O_PATH | O_DIRECTORY);
  if (dev < 0) return dev;
  int at = static_cast<int>(dev);
  for (std::size_t i = 0; i < kDeviceCount; ++i) {
    if (device_trees[i] < 0) continue;  // the host has no such node
    long status = attach(device_trees[i], raw::openat(at, kDevices[i], O_PATH | O_NOFOLLOW));
    if (status < 0) return status;
  }
  long status = attach(state.terminals, raw::openat(at, "pts", O_PATH | O_DIRECTORY));
  raw::close(at);
  return status;
}

struct MountOption {
  const char* key;
  const char* value;  // null for a flag
};

// A new file system of the kernel, mounted nowhere yet.
long make_file_system(const char* type, std::span<const MountOption> options, unsigned attributes) {
  long fs = raw::fsopen(type);
  if (fs < 0) return fs;
  int at = static_cast<int>(fs);
  long status = 0;
  for (const MountOption& option : options)
    if (status == 0)
      status = option.value == nullptr ? raw::fsconfig_flag(at, option.key)
                                       : raw::fsconfig_string(at, option.key, option.value);
  if (status == 0) status = raw::fsconfig_create(at);
  if (status == 0) status = raw::fsmount(at, attributes);
  raw::close(at);
  return status;
}

constexpr MountOption kScratchOptions[] = {{"mode", "0755"}, {"source", "ward"}};
constexpr MountOption kTerminalOptions[] = {
    {"ptmxmode", "0666"}, {"mode", "0620"}, {"newinstance", nullptr}};

// What is in the scratch file system whatever the plan says.
long fill_scratch(int scratch) {
  for (const ScratchFolder& folder : kScratchFolders) {
    long status = raw::mkdirat(scratch, folder.name, folder.mode);
    if (status < 0) return status;
  }
  long status = raw::mkdirat(scratch, "mask/folder", 0);
  if (status < 0) return status;
  status = raw::openat(scratch, "mask/file", O_CREAT | O_EXCL | O_RDONLY, 0);
  if (status < 0) return status;
  raw::close(static_cast<int>(status));
  return make_device_folder(scratch);
}

}  // namespace

long make_scratch(InitState& state) {
  long scratch = make_file_system("tmpfs", kScratchOptions, kInert);
  if (scratch < 0) return scratch;
  state.scratch = static_cast<int>(scratch);
  mode_t umask = ::umask(0);
  long status = fill_scratch(state.scratch);
  ::umask(umask);
  return status;
}

long make_terminals(InitState& state) {
  long pts = make_file_system("devpts", kTerminalOptions, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  state.terminals = static_cast<int>(pts);
  return pts;
}

long make_proc(InitState& state) {
  long proc = make_file_system("proc", {}, kInert | MOUNT_ATTR_NOEXEC);
  state.proc = static_cast<int>(proc);
  return proc;
}

long detach_trees(InitState& state) {
  for (std::size_t i = 0; i < state.plan->rows.size(); ++i) {
    const SetupRow& row = state.plan->rows[i];
    if (!needs_host_tree(row)) continue;
    state.detail = static_cast<std::int32_t>(i);
    long object = open_row(row);
    if (object < 0) return object;
    long tree = row.kind == SetupRow::Kind::overlay ? make_overlay(row, object)
                : row.upper[0] == '\0'              ? clone_host_tree(row, object)
                                                    : clone_copy(row);
    raw::close(static_cast<int>(object));
    if (tree < 0) return tree;
    state.plan->trees[i] = static_cast<int>(tree);
  }
  state.detail = -1;
  return 0;
}

long make_read_only(InitState& /*state*/) {
  return raw::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, MOUNT_ATTR_RDONLY | kInert, 0);
}

long mount_scratch(InitState& state) {
  long status = raw::move_mount(state.scratch, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH);
  if (status < 0) return status;
  // Clones of the masks inherit the attributes of this mount, which saves a call for each of them.
  long mask = raw::open_tree(state.scratch, "mask", kClone);
  if (mask < 0) return mask;
  status = raw::mount_setattr(static_cast<int>(mask), "", AT_EMPTY_PATH, kMaskAttributes, 0);
  if (status < 0) return status;
  status = attach(mask, raw::openat(state.scratch, "mask", O_PATH | O_DIRECTORY));
  return status < 0 ? status : mount_devices(state);
}

long mount_rows(InitState& state) {
  for (std::size_t i = 0; i < state.plan->rows.size(); ++i) {
    state.detail = static_cast<std::int32_t>(i);
    if (long status = mount_row(state, i); status < 0) return status;
  }
  state.detail = -1;
  return 0;
}

long mount_proc(InitState& state) {
  long status = attach(state.proc, raw::openat(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY));
  if (status < 0 || !state.plan->as_root) return status;
  for (const MachineFile& file : kMachineFiles) {
    long target = raw::openat(AT_FDCWD, file.path, O_PATH | O_NOFOLLOW);
    if (target == -ENOENT) continue;
    if (target < 0) return target;
    struct stat info = {};
    if (::fstat(static_cast<int>(target), &info) != 0) return -errno;
    if (file.hide) {
      status = hide(state, S_ISDIR(info.st_mode), target);
    } else {
      long tree =
          raw::open_tree(static_cast<int>(target), "", kClone | AT_EMPTY_PATH | AT_RECURSIVE);
      if (tree >= 0) {
        status = raw::mount_setattr(static_cast<int>(tree), "", AT_EMPTY_PATH | AT_RECURSIVE,
                                    MOUNT_ATTR_RDONLY | kInert | MOUNT_ATTR_NOEXEC, 0);
        if (status < 0) return status;
      }
      status = attach(tree, target);
    }
    if (status < 0) return status;
  }
  return 0;
}

long enter_root(InitState& state) {
  if (state.old_root < 0) return 0;
  if (::fchdir(state.old_root) != 0 || ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0)
    return -errno;
  raw::close(state.old_root);
  return raw::mount_setattr(AT_FDCWD, "/", 0, MOUNT_ATTR_RDONLY | kInert, 0);
}

}  // namespace ward::confine
