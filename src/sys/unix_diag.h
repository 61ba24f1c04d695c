// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Asks the kernel which unix sockets of a network namespace are bound to files. The netlink socket
// belongs to the namespace in which it was opened, wherever it is used afterwards: the sandbox's
// init opens it and hands it out. Safe from any thread, one query at a time. Sources: sock_diag(7),
// UDIAG_SHOW_VFS (Linux 3.3, CONFIG_UNIX_DIAG).
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"
#include "sys/file.h"

namespace ward::sys {

// The descriptor, or -errno. Async-signal-safe. EPROTONOSUPPORT: the kernel has no sock_diag.
int open_unix_diagnostics() noexcept;

// Is a socket of the namespace bound to this file? Looks at all of them: the cost grows with their
// number.
Result<bool> socket_bound_in_namespace(int diagnostics, ObjectId object);

}  // namespace ward::sys
