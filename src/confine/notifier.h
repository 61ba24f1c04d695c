// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Notifier: answers the calls that the filter hands to the supervisor. It refuses creations,
// renames and removals of protected names, performs connects, and with `trace` names the rule of
// what the kernel refuses. It is served by the one thread of the keeper's loop and never blocks it:
// what may take long is done by a forked worker or completed later. Source: seccomp_unotify(2).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/connect_broker.h"
#include "confine/denial.h"
#include "confine/path_plan.h"

namespace ward::confine {

struct NotifierSpec {
  // The names, and in `plan.protect` the mechanism.
  PathPlan plan;
  // Writable private folders of the sandbox (/tmp, /var/tmp, /dev/shm, ...): `emulate` creates
  // there and in the plan's writable rows.
  std::vector<std::string> private_folders;
  // Host sockets that may be connected to: canonical paths, the same inside and outside.
  std::vector<std::string> allowed_sockets;
  bool trace = false;
  // Names that made_name_of_interest() tells of: those a creating call was made for, and those that
  // were made and had not been there before.
  std::vector<std::string_view> names_of_interest;
  std::vector<std::string_view> new_names_of_interest;
  // What the trace judges by, where that is not what the sandbox is confined by: it then reports
  // what these rules would have denied.
  std::shared_ptr<const AccessRules> judge;
  NetworkJudge network;
};

// What the launcher hands out of the sandbox.
struct NotifierChannels {
  UniqueFd listener;     // of sys::install_filter
  UniqueFd diagnostics;  // sys::open_unix_diagnostics() called in the sandbox's network namespace
};

class Notifier {
 public:
  using OnDenial = std::function<void(const Denial&)>;

  // Made while the sandbox is still setting itself up; it answers from start() on.
  static Result<Notifier> create(NotifierSpec spec, OnDenial on_denial);
  Notifier(Notifier&&) noexcept;
  Notifier& operator=(Notifier&&) noexcept;
  ~Notifier();

  void start(NotifierChannels channels);

  // The listener: readable when a call waits, at its end when every process of the sandbox is gone;
  // poll it no more once finished().
  int fd() const;
  // Answers one call that waits; does nothing if none does. An error means that the supervisor can
  // no longer answer: the run must be ended.
  Status on_readable();
  bool finished() const;

  // Performs the connects that NetworkJudge::before has let wait for this endpoint.
  void resume_connects(const sys::Endpoint& endpoint);

  // Readable when something that was started for a caller is over, and once a second while anything
  // is under way: what was started for callers that have died is ended then.
  int side_fd() const;
  Status on_side_readable();

  // Could a call of the sandbox that was let through to the kernel create something now, or have
  // created what is seen now? Never where the supervisor performs them. The watch tells by it what
  // came from inside.
  bool may_be_creating() const;
  // When such a call was last let through; nothing if never.
  std::optional<std::chrono::steady_clock::time_point> last_creation() const;

  // Whether a call that passed may have made one of the names of interest, or moved a folder. Told
  // by the paths as they were read: with `guard` a racing thread can exchange one and hide it.
  bool made_name_of_interest() const;

 private:
  struct State;
  explicit Notifier(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ward::confine
