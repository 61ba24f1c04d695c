// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/tunnel.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>

#include "sys/stream.h"

namespace ward::egress {

namespace {

constexpr std::size_t kMaxIdlePipes = 64;
constexpr std::size_t kMaxLargePipes = 16;  // 16 MiB together
constexpr std::size_t kLargePipeBytes = 1U << 20U;
constexpr std::size_t kPartBytes = 1U << 20U;
// How many parts one connection moves before the others get their turn.
constexpr int kPartsInARow = 4;
// How long one direction may be silent after the other has ended.
constexpr auto kHalfClosedPatience = std::chrono::minutes(10);

// A pipe while bytes are under way. What is left in it at the end is lost with it.
class Borrowed {
 public:
  explicit Borrowed(PipePool& pool) : pool_(pool) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { put_back(); }
  Status take() {
    if (pipe_.reading.valid()) return {};
    WARD_ASSIGN(pipe_, pool_.take());
    return {};
  }
  void put_back() {
    if (pipe_.reading.valid() && held == 0) pool_.give_back(std::move(pipe_));
    pipe_ = {};
  }
  const PipePool::Pipe& operator*() const { return pipe_; }

  std::size_t held = 0;  // bytes in the pipe

 private:
  PipePool& pool_;
  PipePool::Pipe pipe_;
};

enum class Step { moved, starved, ended, broken };

// splice(2) without waiting. A reset is no end: passed on as one it would make a cut text look
// whole.
Step splice_now(int from, int to, std::size_t max, std::size_t& size) {
  for (;;) {
    const ssize_t done =
        ::splice(from, nullptr, to, nullptr, max, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno == EAGAIN ? Step::starved : Step::broken;
    size = static_cast<std::size_t>(done);
    return done == 0 ? Step::ended : Step::moved;
  }
}

Task<bool> drain(const Pair& pair, Socket& to, Borrowed& pipe, std::uint64_t& moved) {
  while (pipe.held > 0) {
    if (pair.broken) co_return false;
    std::size_t size = 0;
    const Step step = splice_now((*pipe).reading.get(), to.native_handle(), pipe.held, size);
    if (step == Step::moved) {
      pipe.held -= size;
      moved += size;
    } else {
      if (step != Step::starved) co_return false;
      const bool ready = co_await wait_for(to, Wait::write, kNever);
      if (!ready) co_return false;
    }
  }
  co_return true;
}

}  // namespace

Result<PipePool::Pipe> PipePool::take() {
  if (!idle_.empty()) {
    Pipe pipe = std::move(idle_.back());
    idle_.pop_back();
    return pipe;
  }
  WARD_ASSIGN(auto ends, sys::make_pipe());
  Pipe pipe{std::move(ends.first), std::move(ends.second), false};
  WARD_TRY(sys::set_nonblocking(pipe.reading.get()));
  WARD_TRY(sys::set_nonblocking(pipe.writing.get()));
  if (large_ < kMaxLargePipes && sys::set_pipe_capacity(pipe.writing.get(), kLargePipeBytes)) {
    pipe.large = true;
    ++large_;
  }
  return pipe;
}

void PipePool::give_back(Pipe pipe) {
  if (idle_.size() < kMaxIdlePipes) {
    idle_.push_back(std::move(pipe));
  } else if (pipe.large) {
    --large_;
  }
}

void break_off(Pair& pair) {
  pair.broken = true;
  // Whoever waits looks at `broken` next.
  boost::system::error_code code;
  code = pair.client.cancel(code);
  code = pair.upstream.cancel(code);
}

Task<void> pump(PipePool& pool, Pair& pair, Direction direction, std::uint64_t& moved) {
  Socket& from = direction == Direction::up ? pair.client : pair.upstream;
  Socket& to = direction == Direction::up ? pair.upstream : pair.client;
  Borrowed pipe(pool);
  for (int parts = 0; !pair.broken; ++parts) {
    if (parts % kPartsInARow == kPartsInARow - 1) co_await asio::post(from.get_executor(), kAwait);
    Step step = Step::broken;
    if (pipe.take())
      step = splice_now(from.native_handle(), (*pipe).writing.get(), kPartBytes, pipe.held);
    if (step == Step::ended) {
      ::shutdown(to.native_handle(), SHUT_WR);
      co_return;
    }
    bool good = step != Step::broken;
    if (step == Step::moved) good = co_await drain(pair, to, pipe, moved);
    if (step == Step::starved) {
      pipe.put_back();
      good = co_await wait_for(from, Wait::read, kNever);
    }
    if (!good) break_off(pair);
  }
}

Task<void> run_both(Pair& pair, Task<void> one, Task<void> other, const std::uint64_t& up,
                    const std::uint64_t& down) {
  // Both run beside this coroutine, which outlives them: what they refer to lives here.
  const Executor executor = pair.client.get_executor();
  Timer timer(executor, kNever);
  int running = 2;
  const auto ended = [&](const std::exception_ptr&) {
    --running;
    timer.cancel();
  };
  asio::co_spawn(executor, std::move(one), ended);
  asio::co_spawn(executor, std::move(other), ended);
  boost::system::error_code code;
  while (running == 2) co_await timer.async_wait(asio::redirect_error(kAwait, code));
  for (std::uint64_t before = up + down + 1; running == 1 && up + down != before;) {
    before = up + down;
    timer.expires_after(kHalfClosedPatience);
    co_await timer.async_wait(asio::redirect_error(kAwait, code));
  }
  if (running > 0) break_off(pair);
  timer.expires_at(kNever);
  while (running > 0) co_await timer.async_wait(asio::redirect_error(kAwait, code));
  if (!pair.broken) co_return;
  reset(pair.client);
  reset(pair.upstream);
}

Task<void> tunnel(PipePool& pool, Socket& client, Socket& upstream, std::uint64_t& up,
                  std::uint64_t& down) {
  Pair pair{client, upstream};
  Task<void> upward = pump(pool, pair, Direction::up, up);
  Task<void> downward = pump(pool, pair, Direction::down, down);
  co_await run_both(pair, std::move(upward), std::move(downward), up, down);
}

}  // namespace ward::egress
