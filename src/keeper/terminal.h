// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Terminal: the bridge between the caller's terminal and the sandbox's own pty. While Ward is in
// the terminal's foreground and standard input is that terminal, the terminal is raw: keys reach
// the pty as bytes (Ctrl-C, Ctrl-Z and Ctrl-\ too) and the pty's own line discipline makes signals
// of them inside. In the background the terminal is left alone and nothing is read; output still
// appears. The terminal's mode is given back when the bridge is detached or destroyed.
// Single-threaded. Sources: termios(3), pty(7).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "keeper/question.h"
#include "keeper/relay.h"
#include "keeper/stdio.h"
#include "sys/event.h"
#include "sys/tty.h"

namespace ward::keeper {

class Terminal {
 public:
  // Precondition: one of the three sources is a terminal; `master` is the pty's.
  static Result<std::unique_ptr<Terminal>> open(sys::EventLoop& loop, const Stdio& stdio,
                                                UniqueFd master, OutputBudget& budget,
                                                OutputRelay::Events events);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // Takes the terminal if Ward is in its foreground, and lets go of it if not. Also follows a new
  // window size.
  Status attach();
  // Shows what the pty has to show and gives the terminal's mode back.
  void detach();
  void resize();

  // Shows the question; the keys that follow are its answer, not the command's. False where no
  // person can be asked now: no keys are read, or another question is open.
  bool ask(Question question);
  // Somebody else has answered: `note` is shown in its place.
  void withdraw(const std::string& note);

  // The command is gone: what is left in the pty is shown, then the output is done.
  void command_ended();
  bool done() const { return output_.done(); }
  bool holds_bytes() const { return output_.holds_bytes(); }
  void give_up() { output_.finish(); }

 private:
  Terminal(sys::EventLoop& loop, Source input, OutputTarget output, UniqueFd master,
           UniqueFd master_in, UniqueFd slave, OutputBudget& budget, OutputRelay::Events events);
  Status start();
  int host() const;
  bool reads_keys() const { return input_.kind == SourceKind::terminal; }
  void hang_up();
  void on_keys();
  void take_answer(std::string_view keys);
  void show(std::string_view text);
  void flush_keys();
  void watch_keys(bool keys);
  void stop_keys();

  sys::EventLoop& loop_;
  Source input_;
  UniqueFd own_input_;  // the caller's terminal, opened again without waiting; may be invalid
  int screen_ = -1;     // the caller's descriptor that output goes to
  UniqueFd master_in_;
  // Held so that the pty is not hung up while the command happens to have it closed.
  UniqueFd slave_;
  OutputRelay output_;
  UniqueFd foreground_check_;
  std::optional<sys::RawMode> raw_;
  std::vector<char> keys_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool keys_watched_ = false;
  bool waits_for_keys_ = true;
  struct OpenQuestion {
    Question question;
    AnswerLine line;
  };
  std::optional<OpenQuestion> question_;
};

}  // namespace ward::keeper
