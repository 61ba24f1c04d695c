// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Relays: byte-exact copying between a caller's descriptor and the command's pipe, driven by an
// EventLoop. None ever waits in a read or write, and none sets a flag on the caller's open file: a
// pipe or terminal is opened a second time, a socket is used with MSG_DONTWAIT. A relay ends with
// its stream and then lets go of the caller's end, so that neighbours in a pipeline see what they
// would see without Ward. Single-threaded; the loop must outlive the relays.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "keeper/stdio.h"
#include "sys/event.h"
#include "sys/stream.h"

namespace ward::keeper {

// How many bytes of output are still wanted, and what was delivered; shared by all output relays.
struct OutputBudget {
  std::uint64_t left = UINT64_MAX;
  std::uint64_t delivered = 0;
};

// What an output relay writes to: the caller's descriptor, opened again where that is possible.
class OutputTarget {
 public:
  static OutputTarget open(const Source& source);

  int fd() const { return own_.valid() ? own_.get() : source_.fd; }
  // Whether a splice into it can never wait.
  bool spliceable() const { return source_.kind == SourceKind::pipe && own_.valid(); }
  Result<sys::Transfer> write(std::string_view bytes) const;
  // Lets go of it; a pipeline's next command sees end of file when all writers have.
  void release();

 private:
  OutputTarget(const Source& source, UniqueFd own) : source_(source), own_(std::move(own)) {}
  Source source_;
  UniqueFd own_;
};

// Closes the caller's descriptor in this process as far as others can tell: /dev/null takes its
// number. Standard error is kept, for Ward's own errors.
void release_caller_fd(int fd);

// From the command's pipe to the caller.
class OutputRelay {
 public:
  struct Events {
    std::function<void()> limit_reached;      // more output came than the budget allows
    std::function<void(Error)> write_failed;  // the caller's file could not take it
    std::function<void()> reader_gone;        // nobody reads any longer; may be empty
    // Sees what the command wrote, as it comes. Where set, bytes are copied and not spliced.
    std::function<void(std::string_view)> seen = {};
  };

  OutputRelay(sys::EventLoop& loop, UniqueFd from, OutputTarget to, OutputBudget& budget,
              Events events);
  OutputRelay(const OutputRelay&) = delete;
  OutputRelay& operator=(const OutputRelay&) = delete;
  ~OutputRelay() { finish(); }

  Status start();
  // Everything was delivered, or nobody reads it any longer.
  bool done() const { return !from_.valid(); }
  // Whether bytes wait that the caller has not taken.
  bool holds_bytes() const { return pending() > 0; }
  // Moves what is there now, without waiting.
  void pump();
  // Moves nothing until resume(): the command waits in its writes.
  void hold();
  void resume();
  // Gives up what is left.
  void finish();

 private:
  std::size_t pending() const { return end_ - begin_; }
  void give_up_reader();
  // Each returns whether to go on at once.
  bool move_by_splice();
  bool refill();
  bool flush();
  void check_limit();
  void wait_for(bool input);
  void on_target(std::uint32_t events);

  sys::EventLoop& loop_;
  UniqueFd from_;
  OutputTarget to_;
  OutputBudget& budget_;
  Events events_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool target_watched_ = false;
  bool waits_for_input_ = true;
  bool held_ = false;
};

// From the caller to the command's pipe, taking no more from the caller than the command took: a
// pipe is copied by tee(2) and a socket peeked at, one fill of the command's pipe at a time, and
// dropped from the caller when the command has read it; a file's offset is set back at the end. The
// kernel tells a writer that its pipe was read only if the pipe was full, so the pipe is made as
// small as what there is to copy; where that does not help, a timer looks again.
class InputRelay {
 public:
  InputRelay(sys::EventLoop& loop, const Source& from, UniqueFd to);
  InputRelay(const InputRelay&) = delete;
  InputRelay& operator=(const InputRelay&) = delete;
  ~InputRelay() { finish(); }

  Status start();
  bool done() const { return !to_.valid() && !meter_.valid(); }
  // Settles what was taken and lets go of the caller's descriptor.
  void finish();

 private:
  void pump();
  void pump_shared();
  void pump_owned();
  Result<sys::Transfer> read_owned();
  void on_command_end(std::uint32_t events);
  void size_for_caller();
  void file_ended();
  // Copies what the caller has into the command's empty pipe, without taking it.
  Result<sys::Transfer> copy_shared();
  void take(std::size_t bytes);
  void wait_for_reader(bool wait);
  Status wait_for_caller();
  void close();

  sys::EventLoop& loop_;
  Source from_;
  UniqueFd to_;
  UniqueFd null_;
  UniqueFd timer_;
  UniqueFd meter_;  // a read end, to see what a file's reader left after the write end is closed
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t outstanding_ = 0;  // copied to the command, not yet taken from the caller
  std::size_t pages_ = 1;        // capacity of the command's pipe
  int single_rounds_ = 0;        // how many fills stay at one page
  int next_penalty_ = 64;
  std::uint64_t offset_ = 0;  // in a file: of what is read next
  bool seekable_ = false;
  bool caller_watched_ = false;
};

}  // namespace ward::keeper
