// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_journal.h"

#include <unistd.h>

#include <optional>

#include "base/digest.h"
#include "journal/head_note.h"
#include "journal/run_events.h"
#include "journal/sqlite_journal.h"

namespace ward::cli {

namespace {

std::int64_t microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

std::optional<journal::Appended> append(journal::Journal& journal,
                                        const std::vector<journal::Event>& events,
                                        journal::Durability durability,
                                        std::vector<std::string>& warnings) {
  Result<journal::Appended> appended = journal.append(events, durability);
  if (!appended) {
    warnings.push_back("the journal could not be written: " + appended.error().describe());
    return std::nullopt;
  }
  if (!appended->notice.empty()) warnings.push_back(appended->notice);
  return *std::move(appended);
}

}  // namespace

RunJournal::RunJournal(const std::string& state_folder, std::string run)
    : journal_(journal::sqlite_journal({state_folder})),
      state_folder_(state_folder),
      run_(std::move(run)) {}

std::string RunJournal::policy_hash(const confine::PathPlan& plan) {
  return sha256_hex(plan.text());
}

void RunJournal::start(const std::vector<std::string>& command,
                       const std::string& working_directory, const std::string& workspace,
                       const std::vector<policy::Finding>& findings, const std::string& policy_hash,
                       std::vector<std::string>& warnings) {
  journal::RunStart start;
  start.run = run_;
  start.command = command;
  start.working_folder = working_directory;
  start.workspace = workspace;
  start.policy = policy_hash;
  if (Result<journal::ProcessMark> mark = journal::mark_of_self())
    start.supervisor = *std::move(mark);
  else
    warnings.push_back("the journal cannot tell this run's process: " + mark.error().describe());
  std::vector<journal::Event> events = {journal::run_started(start)};
  for (const policy::Finding& finding : findings) {
    if (finding.accepted_by == nullptr) continue;
    journal::Event event;
    event.kind = journal::EventKind::override_used;
    event.run = run_;
    event.payload.set("finding", finding.id)
        .set("message", finding.message)
        .set("origin", finding.accepted_by->origin.describe());
    events.push_back(std::move(event));
  }
  append(*journal_, events, journal::Durability::unsynced, warnings);
}

void RunJournal::egress(std::span<const egress::Record> records,
                        std::vector<std::string>& warnings) {
  std::vector<journal::Event> events;
  events.reserve(records.size());
  for (const egress::Record& record : records)
    events.push_back(journal::run_egress({
        .run = run_,
        .what = std::string(name_of(record.kind)),
        .protocol = std::string(name_of(record.protocol)),
        .verdict = std::string(name_of(record.verdict)),
        .host = record.host,
        .address = record.address,
        .port = record.port,
        .method = record.method,
        .path = record.path,
        .rule = record.rule,
        .reason = record.reason,
        .secrets = record.secrets,
        .bytes_up = static_cast<std::int64_t>(record.bytes_up),
        .bytes_down = static_cast<std::int64_t>(record.bytes_down),
        .started_ms = record.started.time_since_epoch().count(),
        .duration_us = record.duration.count(),
    }));
  append(*journal_, events, journal::Durability::unsynced, warnings);
}

void RunJournal::gate_decided(const egress::Ask& ask, const egress::Decision& decision,
                              std::vector<std::string>& warnings) {
  journal::Event event;
  event.kind = journal::EventKind::gate_decided;
  event.run = run_;
  event.payload.set_flag("allowed", decision.allow != 0);
  event.payload.set("method", ask.method);
  event.payload.set("url", ask.url);
  event.payload.set("gate", ask.gate);
  event.payload.set("reason", decision.reason);
  append(*journal_, {event}, journal::Durability::unsynced, warnings);
}

void RunJournal::reloaded(const std::string& error, std::vector<std::string>& warnings) {
  journal::Event event;
  event.kind = journal::EventKind::policy_reloaded;
  event.run = run_;
  event.payload.set_flag("in_force", error.empty());
  if (!error.empty()) event.payload.set("error", error);
  append(*journal_, {event}, journal::Durability::unsynced, warnings);
}

void RunJournal::end(const process::RunResult& result, std::vector<std::string>& warnings) {
  journal::RunEnd end;
  end.run = run_;
  end.outcome = describe(result.outcome);
  end.exit_status = exit_status(result.outcome);
  end.wall_us = microseconds(result.usage.wall);
  end.cpu_us = microseconds(result.resources.cpu_user + result.resources.cpu_system);
  end.peak_memory_bytes = static_cast<std::int64_t>(result.resources.peak_memory_bytes.value_or(0));
  end.output_bytes = static_cast<std::int64_t>(result.usage.output_bytes);
  end.denials_complete = result.denials_complete && result.denials_dropped == 0;
  for (const confine::Denial& denial : result.denials)
    end.denials.push_back({std::string(to_string(denial.act)), denial.target, denial.rule,
                           denial.remedy, denial.exact});
  const std::optional<journal::Appended> appended =
      // Waiting for the disk would cost more than the whole run; a power cut may take the last
      // records.
      append(*journal_, journal::run_ended(end), journal::Durability::unsynced, warnings);
  // Where the user's own rights do not reach. Many machines have no system log: no failure.
  if (appended)
    static_cast<void>(journal::send_to_syslog({.head = appended->head,
                                               .chain = appended->chain,
                                               .path = journal::sqlite_path(state_folder_),
                                               .uid = ::geteuid()}));
  if (Status settled = journal_->settle(); !settled)
    warnings.push_back("the journal could not be settled: " + settled.error().describe());
}

}  // namespace ward::cli
