// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// System call filters whose decisions a supervisor takes: installing one, and answering through its
// listener descriptor. install_filter() is async-signal-safe, for use between fork and exec; the
// rest belongs to the one thread that serves the listener. Sources: seccomp(2),
// seccomp_unotify(2) (Linux 5.0; SECCOMP_IOCTL_NOTIF_ADDFD 5.9, SECCOMP_ADDFD_FLAG_SEND 5.14,
// SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV 5.19, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 6.6).
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace ward::sys {

// Installs `program` on the calling thread and returns its listener, close-on-exec, or -errno.
// Without no_new_privs or CAP_SYS_ADMIN: -EACCES. If a listener exists already: -EBUSY. Where the
// kernel has it, only a fatal signal interrupts a caller whose call has been received: otherwise an
// act that was performed for it would be repeated (of 5,000 signalled mkdir calls, 522 said
// EEXIST).
int install_filter(std::span<const struct sock_filter> program) noexcept;

// Asks the kernel to switch straight from a caller to the supervisor and back on one processor. It
// is a hint: where the kernel does not have it (before 6.6) nothing changes and false is returned.
bool prefer_synchronous_wakeup(int listener) noexcept;

// Receives one notification. Blocks if there is none: poll first. ENOENT (not_found): the caller
// died or was interrupted meanwhile.
Result<struct seccomp_notif> receive_notification(int listener);

// True while the caller still waits for the answer, which also means that its thread id has not
// been given to another.
bool notification_valid(int listener, std::uint64_t id) noexcept;

// The three answers. ENOENT (not_found): the caller is gone, which is no fault.
Status answer_continue(int listener, std::uint64_t id);
Status answer_error(int listener, std::uint64_t id, int error);
Status answer_value(int listener, std::uint64_t id, std::int64_t value);
// Gives a copy of `fd` to the caller and answers with its number, in one step (Linux 5.14).
// `flags` is 0 or O_CLOEXEC. EMFILE: the caller's table is full; the caller still waits.
Status answer_descriptor(int listener, std::uint64_t id, int fd, int flags);

}  // namespace ward::sys
