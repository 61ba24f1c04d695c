// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "base/id.h"
#include "cli/command_line.h"
#include "cli/learn_place.h"
#include "cli/policy_commands.h"
#include "cli/review_common.h"
#include "cli/run_journal.h"
#include "cli/surroundings.h"
#include "confine/launch.h"
#include "layers/process/environment.h"
#include "layers/process/run.h"
#include "policy/learned.h"
#include "policy/path_decision.h"
#include "policy/path_entry.h"
#include "review/changes.h"
#include "sys/file.h"
#include "sys/state_folder.h"

namespace ward::cli {

namespace {

// More files of one folder that were read are suggested as the folder.
constexpr std::size_t kMostFiles = 8;

struct LearnOptions {
  std::vector<std::string> workspaces;
  PolicyArguments policy;
  std::string output;
  std::vector<std::string> command;
};

// The command's standard output goes where its errors go while this lives: ours is the document's.
class OutputToErrors {
 public:
  OutputToErrors() : saved_(::dup(STDOUT_FILENO)) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  OutputToErrors(const OutputToErrors&) = delete;
  OutputToErrors& operator=(const OutputToErrors&) = delete;
  ~OutputToErrors() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

class Learn {
 public:
  explicit Learn(const LearnOptions& options) : options_(options) {}

  Result<int> run() {
    WARD_ASSIGN(surroundings_, find_surroundings());
    WARD_ASSIGN(place_, place_of(surroundings_, options_.workspaces));
    PolicyArguments arguments = options_.policy;
    if (arguments.profile.empty()) arguments.profile = "read-only";
    WARD_ASSIGN(loaded_, load_policy(surroundings_, place_, arguments));
    // What the document extends, alone: whatever it denies and the observation allows is learnt.
    policy::Filesystem base = loaded_.policy.filesystem;
    confine::HostContext there = host();
    there.cwd.clear();
    WARD_ASSIGN(confine::PathPlan plan, confine::plan_paths(base, there));
    base_ = plan.rules;
    hold_everything();
    if (Status swept = sweep_learn_places(); !swept) warnings_.push_back(swept.error().describe());
    WARD_ASSIGN(LearnPlace held_place, LearnPlace::make());
    WARD_ASSIGN(process::RunResult result, observe(held_place.path()));
    Status seen = note_changes();
    if (held_) {
      Status removed = std::move(*held_).remove();
      if (seen) seen = std::move(removed);
    }
    WARD_TRY(std::move(seen));
    note_denials(result);
    if (result.denials_dropped > 0)
      observed_.denied.push_back("more was asked for than is kept; what is read may be incomplete");
    observed_.profile = arguments.profile;
    observed_.outcome = describe(result.outcome);
    WARD_TRY(print(policy::learned_policy(observed_, place_)));
    for (const std::string& warning : warnings_) warn(warning);
    for (const std::string& warning : result.warnings) warn(warning);
    if (const auto* failed = std::get_if<SetupFailed>(&result.outcome))
      warn(failed->error.describe());
    return exit_status(result.outcome);
  }

 private:
  confine::HostContext host() const {
    return {surroundings_.home, surroundings_.cwd, place_.workspaces, confine::private_folders(),
            surroundings_.ward_paths()};
  }

  // The home folder as a whole is opened for the observation, in place of what a profile says of
  // it; what is denied in it by name stays denied: the more specific rule wins.
  void hold_everything() {
    std::erase_if(loaded_.policy.filesystem.rules, [&](const policy::PathRule& rule) {
      return rule.list == policy::PathList::deny_read && rule.pattern == place_.home &&
             policy::is_built_in(rule);
    });
    std::vector<std::string> folders = place_.workspaces;
    folders.push_back(place_.home);
    for (const std::string& folder : folders) {
      policy::PathRule rule;
      rule.list = policy::PathList::allow_write;
      rule.pattern = folder;
      rule.written = folder;
      rule.origin = {"ward policy learn", 0, policy::Scope::user};
      loaded_.policy.filesystem.rules.push_back(std::move(rule));
    }
  }

  Result<process::RunResult> observe(const std::string& held_folder) {
    (void)sys::make_state_folder(surroundings_.state_folder).has_value();
    WARD_ASSIGN(Id id, Id::make());
    RunJournal journal(surroundings_.state_folder, id.text());
    process::RunRequest request;
    request.id = id.text();
    request.policy = loaded_.policy;
    stay_offline(request.policy);
    request.argv = options_.command;
    request.working_directory = surroundings_.cwd;
    request.host = host();
    request.judge = base_;
    request.environment = process::command_environment(
        loaded_.policy.env, ::environ,
        process::writable_below(surroundings_.home, loaded_.policy.filesystem));
    request.trace = process::RunRequest::Trace::on;
    request.hold = [&](const confine::PathPlan& plan) -> Result<std::string> {
      review::HeldInfo info;
      info.id = id.text();
      observing_ = plan.rules;
      WARD_ASSIGN(held_, review::HeldChange::create(held_folder, std::move(info), plan));
      return held_->folder();
    };
    request.before_command = [&](const confine::PathPlan& plan) -> Status {
      journal.start(options_.command, surroundings_.cwd, place_.workspaces.front(), {},
                    RunJournal::policy_hash(plan), warnings_);
      return {};
    };
    OutputToErrors redirected;
    Result<process::RunResult> result = process::run(request);
    if (result)
      journal.end(*result, warnings_);
    else if (held_)
      (void)std::move(*held_).remove().has_value();
    return result;
  }

  // Nothing leaves while a command is only observed.
  static void stay_offline(policy::Policy& policy) {
    policy::Network& network = policy.network;
    network.allow.clear();
    network.presets.clear();
    network.rules.clear();
    network.host_ports.clear();
    policy.publish.clear();
    policy.secrets.clear();
  }

  // A folder of the host that would have to be writable for this name to change.
  std::string folder_for(const std::string& path) const {
    std::string folder(policy::parent_of(path));
    while (folder != "/" && !sys::stat_at(AT_FDCWD, folder))
      folder = std::string(policy::parent_of(folder));
    return folder;
  }

  Status note_changes() {
    if (!held_) return {};
    WARD_ASSIGN(review::Changes changes, review::list_changes(*held_));
    for (const review::Change& change : changes.list) {
      const std::string path = full_path(held_->info(), change);
      const std::string folder = folder_for(path);
      if (policy::narrow_enough(folder, place_)) {
        ++observed_.written[folder];
        continue;
      }
      // The name in the wide folder that the change is at or below.
      std::string name = path;
      while (policy::parent_of(name) != folder) name = std::string(policy::parent_of(name));
      if (policy::narrow_enough(name, place_))
        observed_.written_alone[name] = sys::stat_at(AT_FDCWD, name).has_value();
    }
    return {};
  }

  void note_denials(const process::RunResult& result) {
    std::set<std::string> sockets, hosts;
    for (const confine::Denial& denial : result.denials) {
      const std::string words =
          std::string(to_string(denial.act)) + " " + denial.target + ": " + denial.rule;
      if (denial.act == confine::Denial::Act::connect && denial.target.starts_with('/'))
        sockets.insert(denial.target);
      else if (denial.act == confine::Denial::Act::connect)
        hosts.insert(denial.target);
      else if (observing_ == nullptr || !stays_denied(denial))
        note_read(denial);
      else
        observed_.denied.push_back(words);
    }
    // Where it works, it must be able to look.
    std::vector<std::string> folders = place_.workspaces;
    folders.push_back(surroundings_.cwd);
    for (const std::string& folder : folders)
      if (!base_->decide(folder).read && policy::narrow_enough(folder, place_))
        observed_.read.emplace(folder, 1);
    for (const auto& [folder, files] : reads_) {
      if (files.size() > kMostFiles && policy::narrow_enough(folder, place_))
        observed_.read[folder] = files.size();
      else
        for (const std::string& file : files) observed_.read[file] = 1;
    }
    observed_.sockets.assign(sockets.begin(), sockets.end());
    observed_.hosts.assign(hosts.begin(), hosts.end());
  }

  // Denied in the observation too, and not only by what the document extends.
  bool stays_denied(const confine::Denial& denial) const {
    confine::Access access = observing_->decide(denial.target);
    return denial.act == confine::Denial::Act::read ? !access.read : !access.write;
  }

  // Writes are told from what is held; reading comes with them.
  void note_read(const confine::Denial& denial) {
    if (denial.act != confine::Denial::Act::read || !policy::narrow_enough(denial.target, place_) ||
        !sys::stat_at(AT_FDCWD, denial.target))
      return;
    for (const auto& [folder, count] : observed_.written)
      if (policy::is_within(denial.target, folder)) return;
    reads_[std::string(policy::parent_of(denial.target))].insert(denial.target);
  }

  Status print(const std::string& document) const {
    if (!options_.output.empty()) return sys::replace_file(options_.output, document, 0644);
    std::fputs(document.c_str(), stdout);
    return {};
  }

  const LearnOptions& options_;
  Surroundings surroundings_;
  policy::Place place_;
  policy::Loaded loaded_;
  std::shared_ptr<const confine::AccessRules> base_, observing_;
  std::map<std::string, std::set<std::string>> reads_;  // by folder
  std::optional<review::HeldChange> held_;
  policy::Observed observed_;
  std::vector<std::string> warnings_;
};

}  // namespace

int policy_learn(const std::vector<std::string>& arguments) {
  LearnOptions options;
  CommandLine line("ward policy learn",
                   "Runs a command with all its changes held and thrown away, and prints the "
                   "narrowest policy that lets it pass. The command's output goes to standard "
                   "error; its exit status is kept.");
  line.option("-w,--workspace", options.workspaces,
              "a folder to work in; may be repeated (default: the current folder)")
      .option("--policy", options.policy.files, "a policy document to add; may be repeated")
      .option("--profile", options.policy.profile, "what the document extends (default: read-only)")
      .option("-o,--output", options.output, "write the document to this file")
      .command(options.command);
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (options.command.empty()) {
    std::fputs("ward policy learn: there is no command (write `ward policy learn -- COMMAND`)\n",
               stderr);
    return kUsageError;
  }
  Result<int> learned = Learn(options).run();
  return learned ? *learned : fail_with(learned.error(), kSetupError);
}

}  // namespace ward::cli
