// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Looks into another thread: its memory, descriptors, root, working directory and umask. What is
// read is hostile data, and the thread id may have been given to another meanwhile: the caller
// checks that the notification is still valid afterwards. Needs what ptrace(2) needs; the owner of
// a user namespace has it over everything inside. Safe from any thread. Sources:
// process_vm_readv(2) (Linux 3.2), pidfd_getfd(2) (5.6), PIDFD_THREAD (6.9), proc_pid_status(5).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

// As many bytes as the first unreadable page allows, at least one. EFAULT: none.
Result<std::size_t> read_remote(pid_t tid, std::uint64_t address, std::span<char> bytes);

// A path: up to its NUL. EFAULT where memory ends before it, ENAMETOOLONG at PATH_MAX.
Result<std::string> read_remote_path(pid_t tid, std::uint64_t address);

// O_PATH descriptors of what the thread resolves paths against.
Result<UniqueFd> open_remote_root(pid_t tid);
Result<UniqueFd> open_remote_cwd(pid_t tid);

// A pidfd of the thread, or where the kernel has none for threads (before 6.9) of its process.
Result<UniqueFd> open_pidfd(pid_t tid);

// A copy of one of its descriptors, sharing the open file. EBADF: it has none of that number.
// COMPAT(linux-6.9): a thread that has unshared its table is looked up in its process's table.
Result<UniqueFd> copy_remote_descriptor(pid_t tid, int fd);

struct RemoteStatus {
  mode_t umask = 022;
  pid_t process = 0;        // its process, as this process numbers it
  pid_t inner_process = 0;  // the same in its own pid namespace
  pid_t inner_thread = 0;
};
Result<RemoteStatus> remote_status(pid_t tid);

// The device number of its controlling terminal, 0 for none.
Result<std::uint64_t> remote_terminal(pid_t tid);

}  // namespace ward::sys
