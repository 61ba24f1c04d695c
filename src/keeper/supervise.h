// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Supervisor: the loop that owns one running sandbox from the moment its init waits for `go` until
// nothing of it is left (wait_gone()). It relays stdio and the pty, forwards signals, follows job
// control, serves the notifier's and the watch's descriptors, enforces the wall and output limits,
// and says how the run ended. Single-threaded; while it runs it owns the process's signal mask, and
// afterwards descriptors 0 and 1 are /dev/null. A run is killed through init's pidfd, which takes
// the whole pid namespace with it.
//
// What init owes it (confine/control.h): it keeps no descriptor but the control socket open once
// the command runs; with a pty it is the session's leader and the command a process group of its
// own in the terminal's foreground (a group whose parent is in another session is orphaned and
// cannot be stopped by Ctrl-Z); it answers `freeze` after kill(-1, SIGSTOP), and reports no stop
// from then until `thaw`; it reports `ended` after the rest of the tree is gone, and exits when the
// control socket is closed. The command ends when its own process does: what it left in the
// background is killed then, as its pid namespace ends.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/control.h"
#include "keeper/question.h"
#include "keeper/stdio.h"

namespace ward::keeper {

// The sandbox as the launcher hands it over: set up, its command not yet executed.
struct Child {
  pid_t pid = -1;       // init's; a child of this process
  UniqueFd pidfd;       // init's
  UniqueFd control;     // the supervisor's end, SOCK_SEQPACKET
  UniqueFd pty_master;  // valid exactly when ChildStdio::needs_pty()
};

// A descriptor served while the sandbox runs. An error ends the run as policy-killed: what cannot
// be watched any longer does not go on.
struct Pollable {
  int fd = -1;  // stays the caller's
  std::function<Status()> on_readable;
};

struct SuperviseSpec {
  Child child;
  Stdio stdio;
  // From `go` on. At the limit the command's group gets SIGTERM, and after the grace everything
  // SIGKILL; no more time than the two together is ever given.
  std::optional<std::chrono::milliseconds> wall;
  std::chrono::milliseconds wall_grace{200};
  // Bytes of standard output, error and terminal together; the head is kept.
  std::optional<std::uint64_t> output_bytes;
  std::vector<Pollable> pollables;
  // How much of the end of standard error is kept for Ended::error_tail; where it shares a
  // descriptor with standard output, or is the terminal, of both together.
  std::size_t error_tail_bytes = 0;
  // Asked when the command ended other than by exit(0): did the memory limit kill a process of this
  // sandbox?
  std::function<bool()> was_out_of_memory;
  // Init's answer to a `listen` or `socket` command; the descriptor is invalid where it failed.
  std::function<void(const confine::Report&, UniqueFd)> on_socket;
  // Turns a `failed` report into words (the step's name, the row's path).
  std::function<SetupFailed(const confine::Report&)> describe_failure;
};

struct Usage {
  std::chrono::nanoseconds wall{0};  // from `go` to the end of the tree
  struct rusage tree = {};           // of every process of the sandbox but init
  std::uint64_t output_bytes = 0;    // delivered to the caller
  // Why output did not reach the caller: its file was full, or it did not read before the wall
  // limit (or a signal) ended the waiting. A reader that went away is no error.
  std::optional<Error> output_error;
};

struct Ended {
  Outcome outcome;
  Usage usage;
  std::string error_tail;  // of untrusted origin
};

class Supervisor {
 public:
  explicit Supervisor(SuperviseSpec spec);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  // Ends the run, typically from a callback of a pollable: the tree is killed at once and `why` is
  // the outcome. The first reason given wins.
  void end_run(Outcome why);

  // Sends init a `listen` or `socket` command; on_socket gets the answer. Nothing happens where
  // init is gone.
  Status ask_for_socket(const confine::Command& command);

  // Asks the person at the caller's terminal. False where there is none to ask.
  bool ask_at_terminal(Question question);
  void withdraw_question(const std::string& note);

  // Runs the command to its end, when every process of the sandbox is gone but init, which is on
  // its way out; once. An error means that Ward itself failed; nothing of the sandbox is left then.
  Result<Ended> run();

  // After run(): lets init exit. What else holds the sandbox's namespaces should be closed before.
  void let_go();
  // After run(): lets init go and waits for it, and the kernel has torn the namespaces down. The
  // destructor does the same.
  Status wait_gone();

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace ward::keeper
