// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// LetThrough remembers the threads whose creating call was checked and then left to the kernel,
// until each is seen to be over. The kernel reads the path only when the thread runs again, and a
// sandbox can put that off for as long as it likes: by the idle scheduling class beside busy
// threads. Whatever appears meanwhile may be its doing. One thread; sampled once a second. Source:
// proc(5), /proc/PID/syscall and /proc/PID/stat.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <unordered_map>

namespace ward::confine {

class LetThrough {
 public:
  // The thread's call `number` has been let through.
  void note(pid_t thread, int number) { calls_[thread] = {number, std::nullopt}; }
  // The thread has made another call: the one before is over.
  void over(pid_t thread);
  bool empty() const { return calls_.empty(); }
  // Is a call under way, or was one seen to be over in the last moments? It may have ended right
  // before that, and what it made may not have been seen yet.
  bool lately() const;

  // Looks at each thread once more and drops those whose call is over: it is gone, waits in another
  // call, or has spent time outside of the kernel since it was looked at before.
  void sample();

 private:
  struct Call {
    int number = 0;
    std::optional<unsigned long> user_ticks;  // at the last look
  };
  static bool is_over(pid_t thread, Call& call);

  std::unordered_map<pid_t, Call> calls_;
  std::optional<std::chrono::steady_clock::time_point> last_over_;
};

}  // namespace ward::confine
