// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Kernel interface constants that are newer than the headers we build with. Each names the first
// Linux version that has it and the header it comes from; where the system's header has it too, a
// static_assert holds the two together. Constants only.
#pragma once

#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>

#include <cstdint>

namespace ward::sys::uapi {

// Linux 6.6, include/uapi/linux/seccomp.h
inline constexpr unsigned long kSeccompNotifSetFlags = _IOW('!', 4, std::uint64_t);
inline constexpr unsigned long kSeccompNotifSyncWakeUp = 1UL << 0U;
#ifdef SECCOMP_IOCTL_NOTIF_SET_FLAGS
static_assert(kSeccompNotifSetFlags == SECCOMP_IOCTL_NOTIF_SET_FLAGS);
static_assert(kSeccompNotifSyncWakeUp == SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
#endif

// Linux 6.9, include/uapi/linux/pidfd.h: a descriptor of one thread.
inline constexpr unsigned kPidfdThread = 0200;  // O_EXCL
#ifdef PIDFD_THREAD
static_assert(kPidfdThread == PIDFD_THREAD);
#endif

// include/uapi/linux/landlock.h
struct landlock_ruleset_attr {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;  // Linux 6.7, ABI 4
  std::uint64_t scoped = 0;              // Linux 6.12, ABI 6
};
inline constexpr std::uint64_t kLandlockFsRefer = 1ULL << 13U;             // Linux 5.19, ABI 2
inline constexpr std::uint64_t kLandlockFsTruncate = 1ULL << 14U;          // Linux 6.2, ABI 3
inline constexpr std::uint64_t kLandlockFsIoctlDev = 1ULL << 15U;          // Linux 6.10, ABI 5
inline constexpr std::uint64_t kLandlockScopeAbstractSocket = 1ULL << 0U;  // Linux 6.12, ABI 6
inline constexpr std::uint64_t kLandlockScopeSignal = 1ULL << 1U;          // Linux 6.12, ABI 6

// Call numbers, the same on every architecture since 424; arch/x86/entry/syscalls/syscall_64.tbl.
inline constexpr int kNrFchmodat2 = 452;     // Linux 6.6
inline constexpr int kNrOpenTreeAttr = 467;  // Linux 6.15
inline constexpr int kNrFileSetattr = 469;   // Linux 6.17
#ifdef SYS_fchmodat2
static_assert(kNrFchmodat2 == SYS_fchmodat2);
#endif

}  // namespace ward::sys::uapi
