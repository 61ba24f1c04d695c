// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Journal: the record of all that Ward did and stopped, an append-only chain of events in which
// each one's hash covers the one before (chain.h). Many processes append to one journal; the
// implementation keeps the chain linear. An object belongs to one thread, and a run owns its own.
// sqlite_journal.h has the implementation for one machine.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/payload.h"

namespace ward::journal {

using Time = std::chrono::sys_time<std::chrono::microseconds>;
using Hash = std::array<std::uint8_t, 32>;

enum class EventKind {
  journal_created,  // the first of every chain; says what it replaces, if anything
  run_started,      // before the command; without a run_ended: still running, or killed
  run_ended,
  denied,         // the boundary stopped something
  override_used,  // a finding of the policy check was overridden by name
  review_held,
  review_applied,
  review_discarded,
  review_expired,
  policy_trusted,
  gate_decided,
  egress,           // a connection, a request or a refused name of a run
  policy_reloaded,  // a run's rules of the network were changed while it ran
};
std::string_view to_string(EventKind kind);

// What is to be written. `run` is the text of an Id, or empty where no run is concerned.
struct Event {
  EventKind kind = EventKind::run_started;
  std::string run = {};
  Time time = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  Payload payload = {};
};

// What was read, believed only after verify(): any field may be somebody else's.
struct Record {
  std::int64_t seq = 0;
  Time time;
  std::string run;
  std::string kind;          // text, since a newer Ward may know more kinds
  std::string payload = {};  // JSON
  Hash previous = {};
  Hash hash = {};
  bool operator==(const Record&) const = default;
};

// A point of the chain; noted elsewhere, it proves that the records up to it were not taken away.
struct Head {
  std::int64_t seq = 0;
  Hash hash = {};
  bool operator==(const Head&) const = default;
};

struct Appended {
  Head head;
  std::string chain;   // which chain it is: chain_id() of its first record
  std::string notice;  // what a person must know (a damaged journal was set aside), or empty
};

// Until when the new records are on the disk.
enum class Durability {
  unsynced,  // a killed process loses nothing, a power cut loses the last ones
  synced,    // a power cut loses nothing
};

struct Query {
  std::string run = {};                   // only this run's, or empty
  std::optional<EventKind> kind = {};     // only these
  std::optional<std::int64_t> last = {};  // of those, only so many from the end
};

class Journal {
 public:
  virtual ~Journal() = default;

  // Writes all events in one transaction, or none. An error never means that a run must not go on:
  // the caller reports it.
  virtual Result<Appended> append(std::span<const Event> events, Durability durability) = 0;
  // To be called after a run, where time is less dear: keeps the next start cheap.
  virtual Status settle() = 0;
  // In the order of the chain, until `visit` returns false. A journal that was never written is
  // empty. Reading changes nothing, damage is an error.
  virtual Status scan(const Query& query, const std::function<bool(const Record&)>& visit) = 0;
  virtual Result<std::optional<Head>> head() = 0;
};

}  // namespace ward::journal
