// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The control channel between the supervisor outside and the init process (pid 1) of a sandbox:
// fixed-size messages over a SOCK_SEQPACKET pair. Init reports, the supervisor commands. When the
// supervisor dies, the kernel kills init (PR_SET_PDEATHSIG), and with it the whole pid namespace.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>

#include "sys/inet.h"
#include "sys/raw.h"

namespace ward::confine {

// From init, or from the command's process before its exec, to the supervisor.
struct Report {
  enum class Kind : std::uint32_t {
    failed,       // a set-up step failed: `step`, `value` is the errno; nothing was run
    descriptors,  // the filter is on: carries its listener and the socket diagnosis, and of the
                  // terminal and the command's root those whose bit is set in `value`
    listeners,    // sockets of the plan, from the one with number `detail` on: carries those whose
                  // bit is set in `value`; the others are of IPv6, which this machine does not have
    ready,        // the self-test passed; waits for `go`
    started,      // the command was executed
    stopped,      // the command's process was stopped; `value` is the signal
    continued,    // it goes on
    frozen,       // answer to `freeze`: every process of the sandbox was sent SIGSTOP
    socket,  // answer to `listen` and `socket`, whose `value` is `detail`: carries the socket, or
             // `value` is the errno
    ended,  // the command's process ended; `value` is its wait status; `usage` is its whole tree's;
            // init exits when the supervisor closes the channel
  };
  Kind kind = Kind::failed;
  std::uint32_t step = 0;
  std::int32_t value = 0;
  std::int32_t detail = -1;  // with `failed`: the index of the row that failed, or -1
  struct rusage usage = {};
};

// Descriptors of one report.
inline constexpr std::size_t kMaxReportFds = sys::raw::kMostSentFds;

// The bits of a `descriptors` report.
inline constexpr std::int32_t kWithTerminal = 1;
inline constexpr std::int32_t kWithRoot = 2;

// From the supervisor to init.
struct Command {
  enum class Kind : std::uint32_t {
    go,      // execute the command
    signal,  // send `value` to the command's process group
    freeze,  // stop every process (kill(-1, SIGSTOP)) and answer `frozen`: while the supervisor is
             // stopped by job control nothing may run unwatched
    thaw,    // continue every process (kill(-1, SIGCONT))
    listen,  // make a socket of the sandbox's network namespace that listens on `endpoint`
    socket,  // make one that is bound to nothing, of the family of `endpoint`
  };
  Kind kind = Kind::go;
  std::int32_t value = 0;
  sys::Endpoint endpoint = {};
};

}  // namespace ward::confine
