// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs something in a traced child and stops it at its nth system call: killed there as by SIGKILL,
// or the call fails with an errno. With n counted up until the child comes through, every point at
// which a process can die or a disk can fail is tried. Source: ptrace(2).
#pragma once

#include <functional>

namespace ward::journal::test {

struct Fault {
  int index = 0;         // which of the counted calls
  int error_number = 0;  // what it fails with; 0: the child is killed before it
};

struct FaultResult {
  bool reached = false;  // there were so many calls
  int status = 0;        // of waitpid(2)
};

// `body` gives the exit status. With an errno, only calls that reach a disk are counted.
FaultResult run_with_fault(const Fault& fault, const std::function<int()>& body);

}  // namespace ward::journal::test
