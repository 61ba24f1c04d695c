// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The system call policy as data: one row a decision, sorted by the call's name, each with the
// reason for it and for its errno. What no row names is allowed, but a call newer than this table
// is answered ENOSYS: nobody has judged it. bpf.h compiles the rows; docs and tests read them.
// Constant data, safe from any thread. Sources: syscalls(2), seccomp(2).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "policy/policy.h"

namespace ward::confine {

enum class SyscallAction : std::uint8_t { allow, deny, notify };

// When a row counts. A filter takes the rows of the groups that its options name.
enum class RowGroup : std::uint8_t {
  always,       // every profile
  isolating,    // every profile, unless nested namespaces are allowed
  strict,       // profile `strict` only
  creations,    // calls that bring a name into being or move one
  removals,     // calls that remove a name
  connections,  // calls that reach a socket
  trace,        // calls on paths, watched to name what the kernel refuses
};

// One condition on the low 32 bits of an argument. The kernel reads these arguments as 32-bit
// numbers, so the upper half is never looked at: a program that sets it fools a 64-bit compare.
struct ArgTest {
  enum class Op : std::uint8_t {
    none,     // no condition
    equal,    // (argument & mask) == value
    differs,  // (argument & mask) != value
    any_of,   // (argument & mask) != 0
  };
  Op op = Op::none;
  std::uint8_t argument = 0;
  std::uint32_t mask = 0;
  std::uint32_t value = 0;
};

struct SyscallRow {
  std::string_view name;
  int number = 0;
  RowGroup group = RowGroup::always;
  SyscallAction action = SyscallAction::deny;
  int error = 0;  // the errno of `deny`
  std::string_view reason;
  std::array<ArgTest, 3> tests{};  // all must hold; the first row of a call that fits decides
};

std::span<const SyscallRow> syscall_table();

// The highest call number that was known, and judged, when the table was written.
int highest_known_syscall();

// "clone3" of a number, "" of one that no row names.
std::string_view syscall_name(int number);

}  // namespace ward::confine
