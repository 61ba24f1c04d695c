// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/review_common.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "base/escape.h"
#include "cli/learn_place.h"
#include "journal/sqlite_journal.h"
#include "policy/path_entry.h"
#include "sys/file.h"

namespace ward::cli {

void note_review(const std::string& state_folder, journal::EventKind kind, const std::string& run,
                 journal::Payload payload, std::vector<std::string>& warnings) {
  journal::Event event;
  event.kind = kind;
  event.run = run;
  event.payload = std::move(payload);
  std::unique_ptr<journal::Journal> journal = journal::sqlite_journal({state_folder});
  Result<journal::Appended> appended =
      journal->append(std::span(&event, 1), journal::Durability::synced);
  if (!appended)
    warnings.push_back("the journal could not be written: " + appended.error().describe());
  else if (!appended->notice.empty())
    warnings.push_back(appended->notice);
}

std::string deadline_text(review::Deadline deadline) {
  const std::time_t time = deadline.time_since_epoch().count();
  struct tm parts = {};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string span_text(std::chrono::seconds span) {
  const long seconds = span.count();
  if (seconds <= 0) return "now";
  if (seconds >= 86400) return fmt::format("{}d {}h", seconds / 86400, seconds % 86400 / 3600);
  if (seconds >= 3600) return fmt::format("{}h {}m", seconds / 3600, seconds % 3600 / 60);
  return seconds >= 60 ? fmt::format("{}m", seconds / 60) : fmt::format("{}s", seconds);
}

review::Deadline now_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

Status sweep_held(const std::string& state_folder, std::vector<std::string>& warnings) {
  if (Status swept = sweep_learn_places(); !swept) warnings.push_back(swept.error().describe());
  WARD_ASSIGN(std::vector<review::HeldInfo> removed,
              review::remove_expired(state_folder, now_seconds()));
  for (const review::HeldInfo& info : removed) {
    note_review(state_folder, journal::EventKind::review_expired, info.id,
                journal::Payload().set("deadline", deadline_text(info.deadline)), warnings);
    warnings.push_back("the changes held under " + info.id + " were past their deadline (" +
                       deadline_text(info.deadline) + ") and are gone");
  }
  return {};
}

Result<std::vector<std::string>> held_paths(const std::vector<std::string>& words,
                                            const std::string& cwd) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    if (word.empty()) return fail(ErrorKind::invalid, "an empty path");
    std::string path = policy::lexically_normal(word[0] == '/' ? word : cwd + "/" + word);
    // What exists of the way is resolved; the last name is the object itself, a link too.
    for (std::string folder(policy::parent_of(path)); folder != "/";
         folder = policy::parent_of(folder)) {
      Result<UniqueFd> fd = sys::open_path(folder, O_PATH | O_DIRECTORY);
      if (!fd) continue;
      WARD_ASSIGN(std::string real, sys::path_of_fd(fd->get()));
      path = real + path.substr(folder.size());
      break;
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

void warn(const std::string& text) {
  std::fprintf(stderr, "ward: %s\n", escape_for_terminal(text).c_str());
}

int fail_with(const Error& error, int status) {
  warn(error.describe());
  return status;
}

}  // namespace ward::cli
