// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// RunDoor: where another `ward` of the same user reaches a run that goes on: a socket in the state
// folder, which no sandbox can reach. One short word or line in, one answer out. Owned by the run,
// on its one thread; it never waits for whoever knocks. Source: unix(7).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sys/event.h"

namespace ward::cli {

// Read the policy's documents again; the network's rules of them come into force.
inline constexpr const char* kReloadRequest = "reload";
// "approve NUMBER" and "deny NUMBER": what becomes of a held request; 0: the only one.
inline constexpr const char* kApproveRequest = "approve ";
inline constexpr const char* kDenyRequest = "deny ";

class RunDoor {
 public:
  // To be called once, at once or later: "" where it was done, else why not.
  using Answer = std::function<void(const std::string& error)>;
  using Handler = std::function<void(const std::string& request, Answer answer)>;

  static Result<std::unique_ptr<RunDoor>> open(const std::string& state_folder,
                                               const std::string& run, Handler handler);
  RunDoor(const RunDoor&) = delete;
  RunDoor& operator=(const RunDoor&) = delete;
  ~RunDoor();

  int fd() const { return loop_.fd(); }
  Status on_readable() { return loop_.run_ready(); }

 private:
  RunDoor(sys::EventLoop loop, UniqueFd folder, std::string run, Handler handler)
      : loop_(std::move(loop)),
        folder_(std::move(folder)),
        run_(std::move(run)),
        handler_(std::move(handler)) {}
  void accept_visitor();
  void listen_to(std::uint64_t visitor);
  void answer(std::uint64_t visitor, const std::string& error);

  sys::EventLoop loop_;
  UniqueFd folder_;
  std::string run_;
  Handler handler_;
  UniqueFd socket_;
  std::map<std::uint64_t, UniqueFd> visitors_;
  std::uint64_t next_visitor_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// The other side: asks a run, and waits for its answer. An error is the run's own, or says that
// there is no such run.
Status ask_run(const std::string& state_folder, const std::string& run, const std::string& request);

}  // namespace ward::cli
