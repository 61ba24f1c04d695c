// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "base/escape.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/review_common.h"
#include "cli/surroundings.h"
#include "confine/launch.h"
#include "confine/path_resolver.h"
#include "policy/lint.h"
#include "review/executed.h"
#include "review/landing.h"

namespace ward::cli {

namespace {

constexpr int kRefused = 1;
constexpr std::size_t kMostNamed = 100;

struct ApplyOptions {
  std::string id;
  std::vector<std::string> paths;
  bool partly = false;
  bool allow_executed = false;
  bool allow_doubtful = false;
};

// The plan that the same run would be confined by now.
Result<confine::PathPlan> plan_of(const review::HeldInfo& info, const Surroundings& surroundings) {
  WARD_ASSIGN(policy::Place place, place_of(surroundings, info.workspaces));
  place.home = info.home;
  WARD_ASSIGN(policy::Loaded loaded,
              load_policy(surroundings, place, {info.policy_files, info.profile}));
  WARD_TRY(policy::refuse(policy::lint(loaded.policy, place)));
  return confine::plan_paths(loaded.policy.filesystem,
                             {info.home, info.working_directory, place.workspaces,
                              confine::private_folders(), surroundings.ward_paths()});
}

// Leaves out what is refused, what stands in a refused folder, and the removal of a folder that
// holds something refused.
std::vector<review::Change> without(const review::HeldInfo& info,
                                    const std::vector<review::Change>& changes,
                                    const std::vector<review::Refused>& refused) {
  std::vector<review::Change> kept;
  for (const review::Change& change : changes) {
    const std::string path = full_path(info, change);
    const bool goes =
        change.before == review::FileType::folder && change.after != review::FileType::folder;
    const bool out = std::any_of(refused.begin(), refused.end(), [&](const review::Refused& no) {
      return confine::lies_in(path, no.path) || (goes && confine::lies_in(no.path, path));
    });
    if (!out) kept.push_back(change);
  }
  return kept;
}

void name_refused(const std::vector<review::Refused>& refused) {
  for (std::size_t i = 0; i < refused.size() && i < kMostNamed; ++i)
    warn("not landed: " + refused[i].path + ": " + refused[i].why);
  if (refused.size() > kMostNamed)
    warn("... and " + std::to_string(refused.size() - kMostNamed) + " more");
}

Result<int> apply(const ApplyOptions& options) {
  WARD_ASSIGN(Surroundings surroundings, find_surroundings());
  std::vector<std::string> warnings;
  WARD_TRY(sweep_held(surroundings.state_folder, warnings));
  WARD_ASSIGN(
      review::HeldChange held,
      review::HeldChange::open(surroundings.state_folder, options.id, review::Access::exclusive));
  const std::string id = held.info().id;
  WARD_ASSIGN(review::Changes changes, review::list_changes(held));
  if (!held.sealed()) WARD_TRY(held.seal(changes));
  WARD_TRY(review::remove_unfinished(held, changes.list));
  std::vector<review::Change> chosen = changes.list;
  if (!options.paths.empty()) {
    WARD_ASSIGN(std::vector<std::string> paths, held_paths(options.paths, surroundings.cwd));
    WARD_ASSIGN(chosen, review::select_changes(held.info(), changes.list, paths));
  }
  WARD_ASSIGN(confine::PathPlan plan, plan_of(held.info(), surroundings));
  review::ExecutedNames executed(held, changes.list);
  const review::Objection objection = [&](const review::Change& change, const std::string&) {
    if (!options.allow_doubtful && !change.doubt.empty()) return change.doubt;
    return options.allow_executed ? std::string() : executed.objection(change);
  };
  std::vector<review::Refused> refused =
      review::check_landing(held.info(), chosen, plan, objection);
  name_refused(refused);
  if (!refused.empty() && !options.partly) {
    warn("nothing was landed; name the paths to land (`ward apply " + id +
         " PATH...`), or land all others by --partly");
    return kRefused;
  }
  if (!refused.empty()) chosen = without(held.info(), chosen, refused);
  WARD_TRY(review::land(held, chosen));
  WARD_ASSIGN(review::Changes rest, review::list_changes(held));
  note_review(surroundings.state_folder, journal::EventKind::review_applied, id,
              journal::Payload()
                  .set_number("landed", static_cast<std::int64_t>(chosen.size()))
                  .set_number("left", static_cast<std::int64_t>(rest.list.size())),
              warnings);
  for (const std::string& warning : warnings) warn(warning);
  std::printf("%zu changes landed", chosen.size());
  if (rest.list.empty()) {
    WARD_TRY(std::move(held).remove());
    std::puts("");
  } else {
    std::printf(", %zu are still held under %s\n", rest.list.size(), id.c_str());
  }
  return refused.empty() ? 0 : kRefused;
}

Status discard(const std::string& given) {
  WARD_ASSIGN(Surroundings surroundings, find_surroundings());
  std::vector<std::string> warnings;
  WARD_TRY(sweep_held(surroundings.state_folder, warnings));
  WARD_ASSIGN(review::HeldChange held, review::HeldChange::open(surroundings.state_folder, given,
                                                                review::Access::exclusive));
  const std::string id = held.info().id;
  // Whatever the state of the workspace, discarding works; a file that a killed landing left
  // behind is looked for where that is possible.
  if (held.info().landing) {
    Result<review::Changes> changes = review::list_changes(held);
    Status removed =
        changes ? review::remove_unfinished(held, changes->list) : fail(std::move(changes).error());
    if (!removed) warnings.push_back(removed.error().describe());
  }
  WARD_TRY(std::move(held).remove());
  note_review(surroundings.state_folder, journal::EventKind::review_discarded, id, {}, warnings);
  for (const std::string& warning : warnings) warn(warning);
  std::printf("the changes of %s are gone\n", id.c_str());
  return {};
}

}  // namespace

int apply_command(const std::vector<std::string>& arguments) {
  ApplyOptions options;
  CommandLine line("ward apply",
                   "Lands the changes that a run of `ward run --review` holds. Where one of them "
                   "cannot be landed, none is.");
  line.flag("--partly", options.partly, "land what can be landed, name the rest")
      .flag("--allow-executed", options.allow_executed,
            "land also what git or an editor would execute in new repositories")
      .flag("--allow-doubtful", options.allow_doubtful,
            "land also new names in folders that the host changed while the command ran")
      .positional("ID", options.id, "the run's id, or how it begins")
      .positionals("PATH", options.paths, "only these paths and what is below");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  Result<int> applied = apply(options);
  return applied ? *applied : fail_with(applied.error(), kSetupError);
}

int discard_command(const std::vector<std::string>& arguments) {
  std::string id;
  CommandLine line("ward discard", "Drops the changes that a run of `ward run --review` holds.");
  line.positional("ID", id, "the run's id, or how it begins");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (Status discarded = discard(id); !discarded) return fail_with(discarded.error(), kSetupError);
  return 0;
}

}  // namespace ward::cli
