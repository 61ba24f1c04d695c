// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Stdio: how the caller's descriptors 0, 1 and 2 enter a sandbox. None of them does. A terminal is
// bridged to the sandbox's own pty; /dev/null and a closed descriptor become the sandbox's own
// /dev/null; everything else is relayed through a fresh pipe. The attack: /proc/self/fd/N re-opens
// a pipe or file with a wider mode, so a command given the pipe its caller's shell reads its script
// from could write into that script; a regular file would be re-opened on a host mount, past every
// read-only mount; a socket of the host's network can be disconnected and connected elsewhere; and
// a directory is a way out. From standard input a relay takes only what the command took, so a
// script's `while read` loop around `ward run` goes on where it should.
// Made before the launch, handed to the Supervisor; owned by its only thread.
#pragma once

#include <array>
#include <span>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::keeper {

// What the launcher gives the command as 0, 1 and 2: a descriptor number of the supervisor, or:
inline constexpr int kPty = -1;   // the slave of the sandbox's own pty
inline constexpr int kNull = -2;  // the sandbox's own /dev/null
struct ChildStdio {
  std::array<int, 3> fds = {kNull, kNull, kNull};
  // Whether the sandbox needs a pty: made in its own devpts, the controlling terminal of init's
  // session, with the command as a process group of its own in the foreground.
  bool needs_pty() const { return fds[0] == kPty || fds[1] == kPty || fds[2] == kPty; }
};

// What one of the caller's descriptors is, and therefore how it enters.
enum class SourceKind { null, terminal, file, pipe, socket, device };

struct Source {
  SourceKind kind = SourceKind::null;
  int fd = -1;  // the caller's; -1 when closed
};

// Puts /dev/null in place of closed descriptors 0 to 2. For the first lines of main(): otherwise
// the next file Ward opens gets such a number and is taken for the caller's.
Status fill_closed_stdio();

class Stdio {
 public:
  // Nothing is passed: all three are the sandbox's own /dev/null.
  Stdio() = default;
  // Looks at descriptors 0, 1 and 2 of this process and makes the pipes. Refused, naming the
  // descriptor and the remedy: directories, block devices, O_PATH descriptors, sockets that are not
  // connected streams, and one opened the wrong way round.
  static Result<Stdio> plan();
  // The same for any three descriptors (-1: closed); they stay the caller's.
  static Result<Stdio> plan(std::array<int, 3> caller);

  const ChildStdio& child() const { return child_; }
  const Source& source(int index) const { return sources_[static_cast<std::size_t>(index)]; }
  // Standard output and error are one open file: one pipe carries both, so their order is kept.
  bool merged_error() const { return merged_error_; }
  // The supervisor's end of a pipe, non-blocking; invalid where there is none.
  UniqueFd take_supervisor_end(int index);
  // Closes the command's ends in this process, once the child exists: a pipe end kept here would
  // keep its reader waiting for ever.
  void close_child_ends();

 private:
  std::array<Source, 3> sources_;
  std::array<UniqueFd, 3> supervisor_ends_;
  std::array<UniqueFd, 3> child_ends_;
  ChildStdio child_;
  bool merged_error_ = false;
};

// Checks descriptors that a policy passes in by number (process.passFds). Refused, naming the
// remedy: one that is closed, 0 to 2, directories, O_PATH descriptors, block devices, terminals,
// unix datagram sockets, and sockets of the host's network.
Status check_passed_fds(std::span<const int> fds);

}  // namespace ward::keeper
