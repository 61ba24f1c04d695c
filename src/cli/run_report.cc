// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/escape.h"
#include "cli/review_common.h"

namespace ward::cli {

namespace {

using nlohmann::json;

json outcome_json(const Outcome& outcome) {
  json value = {{"kind", outcome_name(outcome)}, {"text", describe(outcome)}};
  if (const auto* exited = std::get_if<Exited>(&outcome)) value["code"] = exited->code;
  if (const auto* signalled = std::get_if<Signalled>(&outcome)) value["signal"] = signalled->signal;
  if (const auto* killed = std::get_if<PolicyKilled>(&outcome)) value["what"] = killed->what;
  return value;
}

json usage_json(const process::RunResult& result) {
  const confine::Usage& used = result.resources;
  json value = {
      {"wallMs", std::chrono::duration<double, std::milli>(result.usage.wall).count()},
      {"cpuUserMs", std::chrono::duration<double, std::milli>(used.cpu_user).count()},
      {"cpuSystemMs", std::chrono::duration<double, std::milli>(used.cpu_system).count()},
      {"outputBytes", result.usage.output_bytes},
      {"source", used.source == confine::Usage::Source::cgroup ? "cgroup" : "rusage"},
  };
  if (used.peak_memory_bytes) value["peakMemoryBytes"] = *used.peak_memory_bytes;
  if (used.read_bytes) value["readBytes"] = *used.read_bytes;
  if (used.written_bytes) value["writtenBytes"] = *used.written_bytes;
  return value;
}

json denials_json(const process::RunResult& result) {
  json list = json::array();
  for (const confine::Denial& denial : result.denials)
    list.push_back({{"act", to_string(denial.act)},
                    {"target", denial.target},
                    {"rule", denial.rule},
                    {"remedy", denial.remedy},
                    {"exact", denial.exact}});
  return {{"list", list},
          {"complete", result.denials_complete && result.denials_dropped == 0},
          {"dropped", result.denials_dropped}};
}

// Who was talked to: one entry for each host, port and verdict.
json egress_json(const process::EgressLog& log) {
  std::map<std::tuple<std::string, std::uint16_t, std::string_view>, json> hosts;
  for (const egress::Record& record : log.records) {
    json& entry = hosts[{record.host, record.port, name_of(record.verdict)}];
    if (entry.is_null())
      entry = {{"host", record.host},           {"port", record.port},
               {"rule", record.rule},           {"verdict", name_of(record.verdict)},
               {"count", std::uint64_t{0}},     {"bytesUp", std::uint64_t{0}},
               {"bytesDown", std::uint64_t{0}}, {"secrets", json::array()}};
    entry["count"] = entry["count"].get<std::uint64_t>() + 1;
    entry["bytesUp"] = entry["bytesUp"].get<std::uint64_t>() + record.bytes_up;
    entry["bytesDown"] = entry["bytesDown"].get<std::uint64_t>() + record.bytes_down;
    for (const std::string& secret : record.secrets)
      if (std::find(entry["secrets"].begin(), entry["secrets"].end(), secret) ==
          entry["secrets"].end())
        entry["secrets"].push_back(secret);
  }
  json list = json::array();
  for (auto& [key, entry] : hosts) list.push_back(std::move(entry));
  return {{"list", list}, {"omitted", log.omitted}};
}

json changes_json(const process::Changes& changes) {
  return {{"created", changes.created},     {"changed", changes.changed},
          {"deleted", changes.deleted},     {"gitFolders", changes.git_folders},
          {"uncertain", changes.uncertain}, {"omitted", changes.omitted}};
}

json leftovers_json(const process::Leftovers& leftovers) {
  json list = json::array();
  for (const process::Leftover& left : leftovers.found)
    list.push_back({{"path", left.path}, {"what", left.what}});
  return {{"list", list}, {"omitted", leftovers.omitted}, {"unreadable", leftovers.unreadable}};
}

json policy_json(const RunReport& report) {
  const policy::Policy& policy = report.policy->policy;
  json sources = json::array(), left_out = json::array();
  for (const policy::Origin& source : policy.sources) sources.push_back(source.describe());
  for (const policy::LeftOut& part : report.policy->left_out) left_out.push_back(part.describe());
  return {{"profile", policy.profile},
          {"hash", report.policy_hash},
          {"sources", sources},
          {"leftOut", left_out}};
}

json review_json(const ReviewReport& review) {
  json value = {{"id", review.id}, {"changes", review.changes}};
  if (review.changes == 0) return value;
  value["deadline"] = deadline_text(review.deadline);
  value["next"] = {"ward review " + review.id, "ward apply " + review.id,
                   "ward discard " + review.id};
  return value;
}

std::string note_text(const confine::PlanNote& note) {
  std::string text = note.rule + ": " + note.why;
  return note.remedy.empty() ? text : text + " (" + note.remedy + ")";
}

constexpr std::size_t kShownOnTerminal = 10;

std::string denial_text(const confine::Denial& denial) {
  std::string words = denial.exact ? "denied: " : "probably denied: ";
  words += std::string(to_string(denial.act)) + " " + denial.target;
  if (!denial.rule.empty()) words += ": " + denial.rule;
  if (!denial.remedy.empty()) words += "; " + denial.remedy;
  return words;
}

std::string changes_text(const process::Changes& changes) {
  std::string words = std::to_string(changes.created.size()) + " created, " +
                      std::to_string(changes.changed.size()) + " changed, " +
                      std::to_string(changes.deleted.size()) + " deleted";
  if (changes.omitted > 0) words += ", " + std::to_string(changes.omitted) + " not listed";
  if (!changes.uncertain.empty())
    words += ", " + std::to_string(changes.uncertain.size()) + " uncertain";
  if (!changes.git_folders.empty()) words += "; git's own files too";
  return words;
}

}  // namespace

std::string to_json(const RunReport& report) {
  json document = {{"version", 1},
                   {"id", report.id},
                   {"layer", "process"},
                   {"trust", "the command's output and files are untrusted data"},
                   {"command", report.command},
                   {"workingDirectory", report.working_directory},
                   {"warnings", report.warnings}};
  if (report.policy != nullptr) document["policy"] = policy_json(report);
  if (report.error != nullptr) {
    document["outcome"] = {{"kind", "setup-failed"}, {"text", report.error->describe()}};
    document["exitStatus"] = 125;
  }
  if (report.result != nullptr) {
    const process::RunResult& result = *report.result;
    document["outcome"] = outcome_json(result.outcome);
    document["exitStatus"] = exit_status(result.outcome);
    document["usage"] = usage_json(result);
    document["denials"] = denials_json(result);
    if (result.egress) document["egress"] = egress_json(*result.egress);
    if (result.changes) document["changes"] = changes_json(*result.changes);
    if (result.leftovers) document["leftovers"] = leftovers_json(*result.leftovers);
    json notes = json::array();
    for (const confine::PlanNote& note : result.notes)
      notes.push_back({{"kind", to_string(note.kind)},
                       {"rule", note.rule},
                       {"origin", note.origin.describe()},
                       {"why", note.why},
                       {"remedy", note.remedy},
                       {"builtIn", note.built_in}});
    document["notes"] = notes;
  }
  if (report.review) document["review"] = review_json(*report.review);
  // A file name may be any bytes: what is not UTF-8 is replaced, never a reason to have no result.
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string for_terminal(const RunReport& report) {
  std::string text;
  auto line = [&](const std::string& words) {
    text += "ward: " + escape_for_terminal(words) + "\n";
  };
  for (const policy::LeftOut& part : report.policy->left_out)
    line("not applied: " + part.describe());
  for (const std::string& warning : report.warnings) line(warning);
  if (report.result == nullptr) return text;
  for (const confine::PlanNote& note : report.result->notes)
    if (!note.built_in) line(note_text(note));
  const std::vector<confine::Denial>& denials = report.result->denials;
  for (std::size_t i = 0; i < std::min(denials.size(), kShownOnTerminal); ++i)
    line(denial_text(denials[i]));
  if (std::size_t more = denials.size() + report.result->denials_dropped; more > kShownOnTerminal)
    line("and " + std::to_string(more - kShownOnTerminal) + " more denials (see --result)");
  const bool guessed = std::any_of(denials.begin(), denials.end(), [](const auto& denial) {
    return !denial.exact && denial.act != confine::Denial::Act::name;
  });
  if (guessed) line("run it again with --trace to know exactly");
  if (report.result->leftovers) {
    const process::Leftovers& left = *report.result->leftovers;
    for (std::size_t i = 0; i < std::min(left.found.size(), kShownOnTerminal); ++i)
      line("left behind: " + left.found[i].path + ": " + left.found[i].what);
    if (std::size_t more = left.found.size() + left.omitted; more > kShownOnTerminal)
      line("and " + std::to_string(more - kShownOnTerminal) + " more left behind (see --result)");
  }
  if (report.result->changes) line(changes_text(*report.result->changes));
  if (report.review && report.review->changes == 0) line("nothing was changed");
  if (report.review && report.review->changes > 0)
    line(std::to_string(report.review->changes) + " changes are held until " +
         deadline_text(report.review->deadline) + "; see them by `ward review " +
         report.review->id + "`, land them by `ward apply " + report.review->id +
         "`, drop them by `ward discard " + report.review->id + "`");
  return text;
}

std::string for_terminal(const Error& error) {
  std::string text = "ward: " + escape_for_terminal(error.message()) + "\n";
  std::string_view rest = error.remedy();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "  " + escape_for_terminal(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace ward::cli
