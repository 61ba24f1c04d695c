// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// NotifyLab, for tests and the benchmark: runs a function in a child that has its own user, mount,
// pid, network and IPC namespaces and the system call filter, and serves its notifications until it
// ends. It mounts nothing but a fresh /proc, so that what the notifier does is seen alone. One
// thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "confine/bpf.h"
#include "confine/denial.h"
#include "confine/notifier.h"

namespace ward::confine {

struct LabResult {
  std::string report;  // what the function returned: "" where all was as expected
  int status = -1;     // the wait status of its process
  std::vector<Denial> denials;
  bool hung = false;                   // the deadline passed and it was killed
  std::shared_ptr<Notifier> notifier;  // lives on: what on_start made may still ask it
};

struct LabOptions {
  NotifierSpec spec;
  FilterOptions filter{.creations = true, .removals = true, .connections = true};
  // Called before the function runs, with the pid of the lab's init as seen outside. Returns one
  // more descriptor to wait for, or -1.
  std::function<int(pid_t init, Notifier&)> on_start;
  std::function<void()> on_extra;           // that descriptor is readable
  std::function<void(Notifier&)> on_round;  // after each round of the loop
  std::chrono::seconds deadline{100};       // under a sanitizer a race takes half of it
};

// Collects what went otherwise than it should inside.
class Findings {
 public:
  // `value` is what a call returned: it failed with `error`, or succeeded if 0. A descriptor is
  // closed.
  void expect(long value, int error, const std::string& what);
  void check(bool holds, const std::string& what);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A stream socket bound, or connected, to a path: the descriptor, or -1 and errno.
int bind_unix(const std::string& path);
int connect_unix(const std::string& path);

LabResult run_in_lab(LabOptions options, const std::function<std::string()>& inside);

}  // namespace ward::confine
