// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Error: the one failure value of Ward. It carries a small stable kind, the operation and the
// errno of the call that failed, and a chain of context added on the way up (outermost first).
// Values only: copyable, comparable by message in tests, safe to use from any thread. Library code
// returns errors and never logs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ward {

// Each kind maps to one exit code and one HTTP status; add a kind only when a caller must act
// differently on it.
enum class ErrorKind {
  invalid,      // the input makes no sense: a policy, a path, a flag
  denied,       // the kernel or a policy refused
  unsupported,  // this machine cannot do it
  busy,         // somebody else holds it
  not_found,    // the thing named does not exist
  exhausted,    // a limit, quota or table is full
  io,           // an operating system call failed for another reason
  bug,          // an invariant of Ward does not hold
};

std::string_view to_string(ErrorKind kind);

class Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  // An error of a system call: `op` names the call and its object, as in "open /etc/shadow". The
  // kind follows from the errno.
  static Error from_errno(int os_errno, std::string op);

  ErrorKind kind() const { return kind_; }
  // The errno of the call that failed, 0 where no call did.
  int os_errno() const { return os_errno_; }

  // Says what was being done ("mask /home/u/.ssh"); the cause stays.
  Error with_context(std::string context) &&;
  // Says what the reader can do about it; printed after the message. The innermost remedy wins.
  Error with_remedy(std::string remedy) &&;
  const std::string& remedy() const { return remedy_; }

  // "context: context: message", without the remedy, on one line.
  std::string message() const;
  // message() and, where there is one, the remedy: "message (remedy)".
  std::string describe() const;

 private:
  ErrorKind kind_;
  int os_errno_ = 0;
  std::string message_;
  std::string remedy_;
  std::vector<std::string> context_;  // innermost first
};

}  // namespace ward
