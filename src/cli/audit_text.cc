// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "cli/audit.h"
#include "journal/run_events.h"

namespace ward::cli {

namespace {

using journal::Record;
using journal::Verification;
using nlohmann::json;

// What a line shows of a body, by kind and in this order; the rest is for --json.
struct Summary {
  std::string_view kind;
  std::array<const char*, 4> keys;
};
constexpr std::array kSummaries = std::to_array<Summary>({
    {"run-started", {"command"}},
    {"run-ended", {"outcome", "denials"}},
    {"denied", {"act", "target", "rule"}},
    {"egress", {"verdict", "host", "port", "rule"}},
});

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::ended: return "ended";
    case RunState::running: return "running";
    case RunState::killed: return "killed, no end was written";
    case RunState::unknown: return "unfinished, its supervisor cannot be seen from here";
  }
  return "";
}

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::ended: return "ended";
    case RunState::running: return "running";
    case RunState::killed: return "killed";
    case RunState::unknown: return "unknown";
  }
  return "";
}

std::string local_time(journal::Time time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  struct tm parts = {};
  std::array<char, 64> text = {};
  if (::localtime_r(&seconds, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts) == 0)
    return "time " + std::to_string(time.time_since_epoch().count());
  return text.data();
}

std::string one_value(const json& value) {
  if (value.is_string()) return escape_for_terminal(value.get_ref<const std::string&>());
  // Bytes that were no text, see journal/payload.h.
  if (value.is_object() && value.size() == 1 && value.contains("$bytes"))
    return escape_for_terminal(value.dump(-1, ' ', true, json::error_handler_t::replace));
  if (value.is_array()) {
    std::string words;
    for (const json& word : value) words += (words.empty() ? "" : " ") + one_value(word);
    return words;
  }
  return escape_for_terminal(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

std::string body_text(const Record& record) {
  const json body = json::parse(record.payload, nullptr, false);
  if (!body.is_object()) return escape_for_terminal(record.payload);
  for (const Summary& summary : kSummaries) {
    if (summary.kind != record.kind) continue;
    std::string text;
    for (const char* key : summary.keys) {
      if (key == nullptr || !body.contains(key)) continue;
      if (!text.empty()) text += "  ";
      if (body[key].is_number()) text += std::string(key) + " ";
      text += one_value(body[key]);
    }
    return text;
  }
  return one_value(body);
}

// ASCII only: an escape sequence or a bidirectional override in a name stays a \u escape.
std::string dump(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace

RunState run_state(const Record& start, bool has_end) {
  if (has_end) return RunState::ended;
  const auto supervisor = journal::supervisor_of(start);
  if (!supervisor) return RunState::unknown;
  switch (journal::liveness(*supervisor)) {
    case journal::Liveness::running: return RunState::running;
    case journal::Liveness::gone: return RunState::killed;
    case journal::Liveness::unknown: break;
  }
  return RunState::unknown;
}

std::string record_text(const Record& record, std::optional<RunState> state) {
  constexpr std::size_t kKindWidth = 16;
  constexpr std::size_t kRunWidth = 26;
  std::string run = record.run.empty() ? "-" : escape_for_terminal(record.run);
  std::string kind = escape_for_terminal(record.kind);
  if (run.size() < kRunWidth) run.append(kRunWidth - run.size(), ' ');
  if (kind.size() < kKindWidth) kind.append(kKindWidth - kind.size(), ' ');
  std::string line = std::to_string(record.seq) + "  " + local_time(record.time) + "  " + run +
                     "  " + kind + "  " + body_text(record);
  if (state && *state != RunState::ended) line += "  [" + std::string(to_string(*state)) + "]";
  return line + "\n";
}

std::string record_json(const Record& record, std::optional<RunState> state) {
  json object = {{"seq", record.seq},
                 {"time_us", record.time.time_since_epoch().count()},
                 {"run", record.run},
                 {"kind", record.kind},
                 {"hash", journal::to_hex(record.hash)},
                 {"previous", journal::to_hex(record.previous)}};
  json body = json::parse(record.payload, nullptr, false);
  if (body.is_discarded())
    object["payload_text"] = record.payload;
  else
    object["payload"] = std::move(body);
  if (state) object["state"] = name_of(*state);
  return dump(object);
}

std::string egress_text(const Record& record) {
  const json body = json::parse(record.payload, nullptr, false);
  auto text = [&](const char* key) {
    return body.is_object() && body.contains(key) ? one_value(body[key]) : std::string();
  };
  const std::string method = text("method"), address = text("address"), secrets = text("secrets");
  std::string line = local_time(record.time) + "  " + escape_for_terminal(record.run) + "  " +
                     text("verdict") + "  ";
  if (!method.empty()) line += method + " ";
  const std::string host = text("host");
  line += host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (text("port") != "0") line += ":" + text("port");
  line += text("path");
  if (!address.empty() && address != host) line += " at " + address;
  line += "  " + text("bytes_up") + " up, " + text("bytes_down") + " down  " + text("rule");
  if (!secrets.empty()) line += "  secrets put in: " + secrets;
  if (const std::string reason = text("reason"); !reason.empty()) line += "  (" + reason + ")";
  return line + "\n";
}

bool egress_was_denied(const Record& record) {
  const json body = json::parse(record.payload, nullptr, false);
  return body.is_object() && body.value("verdict", "") == "denied";
}

std::string verification_text(const Verification& verification) {
  std::string text;
  for (const journal::Finding& finding : verification.findings)
    text += std::string(journal::to_string(finding.kind)) + ": " +
            escape_for_terminal(finding.text) + "\n";
  if (verification.findings.size() == journal::kMaxFindings) text += "and perhaps more\n";
  text += std::to_string(verification.records) + " records";
  if (!verification.chain.empty()) text += ", chain " + verification.chain;
  if (verification.heads_met > 0)
    text += ", " + std::to_string(verification.heads_met) + " noted heads met";
  if (verification.heads_of_replaced > 0)
    text += ", " + std::to_string(verification.heads_of_replaced) +
            " noted heads belong to the journal it replaced";
  return text + (verification.sound() ? ": sound\n" : ": NOT SOUND\n");
}

std::string verification_json(const Verification& verification) {
  json findings = json::array();
  for (const journal::Finding& finding : verification.findings)
    findings.push_back(
        {{"kind", journal::to_string(finding.kind)}, {"seq", finding.seq}, {"text", finding.text}});
  json object = {{"sound", verification.sound()},
                 {"records", verification.records},
                 {"chain", verification.chain},
                 {"heads_met", verification.heads_met},
                 {"heads_of_replaced", verification.heads_of_replaced},
                 {"findings", std::move(findings)}};
  if (verification.head)
    object["head"] = {{"seq", verification.head->seq},
                      {"hash", journal::to_hex(verification.head->hash)}};
  return dump(object) + "\n";
}

}  // namespace ward::cli
