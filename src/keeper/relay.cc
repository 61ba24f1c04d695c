// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/relay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

#include "sys/file.h"

namespace ward::keeper {

namespace {

using State = sys::Transfer::State;

constexpr std::size_t kBufferBytes = 65536;
// A pipe that poll(2) calls writable takes this much without waiting.
constexpr std::size_t kPipeAtomicBytes = 4096;
constexpr std::size_t kPeekBytes = 4096;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMostPages = 16;
constexpr int kMostSingleRounds = 65536;
constexpr std::chrono::milliseconds kLookAgain{1};
// Moved in one go, so that a fast writer cannot keep the loop from its other duties.
constexpr int kRounds = 16;

}  // namespace

void release_caller_fd(int fd) {
  if (fd != STDIN_FILENO && fd != STDOUT_FILENO) return;
  auto null = sys::open_path("/dev/null", O_RDWR);
  if (null) ::dup3(null->get(), fd, 0);
}

OutputTarget OutputTarget::open(const Source& source) {
  if (source.kind != SourceKind::pipe && source.kind != SourceKind::terminal)
    return {source, UniqueFd()};
  // Fails where another user opened it; then its own descriptor is used in parts that do not wait.
  auto own = sys::reopen(source.fd, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  return {source, own ? std::move(*own) : UniqueFd()};
}

Result<sys::Transfer> OutputTarget::write(std::string_view bytes) const {
  if (source_.kind == SourceKind::socket) return sys::send_some(source_.fd, bytes);
  if (own_.valid() || source_.kind == SourceKind::file) return sys::write_some(fd(), bytes);
  if (!sys::ready_now(fd(), sys::Direction::write)) return sys::Transfer{State::again, 0};
  return sys::write_some(fd(), bytes.substr(0, kPipeAtomicBytes));
}

void OutputTarget::release() {
  own_.reset();
  release_caller_fd(source_.fd);
}

OutputRelay::OutputRelay(sys::EventLoop& loop, UniqueFd from, OutputTarget to, OutputBudget& budget,
                         Events events)
    : loop_(loop),
      from_(std::move(from)),
      to_(std::move(to)),
      budget_(budget),
      events_(std::move(events)) {}

Status OutputRelay::start() {
  WARD_TRY(loop_.add(from_.get(), EPOLLIN, [this](std::uint32_t) { pump(); }));
  Status watched = loop_.add(to_.fd(), 0, [this](std::uint32_t events) { on_target(events); });
  // A regular file cannot be watched and need not be: it always takes what it is given.
  if (!watched && watched.error().os_errno() != EPERM) return watched;
  target_watched_ = watched.has_value();
  return {};
}

void OutputRelay::on_target(std::uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    give_up_reader();
    return;
  }
  pump();
}

// The command's next write gets SIGPIPE, as it would without Ward.
void OutputRelay::give_up_reader() {
  finish();
  if (events_.reader_gone) events_.reader_gone();
}

void OutputRelay::wait_for(bool input) {
  if (input == waits_for_input_ || !from_.valid()) return;
  waits_for_input_ = input;
  // One shot: the hang-up of a command that ended would otherwise be reported again and again while
  // a slow reader is waited for.
  std::uint32_t from_events = EPOLLONESHOT;
  std::uint32_t to_events = EPOLLOUT;
  if (input) {
    from_events = EPOLLIN;
    to_events = 0;
  }
  static_cast<void>(loop_.modify(from_.get(), from_events).has_value());
  if (target_watched_) static_cast<void>(loop_.modify(to_.fd(), to_events).has_value());
}

void OutputRelay::check_limit() {
  std::array<char, 1> beyond;
  auto read = sys::read_some(from_.get(), beyond);
  if (read && read->state == State::again) return;
  finish();
  if (read && read->state == State::some) events_.limit_reached();
}

bool OutputRelay::move_by_splice() {
  std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(budget_.left, 1U << 20U));
  auto moved = sys::splice_some(from_.get(), to_.fd(), most);
  if (!moved) {
    if (moved.error().os_errno() != EPIPE) events_.write_failed(moved.error());
    give_up_reader();
    return false;
  }
  if (moved->state == State::some) {
    budget_.left -= moved->bytes;
    budget_.delivered += moved->bytes;
    return true;
  }
  if (moved->state == State::end) {
    finish();
    return false;
  }
  auto unread = sys::unread_bytes(from_.get());
  wait_for(!unread || *unread == 0);
  return false;
}

bool OutputRelay::refill() {
  if (buffer_.empty()) buffer_.resize(kBufferBytes);
  std::size_t most =
      static_cast<std::size_t>(std::min<std::uint64_t>(budget_.left, buffer_.size()));
  auto read = sys::read_some(from_.get(), {buffer_.data(), most});
  if (!read) {
    events_.write_failed(read.error());
    finish();
    return false;
  }
  if (read->state == State::end) {
    finish();
    return false;
  }
  if (read->state == State::again) {
    wait_for(true);
    return false;
  }
  begin_ = 0;
  end_ = read->bytes;
  budget_.left -= read->bytes;
  if (events_.seen) events_.seen({buffer_.data(), end_});
  return true;
}

bool OutputRelay::flush() {
  auto written = to_.write({buffer_.data() + begin_, pending()});
  if (!written) events_.write_failed(written.error());
  if (!written || written->state == State::end) {
    give_up_reader();
    return false;
  }
  if (written->state == State::again) {
    wait_for(false);
    return false;
  }
  begin_ += written->bytes;
  budget_.delivered += written->bytes;
  return true;
}

void OutputRelay::hold() {
  if (held_ || !from_.valid()) return;
  held_ = true;
  static_cast<void>(loop_.modify(from_.get(), EPOLLONESHOT).has_value());
  if (target_watched_) static_cast<void>(loop_.modify(to_.fd(), 0).has_value());
}

void OutputRelay::resume() {
  if (!held_) return;
  held_ = false;
  waits_for_input_ = false;
  wait_for(true);
  pump();
}

void OutputRelay::pump() {
  if (held_) return;
  for (int round = 0; round < kRounds && from_.valid(); ++round) {
    if (pending() > 0) {
      if (!flush()) return;
    } else if (budget_.left == 0) {
      check_limit();
      return;
    } else if (to_.spliceable() && !events_.seen) {
      if (!move_by_splice()) return;
    } else if (!refill()) {
      return;
    }
  }
  wait_for(pending() == 0);
}

void OutputRelay::finish() {
  if (!from_.valid()) return;
  loop_.remove(from_.get());
  if (target_watched_) loop_.remove(to_.fd());
  from_.reset();
  to_.release();
  begin_ = end_ = 0;
}

InputRelay::InputRelay(sys::EventLoop& loop, const Source& from, UniqueFd to)
    : loop_(loop), from_(from), to_(std::move(to)) {}

Status InputRelay::start() {
  if (from_.kind == SourceKind::file) {
    off_t offset = ::lseek(from_.fd, 0, SEEK_CUR);
    seekable_ = offset >= 0;
    offset_ = seekable_ ? static_cast<std::uint64_t>(offset) : 0;
  }
  if (from_.kind == SourceKind::pipe) {
    WARD_ASSIGN(null_, sys::open_path("/dev/null", O_WRONLY));
  }
  WARD_TRY(loop_.add(to_.get(), 0, [this](std::uint32_t events) { on_command_end(events); }));
  WARD_ASSIGN(timer_, sys::make_timer());
  WARD_TRY(loop_.add(timer_.get(), EPOLLIN, [this](std::uint32_t) {
    static_cast<void>(sys::stop_timer(timer_.get()).has_value());
    on_command_end(EPOLLOUT);
  }));
  pump();
  return {};
}

void InputRelay::on_command_end(std::uint32_t events) {
  if ((events & EPOLLERR) != 0) {
    finish();  // the command closed its standard input
    return;
  }
  if (outstanding_ > 0) {
    auto unread = sys::unread_bytes(to_.get());
    if (unread && *unread > 0) {
      // Writable and yet not empty: it reads in small parts, or made its pipe larger.
      single_rounds_ = next_penalty_;
      next_penalty_ = std::min(next_penalty_ * 2, kMostSingleRounds);
      wait_for_reader(false);
      static_cast<void>(sys::set_timer(timer_.get(), kLookAgain).has_value());
      return;
    }
  }
  pump();
}

// Makes the command's empty pipe as large as what the caller has, so that the copy fills it.
void InputRelay::size_for_caller() {
  std::size_t pages = 1;
  auto waiting = sys::unread_bytes(from_.fd);
  if (single_rounds_ > 0)
    --single_rounds_;
  else if (waiting)
    pages = std::bit_floor(std::clamp<std::size_t>(*waiting / kPageBytes, 1, kMostPages));
  if (pages == pages_) return;
  if (sys::set_pipe_capacity(to_.get(), pages * kPageBytes)) pages_ = pages;
}

void InputRelay::wait_for_reader(bool wait) {
  std::uint32_t events = EPOLLOUT;
  if (!wait) events = 0;
  static_cast<void>(loop_.modify(to_.get(), events).has_value());
}

Status InputRelay::wait_for_caller() {
  wait_for_reader(false);
  // One shot: a hung-up caller would be reported again and again while the command has yet to read.
  std::uint32_t events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  if (caller_watched_) return loop_.modify(from_.fd, events);
  WARD_TRY(loop_.add(from_.fd, events, [this](std::uint32_t) { pump(); }));
  caller_watched_ = true;
  return {};
}

void InputRelay::pump() {
  if (!to_.valid()) return;
  if (from_.kind == SourceKind::pipe || from_.kind == SourceKind::socket)
    pump_shared();
  else
    pump_owned();
}

Result<sys::Transfer> InputRelay::copy_shared() {
  if (from_.kind == SourceKind::pipe) {
    size_for_caller();
    return sys::tee_some(from_.fd, to_.get(), kMostPages * kPageBytes);
  }
  if (buffer_.empty()) buffer_.resize(kPeekBytes);
  WARD_ASSIGN(sys::Transfer peeked,
              sys::receive_some(from_.fd, {buffer_.data(), kPeekBytes}, sys::Receive::peek));
  if (peeked.state != State::some) return peeked;
  WARD_ASSIGN(sys::Transfer written, sys::write_some(to_.get(), {buffer_.data(), peeked.bytes}));
  if (written.state == State::end) return fail_errno(EPIPE, "write");
  return written;
}

void InputRelay::take(std::size_t bytes) {
  while (bytes > 0) {
    auto taken =
        from_.kind == SourceKind::pipe
            ? sys::splice_some(from_.fd, null_.get(), bytes)
            : sys::receive_some(from_.fd, {buffer_.data(), std::min(bytes, buffer_.size())},
                                sys::Receive::take);
    // Somebody else took it meanwhile: there is nothing left to take.
    if (!taken || taken->state != State::some) break;
    bytes -= taken->bytes;
  }
}

void InputRelay::pump_shared() {
  for (int round = 0; round < kRounds; ++round) {
    if (outstanding_ > 0) {
      auto unread = sys::unread_bytes(to_.get());
      if (unread && *unread > 0) {
        wait_for_reader(true);
        return;
      }
      take(std::exchange(outstanding_, 0));
    }
    auto copied = copy_shared();
    if (!copied || copied->state == State::end) {
      finish();
      return;
    }
    if (copied->state == State::again) {
      if (!wait_for_caller()) finish();
      return;
    }
    outstanding_ = copied->bytes;
  }
  wait_for_reader(true);
}

Result<sys::Transfer> InputRelay::read_owned() {
  if (seekable_) return sys::read_some_at(from_.fd, buffer_, offset_);
  if (!sys::ready_now(from_.fd, sys::Direction::read)) return sys::Transfer{State::again, 0};
  return sys::read_some(from_.fd, buffer_);
}

void InputRelay::pump_owned() {
  if (buffer_.empty()) buffer_.resize(kBufferBytes);
  for (int round = 0; round < kRounds; ++round) {
    if (begin_ == end_) {
      auto read = read_owned();
      if (!read || read->state == State::end) {
        file_ended();
        return;
      }
      if (read->state == State::again) {
        if (!wait_for_caller()) finish();
        return;
      }
      begin_ = 0;
      end_ = read->bytes;
      offset_ += read->bytes;
    }
    auto written = sys::write_some(to_.get(), {buffer_.data() + begin_, end_ - begin_});
    if (!written || written->state == State::end) {
      finish();
      return;
    }
    if (written->state == State::again) break;
    begin_ += written->bytes;
  }
  wait_for_reader(true);
}

void InputRelay::file_ended() {
  auto meter = sys::reopen(to_.get(), O_RDONLY | O_NONBLOCK);
  if (!seekable_ || !meter) {
    finish();
    return;
  }
  meter_ = std::move(*meter);
  loop_.remove(to_.get());
  to_.reset();
}

void InputRelay::finish() {
  if (done()) return;
  auto unread = sys::unread_bytes(to_.valid() ? to_.get() : meter_.get());
  std::size_t left = unread ? *unread : 0;
  if (seekable_) {
    std::uint64_t not_taken = left + (end_ - begin_);
    ::lseek(from_.fd, static_cast<off_t>(offset_ - std::min(offset_, not_taken)), SEEK_SET);
  } else {
    take(outstanding_ - std::min(outstanding_, left));
    outstanding_ = 0;
  }
  close();
}

void InputRelay::close() {
  if (caller_watched_) loop_.remove(from_.fd);
  loop_.remove(timer_.get());
  if (to_.valid()) loop_.remove(to_.get());
  to_.reset();
  meter_.reset();
  release_caller_fd(from_.fd);
}

}  // namespace ward::keeper
