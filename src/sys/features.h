// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelFeatures: what this machine's kernel lets this user do, found by trying each thing once in
// a short-lived child; no version is compared. Probing costs tens of milliseconds, so only `ward
// doctor` and the explanation of a failed set-up step do it; a run tries the real thing at once and
// asks explain_failure() when it fails. Immutable value after probe(). probe() forks: call it from
// a single-threaded process. Sources: namespaces(7), landlock(7), seccomp_unotify(2),
// mount_setattr(2), pidfd_getfd(2), clone3 in clone(2).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ward::sys {

enum class Feature : unsigned char {
  user_namespace,
  mount_namespace,
  pid_namespace,
  net_namespace,
  ipc_namespace,
  uts_namespace,
  cgroup_namespace,
  landlock,          // ABI 2 or later
  landlock_scoping,  // ABI 6: signals and abstract sockets
  seccomp_filter,
  seccomp_notify,         // user notification with SECCOMP_USER_NOTIF_FLAG_CONTINUE
  seccomp_wait_killable,  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
  seccomp_sync_wake_up,   // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
  mount_setattr,          // recursive
  open_tree,              // open_tree(2) and move_mount(2)
  overlay,                // overlayfs mounted in a user namespace, with userxattr
  tmpfs_mount,            // the next three: mounted in a user namespace
  devpts_mount,
  proc_mount,
  pidfd_getfd,
  clone3,
  close_range,
  openat2,
  memfd,
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::memfd) + 1;

// As written in `ward doctor --json`: "user_namespace".
std::string_view name_of(Feature feature);
// What it is for, for a person: "hides the other processes of this machine".
std::string_view purpose_of(Feature feature);

struct FeatureState {
  bool available = false;
  int os_errno = 0;    // of the call that failed
  std::string probe;   // what was tried: "unshare(CLONE_NEWUSER)"
  std::string cause;   // why it is not available, as far as it was found out
  std::string remedy;  // what the reader can do about it
};

class KernelFeatures {
 public:
  static KernelFeatures probe();
  const FeatureState& operator[](Feature feature) const {
    return states_[static_cast<std::size_t>(feature)];
  }
  bool has(Feature feature) const { return (*this)[feature].available; }
  int landlock_abi() const { return landlock_abi_; }

 private:
  KernelFeatures() = default;
  std::array<FeatureState, kFeatureCount> states_;
  int landlock_abi_ = 0;
};

// The highest Landlock ABI of this kernel, 0 where it has none or it is not enabled. One system
// call.
int landlock_abi();

// Why `op` (as in "unshare the user namespace"), which needs `feature`, failed with `os_errno`, and
// what to do about it. Looks at the machine's settings and probes where that tells more; slow, and
// meant for the way out. Without a better cause the error is that of the errno alone.
Error explain_failure(Feature feature, int os_errno, std::string op);

}  // namespace ward::sys
