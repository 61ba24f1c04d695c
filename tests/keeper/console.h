// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Console: a program on a terminal of its own, as a person's terminal emulator runs it: keys are
// sent, and the screen's bytes are waited for. The program is the leader of a new session with the
// terminal as its controlling one. Killed when the Console ends.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "sys/tty.h"

namespace ward::test {

class Console {
 public:
  explicit Console(std::vector<std::string> command) {
    auto pty = sys::open_pty();
    if (!pty) return;
    master_ = std::move(pty->master);
    resize(24, 80);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      ::ioctl(pty->slave.get(), TIOCSCTTY, 0);
      for (int fd : {0, 1, 2}) ::dup2(pty->slave.get(), fd);
      std::vector<char*> argv;
      for (std::string& word : command) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
  }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console() {
    if (pid_ <= 0 || reaped_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void resize(unsigned short rows, unsigned short columns) {
    struct winsize size = {rows, columns, 0, 0};
    ::ioctl(master_.get(), TIOCSWINSZ, &size);
  }

  void send(const std::string& keys) {
    if (::write(master_.get(), keys.data(), keys.size()) < 0) broken_ = true;
  }

  // Whether `text` appears on the screen after what earlier calls found.
  bool shows(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      if (std::size_t at = screen_.find(text); at != std::string::npos) {
        screen_.erase(0, at + text.size());
        return true;
      }
      auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      struct pollfd item = {master_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&item, 1, static_cast<int>(left.count())) <= 0) return false;
      std::array<char, 4096> bytes;
      ssize_t size = ::read(master_.get(), bytes.data(), bytes.size());
      if (size <= 0) return false;
      screen_.append(bytes.data(), static_cast<std::size_t>(size));
    }
  }

  // What came and was not found yet: for the message of a failure.
  const std::string& rest() const { return screen_; }

  bool is_canonical() const {
    auto mode = sys::terminal_mode(master_.get());
    return mode && (mode->c_lflag & ICANON) != 0 && (mode->c_lflag & ECHO) != 0;
  }

  int status() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pid_t pid() const { return pid_; }

 private:
  UniqueFd master_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  bool broken_ = false;
  std::string screen_;
};

}  // namespace ward::test
