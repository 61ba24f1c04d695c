// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/escape.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/review_common.h"
#include "cli/review_print.h"
#include "cli/surroundings.h"
#include "review/landing.h"

namespace ward::cli {

namespace {

struct ReviewOptions {
  std::string id;
  std::vector<std::string> paths;
  bool json = false, stat = false, name_only = false;
};

// More of these do not help a person; `--json` has them all.
constexpr std::size_t kMostShown = 10'000;

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

Status print_list(const ReviewOptions& options, const Surroundings& surroundings) {
  std::vector<std::string> damaged;
  WARD_ASSIGN(std::vector<review::HeldSummary> list,
              review::list_held(surroundings.state_folder, damaged));
  for (const std::string& folder : damaged) warn("cannot be read: " + folder);
  print(options.json ? held_list_json(list) : held_list_text(list, now_seconds()));
  return {};
}

Status print_changes(const ReviewOptions& options, const review::HeldInfo& info,
                     const std::vector<review::Change>& changes, review::Differ differ) {
  std::vector<review::FileDiff> diffs;
  std::size_t added = 0, removed = 0, shown = 0;
  for (const review::Change& change : changes) {
    if (!options.json && ++shown > kMostShown) break;
    if (options.name_only) {
      if (!options.json) print(escape_for_terminal(full_path(info, change)) + "\n");
      continue;
    }
    WARD_ASSIGN(review::FileDiff diff, differ.diff(change));
    added += diff.added;
    removed += diff.removed;
    if (options.json) {
      if (options.stat) diff.hunks.clear();
      diffs.push_back(std::move(diff));
      continue;
    }
    std::string line = change_text(info, change);
    if (!diff.description.empty()) line += "  (" + diff.description + ")";
    if (diff.added + diff.removed > 0)
      line += "  +" + std::to_string(diff.added) + " -" + std::to_string(diff.removed);
    print(line + "\n");
    if (!options.stat) print(hunks_text(diff.hunks));
  }
  if (options.json) {
    print(changes_json(info, changes, diffs));
    return {};
  }
  if (changes.size() > kMostShown)
    print("... and " + std::to_string(changes.size() - kMostShown) +
          " more: name a path, or use --json\n");
  if (!options.name_only)
    print(std::to_string(changes.size()) + " changes, +" + std::to_string(added) + " -" +
          std::to_string(removed) + " lines; held until " + deadline_text(info.deadline) +
          "; `ward apply " + info.id + "` lands them, `ward discard " + info.id + "` drops them\n");
  return {};
}

Status review_held(const ReviewOptions& options) {
  WARD_ASSIGN(Surroundings surroundings, find_surroundings());
  std::vector<std::string> warnings;
  WARD_TRY(sweep_held(surroundings.state_folder, warnings));
  for (const std::string& warning : warnings) warn(warning);
  if (options.id.empty()) return print_list(options, surroundings);
  WARD_ASSIGN(
      review::HeldChange held,
      review::HeldChange::open(surroundings.state_folder, options.id, review::Access::shared));
  WARD_ASSIGN(review::Changes changes, review::list_changes(held));
  if (!held.sealed()) WARD_TRY(held.seal(changes));
  if (!options.paths.empty()) {
    WARD_ASSIGN(std::vector<std::string> paths, held_paths(options.paths, surroundings.cwd));
    WARD_ASSIGN(changes.list, review::select_changes(held.info(), changes.list, paths));
  }
  return print_changes(options, held.info(), changes.list, review::Differ(held));
}

}  // namespace

int review_command(const std::vector<std::string>& arguments) {
  ReviewOptions options;
  CommandLine line("ward review",
                   "Shows what a run of `ward run --review` changed; without an id, "
                   "what is held.");
  line.flag("--json", options.json, "print JSON")
      .flag("--stat", options.stat, "only how many lines changed")
      .flag("--name-only", options.name_only, "only the paths")
      .positional("ID", options.id, "the run's id, or how it begins", false)
      .positionals("PATH", options.paths, "only these paths and what is below");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (Status shown = review_held(options); !shown) return fail_with(shown.error(), kSetupError);
  return 0;
}

}  // namespace ward::cli
