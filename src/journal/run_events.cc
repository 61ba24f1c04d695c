// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/run_events.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ward::journal {

namespace {

Payload payload_of(const ProcessMark& mark) {
  Payload payload;
  payload.set_number("pid", mark.pid)
      .set_number("start_ticks", static_cast<std::int64_t>(mark.start_ticks))
      .set("boot", mark.boot)
      .set_number("pid_namespace", static_cast<std::int64_t>(mark.pid_namespace));
  return payload;
}

// As much of the arguments as fits; `cut` says whether that is less than all.
std::vector<std::string> within_limit(const std::vector<std::string>& command, bool& cut) {
  std::vector<std::string> kept;
  std::size_t left = kMaxCommandBytes;
  for (const std::string& argument : command) {
    cut = argument.size() > left;
    kept.push_back(argument.substr(0, left));
    left -= kept.back().size();
    if (cut || left == 0) break;
  }
  cut = cut || kept.size() < command.size();
  return kept;
}

std::string within_field(const std::string& text) { return text.substr(0, kMaxFieldBytes); }

Event denied(const std::string& run, const RunDenial& denial) {
  Event event = {.kind = EventKind::denied, .run = run};
  event.payload.set("act", denial.act)
      .set("target", within_field(denial.target))
      .set("rule", within_field(denial.rule))
      .set_flag("exact", denial.exact);
  if (!denial.remedy.empty()) event.payload.set("remedy", within_field(denial.remedy));
  return event;
}

}  // namespace

Event run_started(const RunStart& start) {
  Event event = {.kind = EventKind::run_started, .run = start.run};
  bool cut = false;
  event.payload.set("layer", start.layer)
      .set_list("command", within_limit(start.command, cut))
      .set("folder", within_field(start.working_folder))
      .set("workspace", within_field(start.workspace))
      .set("policy", within_field(start.policy))
      .set("supervisor", payload_of(start.supervisor));
  if (cut) event.payload.set_number("arguments", static_cast<std::int64_t>(start.command.size()));
  return event;
}

Event run_egress(const RunEgress& record) {
  Event event = {.kind = EventKind::egress, .run = record.run};
  Payload& payload = event.payload;
  payload.set("what", record.what)
      .set("protocol", record.protocol)
      .set("verdict", record.verdict)
      .set("host", within_field(record.host))
      .set_number("port", record.port)
      .set("rule", within_field(record.rule))
      .set_number("bytes_up", record.bytes_up)
      .set_number("bytes_down", record.bytes_down)
      .set_number("started_ms", record.started_ms)
      .set_number("duration_us", record.duration_us);
  if (!record.address.empty()) payload.set("address", within_field(record.address));
  if (!record.method.empty()) payload.set("method", within_field(record.method));
  if (!record.path.empty()) payload.set("path", within_field(record.path));
  if (!record.reason.empty()) payload.set("reason", within_field(record.reason));
  if (!record.secrets.empty()) payload.set_list("secrets", record.secrets);
  return event;
}

std::vector<Event> run_ended(const RunEnd& end) {
  std::vector<Event> events;
  const std::size_t written = std::min(end.denials.size(), kMaxDenials);
  events.reserve(written + 1);
  for (std::size_t index = 0; index < written; ++index)
    events.push_back(denied(end.run, end.denials[index]));
  Event event = {.kind = EventKind::run_ended, .run = end.run};
  event.payload.set("outcome", within_field(end.outcome))
      .set_number("exit_status", end.exit_status)
      .set_number("wall_us", end.wall_us)
      .set_number("cpu_us", end.cpu_us)
      .set_number("peak_memory_bytes", end.peak_memory_bytes)
      .set_number("output_bytes", end.output_bytes)
      .set_number("denials", static_cast<std::int64_t>(end.denials.size()))
      .set_flag("denials_complete", end.denials_complete);
  events.push_back(std::move(event));
  return events;
}

std::optional<ProcessMark> supervisor_of(const Record& record) {
  const auto payload = nlohmann::json::parse(record.payload, nullptr, false);
  if (!payload.is_object()) return std::nullopt;
  const auto supervisor = payload.find("supervisor");
  if (supervisor == payload.end() || !supervisor->is_object()) return std::nullopt;
  auto number = [&](const char* key) -> std::int64_t {
    const auto member = supervisor->find(key);
    return member != supervisor->end() && member->is_number_integer() ? member->get<std::int64_t>()
                                                                      : 0;
  };
  const auto boot = supervisor->find("boot");
  ProcessMark mark = {.pid = static_cast<pid_t>(number("pid")),
                      .start_ticks = static_cast<std::uint64_t>(number("start_ticks")),
                      .boot = {},
                      .pid_namespace = static_cast<std::uint64_t>(number("pid_namespace"))};
  if (boot != supervisor->end() && boot->is_string()) mark.boot = boot->get<std::string>();
  return mark;
}

}  // namespace ward::journal
