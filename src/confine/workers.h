// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Workers: forked helpers that do for a caller what may take long (opening a FIFO, connecting to a
// full queue) or needs the caller's view (binding a socket to a path), and answer it themselves.
// The notifier owns them: each is reaped, killed when its caller is gone, and dies with the
// supervisor. One thread.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/reply.h"

namespace ward::confine {

inline constexpr std::size_t kMostWorkers = 64;

class Workers {
 public:
  // Watches its workers through this epoll descriptor, which must outlive it.
  explicit Workers(int epoll) : epoll_(epoll) {}
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs `job` in a child that keeps only the listener and the descriptors of `keep`, and sends
  // what it returns to the caller. Fails (EAGAIN) over kMostWorkers.
  Status start(const Caller& caller, std::span<const int> keep, const std::function<Reply()>& job);

  // The same, and waits for the end of the child: for jobs that do not block.
  Status run(const Caller& caller, std::span<const int> keep, const std::function<Reply()>& job);

  // Was this epoll event about a worker? Then it is reaped.
  bool reap(int fd);
  // Kills those whose callers are gone.
  void end_orphans();
  bool empty() const { return running_.empty(); }

 private:
  struct Worker {
    UniqueFd pidfd;
    Caller caller;
  };
  int epoll_;
  std::map<int, Worker> running_;  // by pidfd
};

// Sends a reply. ENOENT, the caller being gone, is no failure.
Status send_reply(const Caller& caller, const Reply& reply);

}  // namespace ward::confine
