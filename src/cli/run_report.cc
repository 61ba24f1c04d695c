// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include <nlohmann/json.hpp>

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
  for (const confine::Denial& denial : report.result->denials) {
    std::string words = denial.exact ? "denied: " : "probably denied: ";
    words += std::string(to_string(denial.act)) + " " + denial.target;
    if (!denial.rule.empty()) words += ", by " + denial.rule;
    if (!denial.remedy.empty()) words += "; " + denial.remedy;
    line(words);
  }
  if (report.review && report.review->changes == 0) line("nothing was changed");
  if (report.review && report.review->changes > 0)
    line(std::to_string(report.review->changes) + " changes are held until " +
         deadline_text(report.review->deadline) + "; see them by `ward review " +
         report.review->id + "`, land them by `ward apply " + report.review->id +
         "`, drop them by `ward discard " + report.review->id + "`");
  return text;
}

}  // namespace ward::cli
