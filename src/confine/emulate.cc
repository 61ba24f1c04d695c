// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/emulate.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sys/raw.h"
#include "sys/seccomp_notify.h"

namespace ward::confine {

namespace {

// The process's umask is the caller's while this lives.
class UmaskOf {
 public:
  explicit UmaskOf(mode_t mask) : before_(::umask(mask)) {}
  ~UmaskOf() { ::umask(before_); }
  UmaskOf(const UmaskOf&) = delete;
  UmaskOf& operator=(const UmaskOf&) = delete;

 private:
  mode_t before_;
};

std::array<char, 32> own_link(int fd) {
  std::array<char, 32> path;
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
  return path;
}

// The name is a mount point of the sandbox: a pin, a mask, a read-only row.
bool is_mounted_on(const Place& place) {
  if (!place.exists()) return false;
  struct statx status = {};
  if (::statx(place.object.get(), "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, 0, &status) != 0)
    return true;
  return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool wants_write(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0; }

Result<Reply> outcome(long value) {
  if (value < 0) return Reply::failure(errno);
  return Reply::done();
}

bool on_kernel_file_system(int fd) {
  struct statfs fs = {};
  if (::fstatfs(fd, &fs) != 0) return true;
  return fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC ||
         fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC;
}

bool folds_case(int folder) {
  constexpr std::int64_t kFolding[] = {0x4d44 /* vfat */,
                                       0x2011bab0 /* exfat */,
                                       0x7366746e /* ntfs3 */,
                                       0xff534d42 /* cifs */,
                                       0xfe534d42 /* smb2 */,
                                       0x482b /* hfsplus */,
                                       0x01021997 /* 9p: a host's disk */};
  struct statfs fs = {};
  if (::fstatfs(folder, &fs) != 0) return true;
  if (std::find(std::begin(kFolding), std::end(kFolding), fs.f_type) != std::end(kFolding))
    return true;
  // Elsewhere a folder may have the attribute. One that cannot be read is taken to have it.
  int flags = 0;
  UniqueFd open(::open(own_link(folder).data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open.valid()) return true;
  return ::ioctl(open.get(), FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL) != 0;
}

Result<Reply> gone() { return fail_errno(ENOENT, "the caller is gone"); }

constexpr unsigned kTerminalMajor = 136;  // pseudo-terminals, UNIX98

// What /dev/tty means for the caller: the supervisor's own terminal must never go inside.
Result<UniqueFd> callers_terminal(pid_t tid, int root) {
  WARD_ASSIGN(std::uint64_t device, sys::remote_terminal(tid));
  unsigned major_number = (device >> 8U) & 0xfffU;
  unsigned minor_number = static_cast<unsigned>((device & 0xffU) | ((device >> 12U) & 0xfff00U));
  if (major_number != kTerminalMajor) return fail_errno(ENXIO, "no controlling terminal");
  std::string path = "dev/pts/" + std::to_string(minor_number);
  WARD_ASSIGN(UniqueFd terminal, sys::open_at(root, path, O_PATH | O_NOFOLLOW));
  WARD_ASSIGN(struct stat status, sys::stat_fd(terminal.get()));
  if (!S_ISCHR(status.st_mode) || major(status.st_rdev) != kTerminalMajor)
    return fail_errno(ENXIO, "no controlling terminal");
  return terminal;
}

}  // namespace

struct Emulator::Act {
  const Caller& caller;
  const PathCall& call;
  CallerView& view;
  const OnRefusal& refuse;

  // The id of a thread that died may be another's by now: what was read and opened is the caller's
  // only if it still waits.
  bool still_waits() const { return sys::notification_valid(caller.listener, caller.id); }
  Result<Place> resolve(const PathCall::Target& target, LastLink last) const {
    WARD_ASSIGN(std::string path, view.path_at(target.address));
    return view.resolve(target.dirfd, path, last);
  }
};

Result<Folder> folder_of(const Place& place) {
  WARD_ASSIGN(struct stat status, sys::stat_fd(place.folder.get()));
  return Folder{sys::object_id(status), inner_path(place.folder.get()),
                folds_case(place.folder.get())};
}

std::optional<Reply> Emulator::check_new(Act& act, const Place& place) const {
  if (place.exists() || !place.folder.valid()) return std::nullopt;
  Result<Folder> folder = folder_of(place);
  if (!folder) return Reply::failure(EACCES);
  if (guard_.concerns(place.name)) {
    if (std::optional<Refusal> refusal = guard_.creation(*folder, place.name)) {
      act.refuse(place, *refusal);
      return Reply::failure(EACCES);
    }
  }
  if (!folder->path.empty() && !guard_.writable(inner_path(place))) return Reply::failure(EACCES);
  notes_.on_name(place);
  return std::nullopt;
}

std::optional<Reply> Emulator::check_gone(Act& act, const Place& place) const {
  if (!place.exists() || !place.folder.valid()) return std::nullopt;
  Result<Folder> folder = folder_of(place);
  if (!folder) return Reply::failure(EACCES);
  if (guard_.concerns(place.name)) {
    if (std::optional<Refusal> refusal = guard_.removal(*folder, place.name)) {
      act.refuse(place, *refusal);
      return Reply::failure(EACCES);
    }
  }
  if (!folder->path.empty() && !guard_.writable(inner_path(place))) return Reply::failure(EACCES);
  return std::nullopt;
}

Result<Reply> Emulator::perform(const Caller& caller, const PathCall& call, CallerView& view,
                                const OnRefusal& refuse) {
  Act act{caller, call, view, refuse};
  switch (call.kind) {
    case PathCall::Kind::open: return open(act);
    case PathCall::Kind::mkdir:
    case PathCall::Kind::mknod:
    case PathCall::Kind::symlink: return make(act);
    case PathCall::Kind::rename: return rename(act);
    case PathCall::Kind::link: return link(act);
    case PathCall::Kind::remove: return remove(act);
    case PathCall::Kind::change:
    case PathCall::Kind::execute:
    case PathCall::Kind::enter: break;
  }
  return Reply::proceed();
}

Result<Reply> Emulator::open(Act& act) {
  int flags = act.call.flags;
  bool keeps_link = (flags & (O_EXCL | O_NOFOLLOW)) != 0;
  WARD_ASSIGN(Place place,
              act.resolve(act.call.first, keeps_link ? LastLink::keep : LastLink::follow));
  if (std::optional<Reply> refused = check_new(act, place)) return std::move(*refused);
  bool exists = place.exists();
  bool plain = !exists || S_ISREG(place.status.st_mode) || S_ISDIR(place.status.st_mode) ||
               S_ISLNK(place.status.st_mode) || (flags & O_EXCL) != 0;
  if (exists && (flags & O_EXCL) == 0) {
    if (on_kernel_file_system(place.object.get())) return Reply::failure(EACCES);
    if (wants_write(flags)) {
      if (S_ISREG(place.status.st_mode)) notes_.on_name(place);
      std::string path = inner_path(place);
      bool device = S_ISCHR(place.status.st_mode) || S_ISFIFO(place.status.st_mode);
      if (!path.empty() && path.front() == '/' && !device && !guard_.writable(path))
        return Reply::failure(EACCES);
    }
  }
  if (!place.folder.valid() || !plain) return open_object(act, place);
  return open_name(act, place);
}

// An object that was found: a device, a FIFO, or what a link of /proc leads to.
Result<Reply> Emulator::open_object(Act& act, const Place& place) {
  int flags = act.call.flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
  int object = place.object.get();
  UniqueFd terminal;
  if (S_ISCHR(place.status.st_mode) && place.status.st_rdev == makedev(5, 0)) {
    WARD_ASSIGN(UniqueFd root, sys::open_remote_root(act.caller.tid));
    WARD_ASSIGN(terminal, callers_terminal(act.caller.tid, root.get()));
    object = terminal.get();
  }
  if (!act.still_waits()) return gone();
  if (S_ISFIFO(place.status.st_mode) && (flags & O_NONBLOCK) == 0)
    return open_by_worker(act, object, flags);
  Result<UniqueFd> fd = sys::open_path(own_link(object).data(), flags | O_NOCTTY | O_NONBLOCK);
  if (!fd && fd.error().os_errno() == EWOULDBLOCK && (flags & O_NONBLOCK) == 0)
    return open_by_worker(act, object, flags);
  if (!fd) return Reply::failure(fd.error().os_errno());
  if ((flags & O_NONBLOCK) == 0) {
    int set = ::fcntl(fd->get(), F_GETFL);
    ::fcntl(fd->get(), F_SETFL, set & ~O_NONBLOCK);
  }
  Reply reply;
  reply.kind = Reply::Kind::descriptor;
  reply.fd = std::move(*fd);
  reply.fd_flags = act.call.flags & O_CLOEXEC;
  return reply;
}

Result<Reply> Emulator::open_by_worker(Act& act, int object, int flags) {
  int fd_flags = act.call.flags & O_CLOEXEC;
  auto job = [object, flags, fd_flags] {
    Result<UniqueFd> fd = sys::open_path(own_link(object).data(), flags | O_NOCTTY);
    if (!fd) return Reply::failure(fd.error().os_errno());
    Reply reply;
    reply.kind = Reply::Kind::descriptor;
    reply.fd = std::move(*fd);
    reply.fd_flags = fd_flags;
    return reply;
  };
  const int keep[] = {object};
  WARD_TRY(workers_.start(act.caller, keep, job));
  return Reply::deferred();
}

Result<Reply> Emulator::open_name(Act& act, Place& place) {
  WARD_ASSIGN(sys::RemoteStatus status, act.view.status());
  if (!act.still_waits()) return gone();
  int flags = act.call.flags;
  Result<UniqueFd> fd = [&] {
    UmaskOf umask(status.umask);
    // The link, if there was one, has been followed; one that is there now came from outside.
    return sys::open_at(place.folder.get(), place.name_as_given(),
                        flags | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, act.call.mode);
  }();
  if (!fd && fd.error().os_errno() == EWOULDBLOCK && place.exists() && (flags & O_NONBLOCK) == 0)
    return open_by_worker(act, place.object.get(), flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW));
  if (!fd) return Reply::failure(fd.error().os_errno());
  if ((flags & O_NONBLOCK) == 0) {
    int set = ::fcntl(fd->get(), F_GETFL);
    ::fcntl(fd->get(), F_SETFL, set & ~O_NONBLOCK);
  }
  Reply reply;
  reply.kind = Reply::Kind::descriptor;
  reply.fd = std::move(*fd);
  reply.fd_flags = flags & O_CLOEXEC;
  if (!place.exists()) {
    int folder = place.folder.get();
    auto held = std::make_shared<Place>(std::move(place));
    reply.undo = [held, folder] { ::unlinkat(folder, held->name.c_str(), 0); };
  }
  return reply;
}

Result<Reply> Emulator::make(Act& act) {
  const PathCall& call = act.call;
  std::string text;
  if (call.kind == PathCall::Kind::symlink) {
    WARD_ASSIGN(text, act.view.path_at(call.text));
  }
  WARD_ASSIGN(Place place, act.resolve(call.first, LastLink::keep));
  if (std::optional<Reply> refused = check_new(act, place)) return std::move(*refused);
  WARD_ASSIGN(sys::RemoteStatus status, act.view.status());
  if (!act.still_waits()) return gone();
  UmaskOf umask(status.umask);
  std::string name = place.name_as_given();
  int folder = place.folder.get();
  if (call.kind == PathCall::Kind::symlink)
    return outcome(::symlinkat(text.c_str(), folder, name.c_str()));
  if (call.kind == PathCall::Kind::mkdir)
    return outcome(::mkdirat(folder, name.c_str(), call.mode));
  return outcome(::mknodat(folder, name.c_str(), call.mode, static_cast<dev_t>(call.device)));
}

Result<Reply> Emulator::rename(Act& act) {
  WARD_ASSIGN(Place from, act.resolve(act.call.first, LastLink::keep));
  WARD_ASSIGN(Place to, act.resolve(act.call.second, LastLink::keep));
  // The kernel looks for mounts in the caller's namespace, and the caller is the supervisor here.
  if (is_mounted_on(from) || is_mounted_on(to)) return Reply::failure(EBUSY);
  if (std::optional<Reply> refused = check_gone(act, from)) return std::move(*refused);
  if (std::optional<Reply> refused = check_gone(act, to)) return std::move(*refused);
  if (std::optional<Reply> refused = check_new(act, to)) return std::move(*refused);
  notes_.on_name(to);
  notes_.on_moved(from);
  if (!act.still_waits()) return gone();
  return outcome(::syscall(SYS_renameat2, from.folder.get(), from.name_as_given().c_str(),
                           to.folder.get(), to.name_as_given().c_str(), act.call.flags));
}

Result<Reply> Emulator::link(Act& act) {
  constexpr int kKnown = AT_SYMLINK_FOLLOW | AT_EMPTY_PATH;
  if ((act.call.flags & ~kKnown) != 0) return Reply::failure(EINVAL);
  WARD_ASSIGN(std::string path, act.view.path_at(act.call.first.address));
  WARD_ASSIGN(Place to, act.resolve(act.call.second, LastLink::keep));
  if (std::optional<Reply> refused = check_new(act, to)) return std::move(*refused);
  if (path.empty() && (act.call.flags & AT_EMPTY_PATH) != 0) {
    WARD_ASSIGN(UniqueFd object, sys::copy_remote_descriptor(act.caller.tid, act.call.first.dirfd));
    if (!act.still_waits()) return gone();
    return outcome(::linkat(AT_FDCWD, own_link(object.get()).data(), to.folder.get(),
                            to.name_as_given().c_str(), AT_SYMLINK_FOLLOW));
  }
  bool follow = (act.call.flags & AT_SYMLINK_FOLLOW) != 0;
  WARD_ASSIGN(Place from, act.view.resolve(act.call.first.dirfd, path,
                                           follow ? LastLink::follow : LastLink::keep));
  if (!act.still_waits()) return gone();
  if (from.folder.valid())
    return outcome(::linkat(from.folder.get(), from.name_as_given().c_str(), to.folder.get(),
                            to.name_as_given().c_str(), 0));
  return outcome(::linkat(AT_FDCWD, own_link(from.object.get()).data(), to.folder.get(),
                          to.name_as_given().c_str(), AT_SYMLINK_FOLLOW));
}

Result<Reply> Emulator::remove(Act& act) {
  WARD_ASSIGN(Place place, act.resolve(act.call.first, LastLink::keep));
  if (is_mounted_on(place)) return Reply::failure(EBUSY);
  if (std::optional<Reply> refused = check_gone(act, place)) return std::move(*refused);
  if (!act.still_waits()) return gone();
  return outcome(::unlinkat(place.folder.get(), place.name_as_given().c_str(), act.call.flags));
}

// The kernel keeps the address as it was given, and tells it to whoever asks; it is therefore bound
// by a worker in the caller's own view, and not through a descriptor of the supervisor.
Result<Reply> Emulator::bind_to_path(const Caller& caller, CallerView& view, UniqueFd socket,
                                     const std::string& address, const OnRefusal& refuse) {
  const char* start = address.data() + offsetof(struct sockaddr_un, sun_path);
  std::string path(start,
                   ::strnlen(start, address.size() - offsetof(struct sockaddr_un, sun_path)));
  PathCall call;
  call.kind = PathCall::Kind::mknod;
  Act act{caller, call, view, refuse};
  WARD_ASSIGN(Place place, view.resolve(AT_FDCWD, path, LastLink::keep));
  if (place.exists()) return Reply::failure(EADDRINUSE);
  if (std::optional<Reply> refused = check_new(act, place)) return std::move(*refused);
  WARD_ASSIGN(sys::RemoteStatus status, view.status());
  WARD_ASSIGN(UniqueFd cwd, sys::open_remote_cwd(caller.tid));
  WARD_ASSIGN(UniqueFd pidfd, sys::open_pidfd(status.process));
  if (!act.still_waits()) return gone();
  auto job = [&, fd = socket.get()] {
    // The caller has no capability; entering its user namespace gave the worker all of them.
    if (::setns(pidfd.get(), CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        sys::raw::drop_bounding_set() < 0 || sys::raw::drop_capabilities() < 0 ||
        ::fchdir(cwd.get()) != 0)
      return Reply::failure(EACCES);
    ::umask(status.umask);
    if (::bind(fd, reinterpret_cast<const struct sockaddr*>(address.data()),
               static_cast<socklen_t>(address.size())) != 0)
      return Reply::failure(errno);
    return Reply::done();
  };
  const int keep[] = {pidfd.get(), cwd.get(), socket.get()};
  WARD_TRY(workers_.run(caller, keep, job));
  return Reply::deferred();
}

}  // namespace ward::confine
