// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs something in a traced child and stops it at its nth system call that reaches a disk: killed
// there as by SIGKILL, or the call fails with an errno. With n counted up until the child comes
// through, every point at which a process can die or a disk can fail is tried. Sources: ptrace(2),
// SECCOMP_RET_TRACE in seccomp(2).
#pragma once

#include <functional>

namespace ward::journal::test {

struct Fault {
  int index = 0;             // which of the counted calls
  int error_number = 0;      // what it fails with; 0: the child is killed before it
  bool reading_too = false;  // count calls, too, that change nothing
};

struct FaultResult {
  bool reached = false;  // there were so many calls
  int status = 0;        // of waitpid(2)
};

// `body` gives the exit status.
FaultResult run_with_fault(const Fault& fault, const std::function<int()>& body);

}  // namespace ward::journal::test
