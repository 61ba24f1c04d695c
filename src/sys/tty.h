// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Terminals: modes, window size, foreground group, pseudo-terminals. RawMode owns one terminal's
// mode while it lives and gives the earlier one back. Calls that change a terminal stop a
// background process by SIGTTOU unless that is blocked. Sources: termios(3), ioctl_tty(2), pty(7);
// TIOCGPTPEER is Linux 4.13.
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

bool is_terminal(int fd);

Result<struct termios> terminal_mode(int fd);
// For a pty's master: the mode of its slave.
Status set_terminal_mode(int fd, const struct termios& mode);

Result<struct winsize> window_size(int fd);
Status set_window_size(int fd, const struct winsize& size);

// Whether job control lets this process read and change the terminal: its group is the foreground
// group, or the terminal is not its controlling one.
bool in_foreground(int fd);

// Every byte as it comes, none interpreted, none echoed; output is not changed either.
class RawMode {
 public:
  static Result<RawMode> enter(int fd);
  RawMode(RawMode&& other) noexcept;
  RawMode& operator=(RawMode&&) = delete;
  // Restores the mode, unless another group has the terminal by now: the mode is then that one's.
  ~RawMode();

 private:
  RawMode(int fd, const struct termios& before) : fd_(fd), before_(before) {}
  int fd_ = -1;
  struct termios before_ = {};
};

struct Pty {
  UniqueFd master;
  UniqueFd slave;
};
// A pair of this process's own devpts; opened so that it does not become a controlling terminal.
Result<Pty> open_pty();
// Another descriptor of the slave that belongs to `master`, whatever devpts it lives in.
Result<UniqueFd> open_peer(int master);

}  // namespace ward::sys
