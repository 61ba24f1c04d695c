// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// GateDesk: where requests wait that a gate of the policy holds. Who decides: the person at the
// run's terminal, `ward approve` and `ward deny` from elsewhere, or the deadline, which denies. A
// request that nobody can be asked about is denied. Owned by the run, on its one thread; nothing
// waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/wire.h"
#include "keeper/question.h"
#include "sys/event.h"

namespace ward::process {

inline constexpr std::chrono::seconds kGatePatience = std::chrono::minutes(5);
inline constexpr std::size_t kMostHeld = 64;

struct HeldRequest {
  std::uint64_t number = 0;  // within the run, from 1
  egress::Ask ask;
  bool at_terminal = false;  // the person there is being asked
};

struct GateEvents {
  std::function<Status(const egress::Decision&)> decide;
  // Asks the person at the terminal; false where there is none, or one is being asked already.
  std::function<bool(keeper::Question)> ask_at_terminal;
  std::function<void(const std::string& note)> withdraw_question;
  std::function<void(const HeldRequest&)> on_held;
  std::function<void(const HeldRequest&, const egress::Decision&)> on_decided;
};

class GateDesk {
 public:
  static Result<std::unique_ptr<GateDesk>> create(GateEvents events,
                                                  std::chrono::milliseconds patience);
  GateDesk(const GateDesk&) = delete;
  GateDesk& operator=(const GateDesk&) = delete;

  void hold(egress::Ask ask);
  enum class Choice : std::uint8_t { deny, allow };
  // `number` 0: the only one that is held. An error says that there is none, or several.
  Status decide(std::uint64_t number, Choice choice, const std::string& who);

  // Readable when a deadline has passed.
  int fd() const { return timer_.get(); }
  Status on_readable();

 private:
  struct Waiting {
    HeldRequest request;
    std::chrono::steady_clock::time_point deadline;
  };
  GateDesk(GateEvents events, std::chrono::milliseconds patience, UniqueFd timer)
      : events_(std::move(events)), patience_(patience), timer_(std::move(timer)) {}
  void settle(std::map<std::uint64_t, Waiting>::iterator held, Choice choice, std::string reason);
  void ask_next();
  Status arm();

  GateEvents events_;
  std::chrono::milliseconds patience_;
  UniqueFd timer_;
  std::map<std::uint64_t, Waiting> held_;
  std::uint64_t last_ = 0;
  std::uint64_t asked_ = 0;  // whose question is on the terminal; 0: none
};

}  // namespace ward::process
