// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Streams of bytes without waiting: pipes, stream sockets, terminals and files, a part at a time. A
// Transfer tells "nothing now", "end" and "so many bytes" apart; only other failures are errors.
// O_NONBLOCK is set on descriptors of Ward's own only, since it belongs to the open file and a
// caller's shell shares that. Safe from any thread. Sources: read(2), write(2), tee(2), splice(2),
// recv(2), pipe(7), kcmp(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

struct Transfer {
  enum class State {
    some,   // `bytes` were moved
    again,  // none now; wait for the descriptor
    end,    // reading: end of file or a hung-up terminal; writing: nobody reads any longer
  };
  State state = State::some;
  std::size_t bytes = 0;
};

Result<Transfer> read_some(int fd, std::span<char> into);
Result<Transfer> read_some_at(int fd, std::span<char> into, std::uint64_t offset);
Result<Transfer> write_some(int fd, std::string_view bytes);

enum class Receive { take, peek };
// For stream sockets; never wait, whatever the descriptor's flags.
Result<Transfer> receive_some(int socket, std::span<char> into, Receive how);
Result<Transfer> send_some(int socket, std::string_view bytes);

// Between pipes, without waiting and without copying: `tee_some` leaves the bytes in `from`.
// `again` may mean either side.
Result<Transfer> tee_some(int from, int to, std::size_t max_bytes);
Result<Transfer> splice_some(int from, int to, std::size_t max_bytes);

enum class Direction { read, write };
// Whether poll(2) says that a call in this direction does not wait.
bool ready_now(int fd, Direction direction);

// {read end, write end}, both close-on-exec and blocking.
Result<std::pair<UniqueFd, UniqueFd>> make_pipe();
// Rounded up by the kernel to a power of two of pages.
Status set_pipe_capacity(int pipe, std::size_t bytes);
// What lies in a pipe (either end) or socket unread.
Result<std::size_t> unread_bytes(int fd);
Status set_nonblocking(int fd);

// A new open file of the same pipe, terminal or file, through /proc/self/fd.
Result<UniqueFd> reopen(int fd, int flags);
// Whether two descriptors share one open file (and so its offset). Where the kernel does not tell,
// that they name the same object.
bool same_open_file(int a, int b);

}  // namespace ward::sys
