// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The gateway's own confinement, for the day when a parser is wrong: it reads bytes that a hostile
// command chose, stands outside that command's sandbox, and knows the secrets' values. After this
// it can read the few files named, move bytes on sockets it has or opens to the network, and
// nothing else: no other file, no program, no other process, no local socket, no new executable
// memory. Irreversible; call it once, before the first byte from inside is read. Sources: prctl(2),
// capset(2), landlock(7) (Linux 5.13), seccomp(2).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ward::egress {

// What can be taken away at once: the gateway dies with its parent, leaves no core file and lets
// nobody of its own user look into it. Also raises its limit of descriptors to the hard one.
Status begin_self_confinement();

// The rest. A file of `readable` that does not exist is left out. Each step is tried afterwards; an
// error means that the process must end.
Status confine_self(const std::vector<std::string>& readable);

}  // namespace ward::egress
