// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The events of a run, from plain values to bodies: which keys each has is decided here and
// documented in docs/journal.md. What is long (an argument list, many denials) is cut and says so,
// for the record before a command must stay short. Values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "journal/process_mark.h"

namespace ward::journal {

struct RunStart {
  std::string run = {};
  std::string layer = "process";
  std::vector<std::string> command = {};
  std::string working_folder = {};
  std::string workspace = {};
  std::string policy = {};  // which one is in force: the hash of its printed form
  ProcessMark supervisor = {};
};

struct RunDenial {
  std::string act = {};  // "write", "connect", ...
  std::string target = {};
  std::string rule = {};
  std::string remedy = {};
  bool exact = true;
};

struct RunEnd {
  std::string run = {};
  std::string outcome = {};  // the outcome vocabulary, as text: "exited(0)"
  int exit_status = 0;
  std::int64_t wall_us = 0;
  std::int64_t cpu_us = 0;
  std::int64_t peak_memory_bytes = 0;
  std::int64_t output_bytes = 0;
  bool denials_complete = false;
  std::vector<RunDenial> denials = {};
};

// One record of the gateway's log.
struct RunEgress {
  std::string run = {};
  std::string what = {};  // "connection", "request", "question"
  std::string protocol = {};
  std::string verdict = {};
  std::string host = {};
  std::string address = {};  // what was dialled, or empty
  int port = 0;
  std::string method = {}, path = {};  // of a request
  std::string rule = {}, reason = {};
  std::vector<std::string> secrets = {};  // the names of those that were put in
  std::int64_t bytes_up = 0;              // from the sandbox
  std::int64_t bytes_down = 0;
  std::int64_t started_ms = 0;
  std::int64_t duration_us = 0;
};

Event run_egress(const RunEgress& record);
Event run_started(const RunStart& start);
// The denials (at most kMaxDenials of them, the rest counted) and then the end: one append.
std::vector<Event> run_ended(const RunEnd& end);

inline constexpr std::size_t kMaxDenials = 1000;
inline constexpr std::size_t kMaxCommandBytes = 4096;  // of all arguments together
inline constexpr std::size_t kMaxFieldBytes = 8192;    // of any other text

// Whose run it is, from a run-started record; nothing where the record does not say.
std::optional<ProcessMark> supervisor_of(const Record& record);

}  // namespace ward::journal
