// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/supervise.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "keeper/relay.h"
#include "keeper/terminal.h"
#include "sys/event.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace ward::keeper {

namespace {

using Clock = std::chrono::steady_clock;
using confine::Command;
using confine::Report;

// After a kill at the wall limit, a reader that takes nothing is waited for no longer than this.
constexpr std::chrono::milliseconds kDrainAfterWall{200};

SetupFailed plain_failure(const Report& report) {
  return {Error::from_errno(report.value, "set-up step " + std::to_string(report.step))};
}

}  // namespace

class Supervisor::Run {
 public:
  explicit Run(SuperviseSpec spec)
      : spec_(std::move(spec)), budget_{spec_.output_bytes.value_or(UINT64_MAX), 0} {}

  void end_run(Outcome why);
  Status send(const Command& message);
  Terminal* terminal() const { return terminal_.get(); }
  Result<Ended> run();
  void let_go();
  Status wait_gone();

 private:
  Status prepare();
  Status make_relays();
  enum class Carries { output, errors };
  OutputRelay::Events relay_events(Carries what);
  Status watch_everything();
  Status loop_until_gone();
  Status command(Command::Kind kind, int value = 0);

  void on_control();
  void on_report(const Report& report);
  void on_command_ended(const Report& report);
  void on_tree_gone();
  void on_init_ended();
  void take_reports_but_stops();
  void on_signals();
  void on_signal(int signal);
  void on_wall_limit();
  void on_pollable(const Pollable& pollable, std::uint32_t events);

  void suspend(int signal, sys::StopScope scope);
  bool freeze();
  void keep_tail(std::string_view bytes);
  void kill_tree();
  void give_up_output(const char* why);
  bool outputs_done() const;
  // Keeps the first failure of Ward itself; the tree does not outlive it.
  void check(Status status);
  Outcome conclude();

  SuperviseSpec spec_;
  OutputBudget budget_;
  std::optional<sys::EventLoop> loop_;
  std::optional<sys::SignalSource> signals_;
  std::optional<InputRelay> input_;
  std::array<std::optional<OutputRelay>, 2> outputs_;
  std::unique_ptr<Terminal> terminal_;
  UniqueFd wall_timer_;

  std::optional<Outcome> asked_;          // why Ward ends the run
  std::optional<Outcome> command_ended_;  // what init reported
  struct rusage usage_ = {};
  std::optional<SetupFailed> setup_failed_;
  std::optional<sys::Reaped> reaped_;
  std::optional<Error> output_error_;
  std::optional<Error> failure_;
  std::string tail_;  // at most twice what is asked for
  Clock::time_point begin_;
  Clock::time_point end_;
  bool tree_gone_ = false;
  bool term_sent_ = false;
  bool killed_ = false;
};

void Supervisor::Run::check(Status status) {
  if (status) return;
  if (!failure_) failure_ = std::move(status).error();
  kill_tree();
}

void Supervisor::Run::kill_tree() {
  if (killed_ || reaped_) return;
  killed_ = true;
  // ESRCH: init ended by itself meanwhile; its pidfd says so next.
  Status sent = sys::send_signal(spec_.child.pidfd.get(), SIGKILL);
  if (!sent && sent.error().os_errno() != ESRCH && !failure_) failure_ = std::move(sent).error();
}

void Supervisor::Run::end_run(Outcome why) {
  if (!asked_) asked_ = std::move(why);
  kill_tree();
}

Status Supervisor::Run::command(Command::Kind kind, int value) { return send({kind, value}); }

Status Supervisor::Run::send(const Command& message) {
  Status sent = sys::send_message(spec_.child.control.get(),
                                  {reinterpret_cast<const char*>(&message), sizeof message});
  // Init is gone; its pidfd says so next.
  if (!sent && sent.error().os_errno() == EPIPE) return {};
  return sent;
}

OutputRelay::Events Supervisor::Run::relay_events(Carries what) {
  OutputRelay::Events events = {[this] { end_run(OutputLimit{}); },
                                [this](Error error) {
                                  if (!output_error_) output_error_ = std::move(error);
                                },
                                nullptr};
  if (what == Carries::errors && spec_.error_tail_bytes > 0)
    events.seen = [this](std::string_view bytes) { keep_tail(bytes); };
  return events;
}

void Supervisor::Run::keep_tail(std::string_view bytes) {
  const std::size_t most = spec_.error_tail_bytes;
  if (bytes.size() > most) bytes.remove_prefix(bytes.size() - most);
  if (tail_.size() + bytes.size() > 2 * most) tail_.erase(0, tail_.size() - most);
  tail_ += bytes;
}

Status Supervisor::Run::make_relays() {
  Stdio& stdio = spec_.stdio;
  stdio.close_child_ends();
  for (int index : {1, 2}) {
    UniqueFd from = stdio.take_supervisor_end(index);
    if (!from.valid()) continue;
    auto& relay = outputs_[static_cast<std::size_t>(index - 1)];
    bool errors = index == 2 || stdio.merged_error();
    relay.emplace(*loop_, std::move(from), OutputTarget::open(stdio.source(index)), budget_,
                  relay_events(errors ? Carries::errors : Carries::output));
    WARD_TRY(relay->start());
  }
  if (UniqueFd to = stdio.take_supervisor_end(0); to.valid()) {
    input_.emplace(*loop_, stdio.source(0), std::move(to));
    WARD_TRY(input_->start());
  }
  if (stdio.child().needs_pty()) {
    WARD_ASSIGN(terminal_, Terminal::open(*loop_, stdio, std::move(spec_.child.pty_master), budget_,
                                          relay_events(Carries::errors)));
  }
  return {};
}

Status Supervisor::Run::watch_everything() {
  WARD_TRY(loop_->add(signals_->fd(), EPOLLIN, [this](std::uint32_t) { on_signals(); }));
  WARD_TRY(loop_->add(spec_.child.control.get(), EPOLLIN, [this](std::uint32_t) { on_control(); }));
  WARD_TRY(
      loop_->add(spec_.child.pidfd.get(), EPOLLIN, [this](std::uint32_t) { on_init_ended(); }));
  for (const Pollable& pollable : spec_.pollables)
    WARD_TRY(loop_->add(pollable.fd, EPOLLIN, [this, &pollable](std::uint32_t events) {
      on_pollable(pollable, events);
    }));
  if (!spec_.wall) return {};
  WARD_ASSIGN(wall_timer_, sys::make_timer());
  WARD_TRY(loop_->add(wall_timer_.get(), EPOLLIN, [this](std::uint32_t) { on_wall_limit(); }));
  return sys::set_timer(wall_timer_.get(), *spec_.wall);
}

Status Supervisor::Run::prepare() {
  WARD_ASSIGN(sys::EventLoop loop, sys::EventLoop::create());
  loop_.emplace(std::move(loop));
  // Only now, after the child exists: it has the caller's own signal mask and dispositions.
  WARD_ASSIGN(sys::SignalSource signals,
              sys::SignalSource::create({SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                                         SIGALRM, SIGCONT, SIGTSTP, SIGWINCH},
                                        {SIGTTIN, SIGTTOU}));
  signals_.emplace(std::move(signals));
  WARD_TRY(make_relays());
  begin_ = end_ = Clock::now();
  WARD_TRY(watch_everything());
  return command(Command::Kind::go);
}

void Supervisor::Run::on_control() {
  auto message = sys::receive_message(spec_.child.control.get(), sizeof(Report));
  if (!message || message->bytes.empty()) {
    loop_->remove(spec_.child.control.get());
    if (!message && message.error().os_errno() != ECONNRESET)
      check(fail(std::move(message).error()));
    return;
  }
  if (message->bytes.size() != sizeof(Report)) {
    check(fail(ErrorKind::bug, "a report of init has the wrong size"));
    return;
  }
  Report report;
  std::memcpy(static_cast<void*>(&report), message->bytes.data(), sizeof report);
  if (report.kind == Report::Kind::socket) {
    if (spec_.on_socket)
      spec_.on_socket(report, message->fds.empty() ? UniqueFd() : std::move(message->fds.front()));
    return;
  }
  on_report(report);
}

void Supervisor::Run::on_report(const Report& report) {
  switch (report.kind) {
    case Report::Kind::failed:
      if (!setup_failed_)
        setup_failed_ =
            spec_.describe_failure ? spec_.describe_failure(report) : plain_failure(report);
      kill_tree();
      break;
    case Report::Kind::stopped:
      // Without a terminal there is no job control to follow: Ward goes on watching.
      if (terminal_)
        suspend(report.value,
                report.value == SIGTSTP ? sys::StopScope::group : sys::StopScope::self);
      break;
    case Report::Kind::ended: on_command_ended(report); break;
    case Report::Kind::descriptors:
    case Report::Kind::listeners:
    case Report::Kind::ready:
    case Report::Kind::started:
    case Report::Kind::continued:
    case Report::Kind::frozen:
    case Report::Kind::socket: break;
  }
}

// Only init itself is left then, on its way out: what remains to be done need not wait for it.
void Supervisor::Run::on_command_ended(const Report& report) {
  if (command_ended_) return;
  command_ended_ = outcome_of_wait_status(report.value);
  usage_ = report.usage;
  on_tree_gone();
}

void Supervisor::Run::on_tree_gone() {
  if (tree_gone_) return;
  tree_gone_ = true;
  end_ = Clock::now();
  // What the pipes and the pty hold is all there will be.
  if (terminal_) terminal_->command_ended();
  if (input_) input_->finish();
}

// Takes what init has reported so far, without waiting. Its stops are old news: they were caused by
// `freeze`, or are over.
void Supervisor::Run::take_reports_but_stops() {
  for (;;) {
    std::array<char, sizeof(Report)> bytes;
    ssize_t size = ::recv(spec_.child.control.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size != static_cast<ssize_t>(sizeof(Report))) return;
    Report report;
    std::memcpy(static_cast<void*>(&report), bytes.data(), sizeof report);
    if (report.kind != Report::Kind::stopped) on_report(report);
  }
}

void Supervisor::Run::on_init_ended() {
  take_reports_but_stops();  // its last ones may still be in the channel
  auto reaped = sys::reap(spec_.child.pidfd.get());
  loop_->remove(spec_.child.pidfd.get());
  loop_->remove(spec_.child.control.get());
  if (!reaped) {
    check(fail(std::move(reaped).error()));
    reaped_.emplace();
  } else {
    reaped_ = *reaped;
    if (!command_ended_) usage_ = reaped->usage;
  }
  on_tree_gone();
}

void Supervisor::Run::on_pollable(const Pollable& pollable, std::uint32_t events) {
  if ((events & EPOLLIN) == 0) {  // hung up: it would be reported for ever
    loop_->remove(pollable.fd);
    return;
  }
  Status served = pollable.on_readable();
  if (served) return;
  loop_->remove(pollable.fd);
  end_run(PolicyKilled{served.error().describe()});
}

void Supervisor::Run::on_wall_limit() {
  static_cast<void>(sys::stop_timer(wall_timer_.get()).has_value());
  if (tree_gone_) {
    give_up_output("the caller did not take the output before the wall limit");
    return;
  }
  if (!term_sent_ && spec_.wall_grace.count() > 0 && !killed_) {
    term_sent_ = true;
    if (!asked_ && !command_ended_) asked_ = TimedOut{};
    check(command(Command::Kind::signal, SIGTERM));
    check(sys::set_timer(wall_timer_.get(), spec_.wall_grace));
    return;
  }
  if (command_ended_)
    kill_tree();
  else
    end_run(TimedOut{});
  check(sys::set_timer(wall_timer_.get(), kDrainAfterWall));
}

void Supervisor::Run::on_signals() {
  for (;;) {
    auto signal = signals_->next();
    if (!signal) {
      check(fail(std::move(signal).error()));
      return;
    }
    if (!*signal) return;
    on_signal(**signal);
  }
}

void Supervisor::Run::on_signal(int signal) {
  switch (signal) {
    case SIGWINCH:
      if (terminal_) terminal_->resize();
      return;
    case SIGTSTP: suspend(SIGTSTP, sys::StopScope::self); return;
    case SIGCONT:
      if (terminal_) check(terminal_->attach());
      break;
    default: break;
  }
  if (!tree_gone_) {
    check(command(Command::Kind::signal, signal));
  } else if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) {
    give_up_output("a signal ended the waiting for the caller to take the output");
  }
}

bool Supervisor::Run::freeze() {
  check(command(Command::Kind::freeze));
  while (!failure_ && !killed_ && !command_ended_) {
    auto message = sys::receive_message(spec_.child.control.get(), sizeof(Report));
    if (!message || message->bytes.size() != sizeof(Report)) return false;
    Report report;
    std::memcpy(static_cast<void*>(&report), message->bytes.data(), sizeof report);
    if (report.kind == Report::Kind::frozen) return true;
    if (report.kind != Report::Kind::stopped) on_report(report);
  }
  return false;
}

void Supervisor::Run::suspend(int signal, sys::StopScope scope) {
  if (tree_gone_ || killed_) return;
  // While this process is stopped nobody answers the notifier or serves the watch: nothing inside
  // may run meanwhile, children that the command left running included.
  if (!freeze()) return;
  if (terminal_) terminal_->detach();
  check(sys::stop_by(signal, scope));
  take_reports_but_stops();
  if (terminal_) check(terminal_->attach());
  check(command(Command::Kind::thaw));
}

void Supervisor::Run::give_up_output(const char* why) {
  for (auto& relay : outputs_) {
    if (!relay || relay->done()) continue;
    if (!output_error_) output_error_ = Error(ErrorKind::busy, why);
    relay->finish();
  }
  if (terminal_ && !terminal_->done()) {
    if (!output_error_) output_error_ = Error(ErrorKind::busy, why);
    terminal_->give_up();
  }
}

bool Supervisor::Run::outputs_done() const {
  for (const auto& relay : outputs_)
    if (relay && !relay->done()) return false;
  return !terminal_ || terminal_->done();
}

Status Supervisor::Run::loop_until_gone() {
  while (!tree_gone_ || !outputs_done()) WARD_TRY(loop_->run_once());
  return {};
}

Outcome Supervisor::Run::conclude() {
  if (setup_failed_) return std::move(*setup_failed_);
  if (asked_) return std::move(*asked_);
  Outcome outcome =
      command_ended_ ? std::move(*command_ended_) : outcome_of_wait_status(reaped_->wait_status);
  // Init ended before the command did, and Ward did not do it.
  if (exit_status(outcome) != 0 && spec_.was_out_of_memory && spec_.was_out_of_memory())
    return OutOfMemory{};
  if (!command_ended_ && std::holds_alternative<Exited>(outcome))
    return PolicyKilled{"the sandbox's init ended before the command"};
  return outcome;
}

Result<Ended> Supervisor::Run::run() {
  Status status = prepare();
  if (status) status = loop_until_gone();
  check(std::move(status));
  if (failure_) check(wait_gone());
  terminal_.reset();
  input_.reset();
  for (auto& relay : outputs_) relay.reset();
  if (failure_) return fail(std::move(*failure_));
  Outcome outcome = conclude();
  signals_.reset();
  Usage usage{end_ - begin_, usage_, budget_.delivered, std::move(output_error_)};
  if (tail_.size() > spec_.error_tail_bytes) tail_.erase(0, tail_.size() - spec_.error_tail_bytes);
  return Ended{std::move(outcome), std::move(usage), std::move(tail_)};
}

void Supervisor::Run::let_go() { spec_.child.control.reset(); }

Status Supervisor::Run::wait_gone() {
  if (reaped_) return {};
  let_go();
  WARD_ASSIGN(reaped_, sys::reap(spec_.child.pidfd.get()));
  return {};
}

Supervisor::Supervisor(SuperviseSpec spec) : run_(std::make_unique<Run>(std::move(spec))) {}
Supervisor::~Supervisor() { static_cast<void>(wait_gone().has_value()); }
void Supervisor::end_run(Outcome why) { run_->end_run(std::move(why)); }
Status Supervisor::ask_for_socket(const confine::Command& command) { return run_->send(command); }
bool Supervisor::ask_at_terminal(Question question) {
  return run_->terminal() != nullptr && run_->terminal()->ask(std::move(question));
}
void Supervisor::withdraw_question(const std::string& note) {
  if (run_->terminal() != nullptr) run_->terminal()->withdraw(note);
}
Result<Ended> Supervisor::run() { return run_->run(); }
void Supervisor::let_go() { run_->let_go(); }
Status Supervisor::wait_gone() { return run_->wait_gone(); }

}  // namespace ward::keeper
