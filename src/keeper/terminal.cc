// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/terminal.h"

#include <fcntl.h>

#include <chrono>
#include <utility>

#include "sys/stream.h"

namespace ward::keeper {

namespace {

using State = sys::Transfer::State;

constexpr std::size_t kKeyBytes = 4096;
// A shell's `fg` of a job that runs sends it no signal; this is how soon it is noticed.
constexpr std::chrono::milliseconds kForegroundCheck{200};

Source screen_of(const Stdio& stdio) {
  for (int index : {1, 2, 0})
    if (stdio.source(index).kind == SourceKind::terminal) return stdio.source(index);
  return {};
}

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::open(sys::EventLoop& loop, const Stdio& stdio,
                                                 UniqueFd master, OutputBudget& budget,
                                                 OutputRelay::Events events) {
  if (!master.valid()) return fail(ErrorKind::bug, "a terminal without a pty");
  WARD_TRY(sys::set_nonblocking(master.get()));
  WARD_ASSIGN(UniqueFd slave, sys::open_peer(master.get()));
  // One descriptor to read the pty from and one to write it to, each watched for its own event.
  UniqueFd master_in(::fcntl(master.get(), F_DUPFD_CLOEXEC, 0));
  if (!master_in.valid()) return fail_errno(errno, "dup of the pty");
  std::unique_ptr<Terminal> terminal(
      new Terminal(loop, stdio.source(0), OutputTarget::open(screen_of(stdio)), std::move(master),
                   std::move(master_in), std::move(slave), budget, std::move(events)));
  terminal->screen_ = screen_of(stdio).fd;
  WARD_TRY(terminal->start());
  return terminal;
}

Terminal::Terminal(sys::EventLoop& loop, Source input, OutputTarget output, UniqueFd master,
                   UniqueFd master_in, UniqueFd slave, OutputBudget& budget,
                   OutputRelay::Events events)
    : loop_(loop),
      input_(input),
      master_in_(std::move(master_in)),
      slave_(std::move(slave)),
      output_(loop, std::move(master), std::move(output), budget,
              {std::move(events.limit_reached), std::move(events.write_failed),
               [this] { hang_up(); }, std::move(events.seen)}),
      keys_(kKeyBytes) {}

Terminal::~Terminal() {
  stop_keys();
  if (master_in_.valid()) loop_.remove(master_in_.get());
  if (foreground_check_.valid()) loop_.remove(foreground_check_.get());
}

int Terminal::host() const {
  if (!reads_keys()) return screen_;
  return own_input_.valid() ? own_input_.get() : input_.fd;
}

Status Terminal::start() {
  if (reads_keys()) {
    auto own = sys::reopen(input_.fd, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (own) own_input_ = std::move(*own);
    WARD_ASSIGN(foreground_check_, sys::make_timer());
    WARD_TRY(loop_.add(foreground_check_.get(), EPOLLIN, [this](std::uint32_t) {
      // Disarmed first: where attach() has nothing left to do, it would stay readable for ever.
      if (!sys::stop_timer(foreground_check_.get()) || !attach()) stop_keys();
    }));
  }
  // In the background the terminal's mode may be the shell's line editor's; a new pty's own is
  // sane.
  if (sys::in_foreground(host())) {
    WARD_ASSIGN(struct termios mode, sys::terminal_mode(host()));
    if (!reads_keys()) {
      // The caller's terminal stays as it is and does the processing itself, once.
      mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
      mode.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    }
    WARD_TRY(sys::set_terminal_mode(slave_.get(), mode));
  }
  WARD_TRY(loop_.add(master_in_.get(), EPOLLONESHOT, [this](std::uint32_t) {
    if (begin_ < end_) flush_keys();
  }));
  WARD_TRY(output_.start());
  return attach();
}

Status Terminal::attach() {
  resize();
  if (!reads_keys() || !master_in_.valid()) return {};
  if (!sys::in_foreground(host())) {
    raw_.reset();
    stop_keys();
    return sys::set_timer(foreground_check_.get(), kForegroundCheck);
  }
  WARD_TRY(sys::stop_timer(foreground_check_.get()));
  if (!raw_) {
    auto raw = sys::RawMode::enter(host());
    // A terminal that is just being hung up; its SIGHUP follows.
    if (!raw) return sys::set_timer(foreground_check_.get(), kForegroundCheck);
    raw_.emplace(std::move(*raw));
  }
  if (!keys_watched_) {
    WARD_TRY(loop_.add(host(), EPOLLIN, [this](std::uint32_t) { on_keys(); }));
    keys_watched_ = true;
  }
  return {};
}

void Terminal::detach() {
  output_.pump();
  stop_keys();
  raw_.reset();
}

void Terminal::resize() {
  if (!master_in_.valid()) return;
  auto size = sys::window_size(host());
  if (size) static_cast<void>(sys::set_window_size(master_in_.get(), *size).has_value());
}

void Terminal::command_ended() {
  slave_.reset();
  output_.resume();
}

void Terminal::hang_up() {
  // The caller's terminal is gone; closing the master tells the processes inside the same way.
  stop_keys();
  if (master_in_.valid()) loop_.remove(master_in_.get());
  master_in_.reset();
  slave_.reset();
}

void Terminal::stop_keys() {
  if (keys_watched_) loop_.remove(host());
  keys_watched_ = false;
}

void Terminal::watch_keys(bool keys) {
  if (keys == waits_for_keys_) return;
  waits_for_keys_ = keys;
  std::uint32_t key_events = EPOLLIN;
  std::uint32_t pty_events = EPOLLONESHOT;
  if (!keys) {
    key_events = EPOLLONESHOT;
    pty_events = EPOLLOUT | EPOLLONESHOT;
  }
  if (keys_watched_) static_cast<void>(loop_.modify(host(), key_events).has_value());
  static_cast<void>(loop_.modify(master_in_.get(), pty_events).has_value());
}

void Terminal::on_keys() {
  if (begin_ < end_) return;
  auto read = sys::read_some(host(), keys_);
  if (read && read->state == State::again) return;
  if (!read || read->state == State::end) {
    // EIO is also what a background process gets: the next check decides.
    stop_keys();
    static_cast<void>(sys::set_timer(foreground_check_.get(), kForegroundCheck).has_value());
    return;
  }
  if (question_) return take_answer({keys_.data(), read->bytes});
  begin_ = 0;
  end_ = read->bytes;
  flush_keys();
}

bool Terminal::ask(Question question) {
  if (question_ || !raw_ || !keys_watched_ || screen_ < 0) return false;
  // The attack: the command paints over the question, and a person agrees to what it painted. So it
  // shows nothing meanwhile, and a sequence that it has begun, narrow margins and colours end.
  output_.hold();
  show("\x18\x1b[!p\r\n" + question.text);
  std::string code = question.code;
  question_.emplace(OpenQuestion{std::move(question), AnswerLine(std::move(code))});
  return true;
}

void Terminal::withdraw(const std::string& note) {
  if (!question_) return;
  question_.reset();
  show("\r\nward: " + note + "\r\n");
  output_.resume();
}

void Terminal::take_answer(std::string_view keys) {
  std::string echo;
  const AnswerLine::State state = question_->line.take(keys, echo);
  show(echo);
  if (state == AnswerLine::State::open) return;
  const auto answered = std::move(question_->question.answered);
  question_.reset();
  show(state == AnswerLine::State::yes ? "\r\nward: allowed\r\n" : "\r\nward: denied\r\n");
  output_.resume();
  answered(state == AnswerLine::State::yes);
}

// A terminal that takes nothing now shows nothing; the request waits for its deadline.
void Terminal::show(std::string_view text) {
  static_cast<void>(sys::write_some(screen_, text).has_value());
}

void Terminal::flush_keys() {
  while (begin_ < end_) {
    auto written = sys::write_some(master_in_.get(), {keys_.data() + begin_, end_ - begin_});
    if (written && written->state == State::again) {
      watch_keys(false);
      return;
    }
    // A pty that takes nothing any longer has nobody inside who reads.
    begin_ = written && written->state == State::some ? begin_ + written->bytes : end_;
  }
  watch_keys(true);
}

}  // namespace ward::keeper
