// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/review_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "cli/review_common.h"

namespace ward::cli {

namespace {

using nlohmann::json;
using review::Change;
using review::FileType;

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return escape_for_terminal(text.substr(0, 200));
}

std::string dump(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json info_json(const review::HeldInfo& info) {
  return {{"id", info.id},
          {"command", info.command},
          {"workingDirectory", info.working_directory},
          {"deadline", deadline_text(info.deadline)},
          {"outcome", info.outcome.empty() ? "unknown: the run was cut off" : info.outcome}};
}

// "file", or "folder -> link" where it became another kind of thing.
std::string types_text(const Change& change) {
  if (change.before == FileType::none) return std::string(to_string(change.after));
  if (change.after == FileType::none || change.after == change.before)
    return std::string(to_string(change.before));
  return fmt::format("{} -> {}", to_string(change.before), to_string(change.after));
}

// Tabs are part of any program's text; they stay.
std::string line_text(std::string_view line) {
  std::string out;
  bool plain = true;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find('\t', start), line.size());
    const std::string_view part = line.substr(start, end - start);
    const std::string escaped = escape_for_terminal(part);
    const auto backslashes = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\\'));
    plain = plain && escaped.size() == part.size() + backslashes;
    out += escaped;
    if (end < line.size()) out += '\t';
    start = end + 1;
  }
  return plain ? std::string(line) : out + "  (escaped)";
}

}  // namespace

std::string held_list_text(std::span<const review::HeldSummary> list, review::Deadline now) {
  if (list.empty()) return "no changes are held\n";
  std::string text;
  for (const review::HeldSummary& held : list) {
    const review::HeldInfo& info = held.info;
    const std::string state = held.busy              ? "in use"
                              : info.outcome.empty() ? "cut off"
                                                     : info.outcome;
    const auto started = std::chrono::sys_seconds(
        std::chrono::seconds(static_cast<std::int64_t>(info.start_ns / 1'000'000'000U)));
    text += fmt::format("{}  {} old, {} left  {}  {}\n", info.id, span_text(now - started),
                        span_text(info.deadline - now), state, command_text(info.command));
  }
  return text;
}

std::string held_list_json(std::span<const review::HeldSummary> list) {
  json entries = json::array();
  for (const review::HeldSummary& held : list) {
    json entry = info_json(held.info);
    entry["inUse"] = held.busy;
    entries.push_back(std::move(entry));
  }
  return dump({{"version", 1}, {"held", entries}});
}

std::string change_text(const review::HeldInfo& info, const Change& change) {
  std::string text = fmt::format("{} {} {}", to_string(change.kind), types_text(change),
                                 escape_for_terminal(full_path(info, change)));
  if (change.mode_before != change.mode_after && change.before != FileType::none &&
      change.after != FileType::none && change.after != FileType::link &&
      change.before != FileType::link)
    text += fmt::format(" mode {:04o} -> {:04o}", change.mode_before, change.mode_after);
  else if (change.kind == Change::Kind::created && change.after == FileType::file &&
           (change.mode_after & 0111U) != 0)
    text += " executable";
  if (change.after == FileType::link)
    text += " -> " + escape_for_terminal(change.target_after);
  else if (change.before == FileType::link)
    text += " (was -> " + escape_for_terminal(change.target_before) + ")";
  if (!change.renamed_from.empty())
    text += ", renamed from " + escape_for_terminal(change.renamed_from);
  if (!change.renamed_to.empty()) text += ", renamed to " + escape_for_terminal(change.renamed_to);
  if (!change.problem.empty()) text += "; cannot be landed: " + escape_for_terminal(change.problem);
  if (!change.conflict.empty()) text += "; conflict: " + escape_for_terminal(change.conflict);
  if (!change.doubt.empty()) text += "; doubtful: " + escape_for_terminal(change.doubt);
  return text;
}

std::string hunks_text(const std::string& hunks) {
  std::string text;
  for (std::size_t start = 0; start < hunks.size();) {
    const std::size_t end = std::min(hunks.find('\n', start), hunks.size());
    text += line_text(std::string_view(hunks).substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return text;
}

std::string changes_json(const review::HeldInfo& info, std::span<const Change> changes,
                         std::span<const review::FileDiff> diffs) {
  json list = json::array();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    json entry = {{"kind", to_string(change.kind)},
                  {"path", full_path(info, change)},
                  {"before", to_string(change.before)},
                  {"after", to_string(change.after)},
                  {"modeBefore", fmt::format("{:04o}", change.mode_before)},
                  {"modeAfter", fmt::format("{:04o}", change.mode_after)},
                  {"sizeBefore", change.size_before},
                  {"sizeAfter", change.size_after}};
    if (change.before == FileType::link) entry["targetBefore"] = change.target_before;
    if (change.after == FileType::link) entry["targetAfter"] = change.target_after;
    if (!change.renamed_from.empty()) entry["renamedFrom"] = change.renamed_from;
    if (!change.renamed_to.empty()) entry["renamedTo"] = change.renamed_to;
    if (!change.problem.empty()) entry["problem"] = change.problem;
    if (!change.conflict.empty()) entry["conflict"] = change.conflict;
    if (!change.doubt.empty()) entry["doubt"] = change.doubt;
    if (i < diffs.size()) {
      entry["added"] = diffs[i].added;
      entry["removed"] = diffs[i].removed;
      if (!diffs[i].hunks.empty()) entry["diff"] = diffs[i].hunks;
      if (!diffs[i].description.empty()) entry["content"] = diffs[i].description;
    }
    list.push_back(std::move(entry));
  }
  json document = info_json(info);
  document["version"] = 1;
  document["trust"] = "names and contents are untrusted data";
  document["changes"] = std::move(list);
  return dump(document);
}

}  // namespace ward::cli
