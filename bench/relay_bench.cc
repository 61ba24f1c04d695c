// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// relay_bench [MIB]: how fast the keeper's relays move bytes between two processes, beside one pipe
// that joins them directly. Prints MiB/s: the direct pipe, an output relay (splice between pipes),
// an output relay that copies (as into a socket or with a terminal), an input relay (tee).
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "keeper/relay.h"
#include "sys/event.h"
#include "sys/stream.h"

namespace {

using namespace ward;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPart = 65536;

// A child keeps its own end alone: any other would keep somebody from seeing the end.
void close_all_but(int kept) {
  for (int fd = 3; fd < 64; ++fd)
    if (fd != kept) ::close(fd);
}

pid_t start_writer(int out, std::size_t bytes) {
  pid_t pid = ::fork();
  if (pid != 0) return pid;
  close_all_but(out);
  std::vector<char> part(kPart, 'x');
  for (std::size_t sent = 0; sent < bytes;) {
    ssize_t size = ::write(out, part.data(), part.size());
    if (size <= 0) ::_exit(1);
    sent += static_cast<std::size_t>(size);
  }
  ::_exit(0);
}

pid_t start_reader(int in) {
  pid_t pid = ::fork();
  if (pid != 0) return pid;
  close_all_but(in);
  std::vector<char> part(kPart);
  while (::read(in, part.data(), part.size()) > 0) {
  }
  ::_exit(0);
}

template <class Move>
void measure(const char* name, std::size_t mebibytes, Move move) {
  auto first = sys::make_pipe();   // writer -> relay
  auto second = sys::make_pipe();  // relay -> reader
  if (!first || !second) std::exit(1);
  pid_t writer = -1;
  pid_t reader = -1;
  Clock::time_point begin = Clock::now();
  move(*first, *second, mebibytes << 20U, writer, reader);
  ::waitpid(writer, nullptr, 0);
  ::waitpid(reader, nullptr, 0);
  std::chrono::duration<double> seconds = Clock::now() - begin;
  std::printf("%-24s %8.0f MiB/s\n", name, static_cast<double>(mebibytes) / seconds.count());
}

using Pipe = std::pair<UniqueFd, UniqueFd>;

void start_ends(Pipe& first, Pipe& second, std::size_t bytes, pid_t& writer, pid_t& reader) {
  reader = start_reader(second.first.get());
  second.first.reset();
  writer = start_writer(first.second.get(), bytes);
  first.second.reset();
}

void relay_output(Pipe& first, Pipe& second, keeper::SourceKind kind) {
  auto loop = sys::EventLoop::create();
  keeper::OutputBudget budget;
  if (!loop || !sys::set_nonblocking(first.first.get())) std::exit(1);
  keeper::OutputRelay relay(*loop, std::move(first.first),
                            keeper::OutputTarget::open({kind, second.second.get()}), budget,
                            {[] {}, [](Error) {}, nullptr});
  if (!relay.start()) std::exit(1);
  while (!relay.done())
    if (!loop->run_once()) std::exit(1);
  second.second.reset();
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t mebibytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1024;
  measure("direct pipe", mebibytes,
          [](Pipe& first, Pipe& second, std::size_t bytes, pid_t& writer, pid_t& reader) {
            second.second.reset();
            reader = start_reader(first.first.get());
            first.first.reset();
            writer = start_writer(first.second.get(), bytes);
            first.second.reset();
          });
  measure("output relay, splice", mebibytes,
          [](Pipe& first, Pipe& second, std::size_t bytes, pid_t& writer, pid_t& reader) {
            start_ends(first, second, bytes, writer, reader);
            relay_output(first, second, keeper::SourceKind::pipe);
          });
  measure("output relay, copy", mebibytes,
          [](Pipe& first, Pipe& second, std::size_t bytes, pid_t& writer, pid_t& reader) {
            start_ends(first, second, bytes, writer, reader);
            relay_output(first, second, keeper::SourceKind::device);
          });
  measure("input relay, tee", mebibytes,
          [](Pipe& first, Pipe& second, std::size_t bytes, pid_t& writer, pid_t& reader) {
            start_ends(first, second, bytes, writer, reader);
            auto loop = sys::EventLoop::create();
            if (!loop || !sys::set_nonblocking(second.second.get()) ||
                !sys::set_pipe_capacity(second.second.get(), 4096))
              std::exit(1);
            keeper::InputRelay relay(*loop, {keeper::SourceKind::pipe, first.first.get()},
                                     std::move(second.second));
            if (!relay.start()) std::exit(1);
            while (!relay.done())
              if (!loop->run_once()) std::exit(1);
          });
  return 0;
}
