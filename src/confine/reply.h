// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Reply: what a notified caller is to be told, as a value, and Caller: whom it is told. The
// notifier sends replies; the parts that decide (guard, emulation, connects) only make them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace ward::confine {

struct Caller {
  int listener = -1;
  std::uint64_t id = 0;  // of the notification
  pid_t tid = 0;
};

struct Reply {
  enum class Kind : std::uint8_t {
    go_on,       // the kernel performs the call as if nobody had looked
    error,       // `error` is the errno
    success,     // the call was performed; it returns 0
    descriptor,  // the call was performed; it returns a copy of `fd`
    later,       // somebody else will answer
  };
  Kind kind = Kind::go_on;
  int error = 0;
  UniqueFd fd;
  int fd_flags = 0;  // 0 or O_CLOEXEC
  // Takes back what was created, should the caller have no room for the descriptor.
  std::function<void()> undo;

  static Reply proceed() { return {}; }
  static Reply failure(int error) {
    Reply reply;
    reply.kind = Kind::error;
    reply.error = error;
    return reply;
  }
  static Reply done() {
    Reply reply;
    reply.kind = Kind::success;
    return reply;
  }
  static Reply deferred() {
    Reply reply;
    reply.kind = Kind::later;
    return reply;
  }
};

}  // namespace ward::confine
