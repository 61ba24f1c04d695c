// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Moves bytes both ways between two connections, untouched and without copying them through this
// process (splice(2), by pipes that are borrowed only while bytes are under way). Each direction
// ends by itself, so that a half-closed connection works; a connection that broke ends both. One
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"
#include "egress/gateway/asio.h"
#include "egress/gateway/io.h"

namespace ward::egress {

// Pipes for splice(2). Large ones count against what the kernel lets one user have, so only the
// first are; a pipe is returned empty, or closed.
class PipePool {
 public:
  struct Pipe {
    UniqueFd reading, writing;
    bool large = false;
  };
  // An error where descriptors have run out.
  Result<Pipe> take();
  void give_back(Pipe pipe);

 private:
  std::vector<Pipe> idle_;
  std::size_t large_ = 0;
};

// The two ends of one exchange.
struct Pair {
  Socket& client;
  Socket& upstream;
  bool broken = false;
};
enum class Direction : unsigned char { up, down };

// Ends both directions. A connection that broke is reset on both sides and not ended: an end would
// make a text that was cut off look whole.
void break_off(Pair& pair);

// One direction: until the end of what it reads, which is passed on, or until the pair is broken.
// `moved` is kept up to date.
Task<void> pump(PipePool& pool, Pair& pair, Direction direction, std::uint64_t& moved);

// Runs both tasks, which move bytes between the pair and count them. When one has ended the other
// may go on while something moves; after a long silence the pair is broken. Returns when both have
// ended.
Task<void> run_both(Pair& pair, Task<void> one, Task<void> other, const std::uint64_t& up,
                    const std::uint64_t& down);

// Both directions; `up` counts what goes from `client`.
Task<void> tunnel(PipePool& pool, Socket& client, Socket& upstream, std::uint64_t& up,
                  std::uint64_t& down);

}  // namespace ward::egress
