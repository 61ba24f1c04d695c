// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Compiles the system call table into a classic BPF program for seccomp(2): a binary search over
// the call's number, then that call's rows in order. Pure: no kernel calls, the same options give
// the same program. The program is made before the fork; sys/seccomp_notify.h installs it after.
#pragma once

#include <linux/filter.h>

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/path_plan.h"
#include "confine/syscall_table.h"
#include "policy/policy.h"

namespace ward::confine {

struct FilterOptions {
  policy::SyscallProfile profile = policy::SyscallProfile::standard;
  bool nested_namespaces = false;
  // Which groups of calls are answered by the supervisor.
  bool creations = false;
  bool removals = false;
  bool connections = false;
  bool trace = false;
};

// What this plan needs: creations where a name may not come into being, removals where a symbolic
// link may not be removed, connections always.
FilterOptions filter_options(const policy::Process& process, const PathPlan& plan, bool trace);

// Fails (unsupported) for a profile that this version does not have.
Result<std::vector<struct sock_filter>> compile_filter(const FilterOptions& options);

// The same over any rows; `highest_known` bounds the numbers that are allowed without a row.
Result<std::vector<struct sock_filter>> compile_rows(std::span<const SyscallRow> rows,
                                                     const FilterOptions& options,
                                                     int highest_known);

// One line an instruction, for golden tests and for a reader.
std::string disassemble(std::span<const struct sock_filter> program);

}  // namespace ward::confine
