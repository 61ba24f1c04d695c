// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// One probe a feature, each in a child of its own that may ruin itself. A probe answers with the
// errno of the call that failed, or 0.
#include "sys/features.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "sys/feature_cause.h"
#include "sys/raw.h"
#include "sys/uapi.h"

namespace ward::sys {
namespace {

int error_of(long value) { return value < 0 ? static_cast<int>(-value) : 0; }
int error_of_call(long value) { return value < 0 ? errno : 0; }

bool write_text(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool written =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  return written;
}

// A user namespace with this user's own id in it, as a sandbox has. AppArmor may let it be made and
// then take its capabilities away, so a probe of it ends with the use of one.
int enter_user_namespace() {
  const std::string uid = std::to_string(::geteuid());
  const std::string gid = std::to_string(::getegid());
  if (const int error = error_of(raw::unshare(CLONE_NEWUSER))) return error;
  if (!write_text("/proc/self/setgroups", "deny")) return errno;
  if (!write_text("/proc/self/uid_map", uid + " " + uid + " 1")) return errno;
  if (!write_text("/proc/self/gid_map", gid + " " + gid + " 1")) return errno;
  return 0;
}

int enter(int namespaces) {
  if (const int error = enter_user_namespace()) return error;
  return error_of(raw::unshare(namespaces));
}

int enter_mount_namespace() {
  if (const int error = enter(CLONE_NEWNS)) return error;
  return error_of_call(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
}

int status_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

int in_pid_namespace(int (*act)()) {
  if (const int error = enter(CLONE_NEWPID | CLONE_NEWNS)) return error;
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(act());
  return status_of(child);
}

int probe_user_namespace() {
  if (const int error = enter_user_namespace()) return error;
  if (const int error = error_of(raw::unshare(CLONE_NEWUTS))) return error;
  return error_of_call(::sethostname("ward", 4));
}
int probe_pid_namespace() {
  return in_pid_namespace([] { return ::getpid() == 1 ? 0 : EIO; });
}
int probe_net_namespace() {
  if (const int error = enter(CLONE_NEWNET)) return error;
  return error_of(raw::loopback_up());
}
int probe_ipc_namespace() { return enter(CLONE_NEWIPC); }
int probe_uts_namespace() { return enter(CLONE_NEWUTS); }
int probe_cgroup_namespace() { return enter(CLONE_NEWCGROUP); }

int landlock_with(int abi) {
  const long found =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (found < 0) return errno;
  return found >= abi ? 0 : ENOSYS;
}
int probe_landlock() { return landlock_with(2); }
int probe_landlock_scoping() { return landlock_with(6); }

// Installs a filter that allows everything; the listener, or the negative errno.
long install_filter(unsigned flags) {
  struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  const struct sock_fprog program = {1, &allow};
  if (const int error = error_of(raw::prctl(PR_SET_NO_NEW_PRIVS, 1))) return -error;
  return raw::value_or_errno(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}
int probe_seccomp_filter() { return error_of(install_filter(0)); }
int probe_seccomp_notify() { return error_of(install_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER)); }
int probe_wait_killable() {
  return error_of(
      install_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV));
}
int probe_sync_wake_up() {
  const long listener = install_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (listener < 0) return error_of(listener);
  return error_of_call(::ioctl(static_cast<int>(listener), uapi::kSeccompNotifSetFlags,
                               uapi::kSeccompNotifSyncWakeUp));
}

int probe_mount_setattr() {
  if (const int error = enter_mount_namespace()) return error;
  return error_of(raw::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, MOUNT_ATTR_RDONLY, 0));
}
int probe_open_tree() {
  if (const int error = enter_mount_namespace()) return error;
  const long tree =
      raw::open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (tree < 0) return error_of(tree);
  return error_of(
      raw::move_mount(static_cast<int>(tree), "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH));
}
int probe_tmpfs() {
  if (const int error = enter_mount_namespace()) return error;
  return error_of_call(::mount("ward", "/dev", "tmpfs", MS_NOSUID | MS_NODEV, nullptr));
}
int probe_overlay() {
  if (const int error = probe_tmpfs()) return error;
  for (const char* const dir : {"/dev/lower", "/dev/upper", "/dev/work", "/dev/merged"})
    if (::mkdir(dir, 0700) != 0) return errno;
  return error_of_call(
      ::mount("ward", "/dev/merged", "overlay", 0,
              "lowerdir=/dev/lower,upperdir=/dev/upper,workdir=/dev/work,userxattr"));
}
int probe_devpts() {
  if (const int error = enter_mount_namespace()) return error;
  return error_of_call(::mount("ward", "/dev", "devpts", MS_NOSUID | MS_NOEXEC,
                               "newinstance,ptmxmode=0666,mode=0620"));
}
int probe_proc() {
  return in_pid_namespace([] {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
    return error_of_call(
        ::mount("ward", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
  });
}

int probe_pidfd_getfd() {
  const int self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (self < 0) return errno;
  const int own = ::open("/", O_PATH | O_CLOEXEC);
  return error_of_call(::syscall(SYS_pidfd_getfd, self, own, 0));
}
int probe_clone3() {
  struct clone_args args = {};
  args.exit_signal = SIGCHLD;
  const long child = ::syscall(SYS_clone3, &args, sizeof args);
  if (child < 0) return errno;
  if (child == 0) ::_exit(0);
  return status_of(static_cast<pid_t>(child));
}
int probe_close_range() { return error_of(raw::close_range(~0U - 1, ~0U, 0)); }
int probe_openat2() {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return error_of_call(::syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how));
}
int probe_memfd() { return error_of_call(::memfd_create("ward", MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

struct Probe {
  Feature feature;
  const char* what;
  int (*run)();
};

constexpr std::array<Probe, kFeatureCount> kProbes = {{
    {Feature::user_namespace, "unshare(CLONE_NEWUSER), then sethostname", probe_user_namespace},
    {Feature::mount_namespace, "unshare(CLONE_NEWNS), then mount", enter_mount_namespace},
    {Feature::pid_namespace, "unshare(CLONE_NEWPID), then fork", probe_pid_namespace},
    {Feature::net_namespace, "unshare(CLONE_NEWNET), then loopback up", probe_net_namespace},
    {Feature::ipc_namespace, "unshare(CLONE_NEWIPC)", probe_ipc_namespace},
    {Feature::uts_namespace, "unshare(CLONE_NEWUTS)", probe_uts_namespace},
    {Feature::cgroup_namespace, "unshare(CLONE_NEWCGROUP)", probe_cgroup_namespace},
    {Feature::landlock, "landlock_create_ruleset(VERSION) >= 2", probe_landlock},
    {Feature::landlock_scoping, "landlock_create_ruleset(VERSION) >= 6", probe_landlock_scoping},
    {Feature::seccomp_filter, "seccomp(SET_MODE_FILTER)", probe_seccomp_filter},
    {Feature::seccomp_notify, "seccomp(SET_MODE_FILTER, NEW_LISTENER)", probe_seccomp_notify},
    {Feature::seccomp_wait_killable, "seccomp(SET_MODE_FILTER, WAIT_KILLABLE_RECV)",
     probe_wait_killable},
    {Feature::seccomp_sync_wake_up, "ioctl(NOTIF_SET_FLAGS, SYNC_WAKE_UP)", probe_sync_wake_up},
    {Feature::mount_setattr, "mount_setattr(/, AT_RECURSIVE, RDONLY)", probe_mount_setattr},
    {Feature::open_tree, "open_tree(/, CLONE), then move_mount", probe_open_tree},
    {Feature::overlay, "mount(overlay, userxattr)", probe_overlay},
    {Feature::tmpfs_mount, "mount(tmpfs)", probe_tmpfs},
    {Feature::devpts_mount, "mount(devpts, newinstance)", probe_devpts},
    {Feature::proc_mount, "mount(proc) in a pid namespace", probe_proc},
    {Feature::pidfd_getfd, "pidfd_getfd(self)", probe_pidfd_getfd},
    {Feature::clone3, "clone3(SIGCHLD)", probe_clone3},
    {Feature::close_range, "close_range", probe_close_range},
    {Feature::openat2, "openat2(/, NO_SYMLINKS)", probe_openat2},
    {Feature::memfd, "memfd_create(ALLOW_SEALING)", probe_memfd},
}};

constexpr bool probes_are_in_order() {
  for (std::size_t i = 0; i < kProbes.size(); ++i)
    if (static_cast<std::size_t>(kProbes[i].feature) != i) return false;
  return true;
}
static_assert(probes_are_in_order());

int run_in_child(int (*probe)()) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(probe());
  return status_of(child);
}

}  // namespace

int landlock_abi() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

KernelFeatures KernelFeatures::probe() {
  KernelFeatures features;
  features.landlock_abi_ = sys::landlock_abi();
  for (const Probe& probe : kProbes) {
    FeatureState& state = features.states_[static_cast<std::size_t>(probe.feature)];
    state.probe = probe.what;
    state.os_errno = run_in_child(probe.run);
    state.available = state.os_errno == 0;
    if (state.available) continue;
    Cause cause = cause_of(probe.feature, state.os_errno, read_facts(probe.feature));
    state.cause = std::move(cause.cause);
    state.remedy = std::move(cause.remedy);
  }
  return features;
}

}  // namespace ward::sys
