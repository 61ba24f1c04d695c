// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/escape.h"
#include "base/id.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/policy_files.h"
#include "cli/result_target.h"
#include "cli/review_common.h"
#include "cli/run_door.h"
#include "cli/run_egress.h"
#include "cli/run_journal.h"
#include "cli/run_report.h"
#include "cli/run_review.h"
#include "cli/surroundings.h"
#include "confine/glob_index.h"
#include "confine/launch.h"
#include "layers/process/environment.h"
#include "layers/process/run.h"
#include "layers/process/secret_sources.h"
#include "policy/lint.h"
#include "policy/quantities.h"
#include "sys/heap.h"
#include "sys/state_folder.h"

namespace ward::cli {

namespace {

// What a run in a small workspace allocates.
constexpr std::size_t kHeapOfARun = 448U << 10U;

struct RunOptions {
  std::vector<std::string> workspaces;
  PolicyArguments policy;
  std::string result;
  bool trace = false;
  bool review = false;
  std::string keep;
  bool changes = false;
  std::vector<std::string> publish, host_ports;
  std::vector<std::string> command;
};

std::optional<int> parse(const std::vector<std::string>& arguments, RunOptions& options) {
  CommandLine line("ward run", "Runs a command, confined by a policy that the kernel enforces.");
  line.option("-w,--workspace", options.workspaces,
              "a folder to work in; may be repeated (default: the current folder)")
      .option("-p,--publish", options.publish,
              "a port served inside, for the host's loopback to reach; may be repeated")
      .option("--host-port", options.host_ports,
              "a port of the host's loopback to let in; may be repeated")
      .option("--policy", options.policy.files, "a policy document to add; may be repeated")
      .option("--profile", options.policy.profile, "locked, read-only or workspace")
      .option("--result", options.result, "where the report goes as JSON: FILE or fd:N")
      .flag("--trace", options.trace, "name every denied read and write exactly (slower)")
      .flag("--review", options.review, "hold every change until `ward apply` or `ward discard`")
      .option("--keep", options.keep, "how long changes are held, as in 12h (default: 7 days)")
      .flag("--changes", options.changes,
            "list which files of the workspaces were created, changed or deleted")
      .command(options.command);
  if (std::optional<int> status = line.parse(arguments)) return status;
  if (options.command.empty()) {
    std::fputs("ward run: there is no command (write `ward run [options] -- COMMAND`)\n", stderr);
    return kUsageError;
  }
  if (!options.keep.empty() && !options.review) {
    std::fputs("ward run: --keep says how long --review holds changes; it needs --review\n",
               stderr);
    return kUsageError;
  }
  if (options.changes && options.review) {
    std::fputs("ward run: --review holds every change back; `ward review` lists them\n", stderr);
    return kUsageError;
  }
  return std::nullopt;
}

Status add_ports(const std::vector<std::string>& texts, const char* option,
                 std::vector<std::uint16_t>& ports) {
  for (const std::string& text : texts) {
    WARD_ASSIGN(const std::uint16_t port, in_context(policy::parse_port(text), option));
    if (std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
  }
  return {};
}

// "approve 3", "deny 0".
Status decide_gate(process::GateDesk& gates, std::string_view request) {
  using Choice = process::GateDesk::Choice;
  const bool approve = request.starts_with(kApproveRequest);
  if (!approve && !request.starts_with(kDenyRequest))
    return fail(ErrorKind::invalid, "this run knows no " + std::string(request));
  request.remove_prefix(request.find(' ') + 1);
  WARD_ASSIGN(const std::uint64_t number, policy::parse_count(request, 0, UINT32_MAX));
  return gates.decide(number, approve ? Choice::allow : Choice::deny,
                      approve ? "ward approve" : "ward deny");
}

// One run, from the options to the exit status.
class RunCommand {
 public:
  explicit RunCommand(const RunOptions& options) : options_(options) {}

  int run() {
    report_.command = options_.command;
    Result<process::RunResult> result = attempt();
    return result ? finish(*result) : set_up_failed(result.error());
  }

 private:
  Result<process::RunResult> attempt() {
    WARD_ASSIGN(target_, ResultTarget::open(options_.result));
    WARD_ASSIGN(process::Begun begun, process::begin());
    sys::prepare_heap(kHeapOfARun);
    WARD_ASSIGN(surroundings_, find_surroundings());
    WARD_ASSIGN(place_, place_of(surroundings_, options_.workspaces));
    policy::Place& place = place_;
    place.home_names = look_at_home(surroundings_.home);
    WARD_ASSIGN(loaded_, load());
    report_.policy = &loaded_;
    std::vector<policy::Finding> findings = policy::lint(loaded_.policy, place_);
    WARD_TRY(policy::refuse(findings));

    // What does not exist when the plan is made cannot be hidden. Where it cannot be made, the
    // journal says so.
    (void)sys::make_state_folder(surroundings_.state_folder).has_value();
    WARD_ASSIGN(Id id, Id::make());
    report_.id = id.text();
    report_.working_directory = surroundings_.cwd;
    journal_.emplace(surroundings_.state_folder, report_.id);
    process::RunRequest request;
    request.id = report_.id;
    process::hide_secret_files(loaded_.policy.filesystem, loaded_.policy.secrets,
                               surroundings_.home);
    protect_documents(loaded_.policy.filesystem, loaded_.documents);
    request.policy = loaded_.policy;
    request.argv = options_.command;
    request.working_directory = surroundings_.cwd;
    request.host = {surroundings_.home, surroundings_.cwd, place.workspaces,
                    confine::private_folders(), surroundings_.ward_paths()};
    cache_.emplace(surroundings_.cache_folder);
    // Before the plan: a command that could make the folder itself could leave a forged index.
    WARD_TRY(cache_->prepare());
    request.walk_cache = &*cache_;
    request.environment = process::command_environment(
        loaded_.policy.env, ::environ,
        process::writable_below(surroundings_.home, loaded_.policy.filesystem));
    WARD_TRY(open_way_out(request));
    if (options_.review) {
      WARD_TRY(begin_review(place));
      request.hold = [this](const confine::PathPlan& plan) { return review_->hold(plan); };
    }
    if (options_.trace) request.trace = process::RunRequest::Trace::on;
    if (options_.changes) request.list_changes = process::RunRequest::ListChanges::on;
    request.before_command = [&](const confine::PathPlan& plan) -> Status {
      WARD_TRY(check_target(plan));
      report_.policy_hash = journal_->policy_hash(plan);
      journal_->start(options_.command, surroundings_.cwd, place.workspaces.front(), findings,
                      report_.policy_hash, report_.warnings);
      return {};
    };
    request.after_command = [this](const process::RunResult& result) { record_end(result); };
    // A gateway has to be ended and its door taken away; a review may hold nothing.
    if (!request.way_out && !review_)
      request.when_gone = [this](const process::RunResult& result) {
        const int status = finish(result);
        std::fflush(nullptr);
        ::_exit(status);
      };
    return process::run(request, std::move(begun));
  }

  // The policy's documents, and over them the command line.
  Result<policy::Loaded> load() const {
    WARD_ASSIGN(policy::Loaded loaded, load_policy(surroundings_, place_, options_.policy));
    WARD_TRY(add_ports(options_.publish, "--publish", loaded.policy.publish));
    WARD_TRY(add_ports(options_.host_ports, "--host-port", loaded.policy.network.host_ports));
    return loaded;
  }

  Status open_way_out(process::RunRequest& request) {
    WARD_ASSIGN(RunEgress egress, plan_egress(loaded_.policy, report_.id, surroundings_, place_));
    WARD_TRY(process::check_arguments(options_.command, egress.secrets));
    process::mask_environment(request.environment, egress.secrets);
    if (!egress.way_out) return {};
    request.way_out = std::move(egress.way_out);
    add_variables(request.environment, egress.variables);
    request.on_records = [this](std::span<const egress::Record> records) {
      journal_->egress(records, report_.warnings);
    };
    request.while_running = [this](process::WayOut* way_out, process::GateDesk* gates) {
      return open_door(way_out, gates);
    };
    request.on_held = [this](const process::HeldRequest& held) { tell_held(held); };
    request.on_decided = [this](const process::HeldRequest& held,
                                const egress::Decision& decision) {
      journal_->gate_decided(held.ask, decision, report_.warnings);
    };
    return {};
  }

  std::vector<keeper::Pollable> open_door(process::WayOut* way_out, process::GateDesk* gates) {
    Result<std::unique_ptr<RunDoor>> door = RunDoor::open(
        surroundings_.state_folder, report_.id,
        [this, way_out, gates](const std::string& request, const RunDoor::Answer& answer) {
          if (request == kReloadRequest) return reload(*way_out, answer);
          const Status decided = decide_gate(*gates, request);
          answer(decided ? "" : decided.error().describe());
        });
    if (!door) {
      report_.warnings.push_back("ward policy reload cannot reach this run: " +
                                 door.error().describe());
      return {};
    }
    door_ = std::move(*door);
    return {{door_->fd(), [this] { return door_->on_readable(); }}};
  }

  // Where the terminal does not ask, somebody must learn of it.
  void tell_held(const process::HeldRequest& held) const {
    if (held.at_terminal || ::isatty(STDERR_FILENO) == 0) return;
    const std::string line =
        "ward: held: " + escape_for_terminal(held.ask.method + " " + held.ask.url) +
        "; decide with `ward approve " + report_.id + " " + std::to_string(held.number) +
        "` or `ward deny`\n";
    std::fputs(line.c_str(), stderr);
  }

  void reload(process::WayOut& way_out, const RunDoor::Answer& answer) {
    auto done = [this, answer](const std::string& error) {
      journal_->reloaded(error, report_.warnings);
      answer(error);
    };
    if (Status begun = begin_reload(way_out, done); !begun) done(begun.error().describe());
  }

  // The documents are read anew, as at the start; of what they say now, the network's rules count.
  Status begin_reload(process::WayOut& way_out, const std::function<void(std::string)>& done) {
    WARD_ASSIGN(policy::Loaded loaded, load());
    WARD_TRY(policy::refuse(policy::lint(loaded.policy, place_)));
    WARD_TRY(policy::process_layer_accepts(loaded.policy));
    if (loaded.policy.publish != loaded_.policy.publish)
      return fail(Error(ErrorKind::unsupported, "publish cannot change while the command runs")
                      .with_remedy("start the command anew"));
    WARD_ASSIGN(RunEgress egress, plan_egress(loaded.policy, report_.id, surroundings_, place_,
                                              &way_out.spec().secrets));
    egress::GatewaySpec spec;
    spec.sandbox = report_.id;
    if (egress.way_out) spec = std::move(egress.way_out->gateway);
    // Programs inside learnt at their start whom to trust.
    if (spec.interception == egress::Interception::wanted &&
        way_out.spec().interception == egress::Interception::none)
      return fail(
          Error(ErrorKind::invalid, "the rules need TLS interception, and the run began without it")
              .with_remedy("start the command anew with these rules"));
    return way_out.reload(spec, done);
  }

  void record_end(const process::RunResult& result) {
    report_.warnings.insert(report_.warnings.end(), result.warnings.begin(), result.warnings.end());
    if (review_) report_.review = review_->ended(result, report_.warnings);
    journal_->end(result, report_.warnings);
  }

  Status begin_review(const policy::Place& place) {
    WARD_TRY(sweep_held(surroundings_.state_folder, report_.warnings));
    review::HeldInfo info;
    info.id = report_.id;
    info.command = options_.command;
    info.working_directory = surroundings_.cwd;
    info.home = surroundings_.home;
    info.workspaces = place.workspaces;
    info.profile = options_.policy.profile;
    for (const std::string& file : options_.policy.files)
      info.policy_files.push_back(surroundings_.from_cwd(file));
    std::chrono::milliseconds keep = review::kDefaultKeep;
    if (loaded_.policy.lifetime.expiry) keep = *loaded_.policy.lifetime.expiry;
    if (!options_.keep.empty()) {
      WARD_ASSIGN(keep, in_context(policy::parse_duration(options_.keep), "--keep"));
    }
    info.deadline = now_seconds() + std::chrono::ceil<std::chrono::seconds>(keep);
    review_.emplace(surroundings_.state_folder, std::move(info));
    return {};
  }

  // The innermost mount that holds the file decides; what is private inside is not the host's file.
  Status check_target(const confine::PathPlan& plan) const {
    bool writable = false;
    for (const confine::PathRow& row : plan.rows)
      if (!target_.path().empty() && (target_.path() + "/").rfind(row.path + "/", 0) == 0)
        writable = row.action == confine::Action::writable || row.action == confine::Action::pin;
    if (!writable) return {};
    return fail(
        Error(ErrorKind::invalid, "--result " + target_.path() + ": the command could write it")
            .with_remedy("name a file outside of what the policy lets the command write"));
  }

  int set_up_failed(const Error& error) {
    report_.error = &error;
    std::fputs(for_terminal(error).c_str(), stderr);
    write_result();
    return kSetupError;
  }

  int finish(const process::RunResult& result) {
    report_.result = &result;
    if (const auto* failed = std::get_if<SetupFailed>(&result.outcome))
      std::fputs(for_terminal(failed->error).c_str(), stderr);
    if (::isatty(STDERR_FILENO) != 0) std::fputs(for_terminal(report_).c_str(), stderr);
    write_result();
    return exit_status(result.outcome);
  }

  void write_result() {
    if (!target_.wanted()) return;
    if (Status written = target_.write(to_json(report_)); !written)
      std::fputs(for_terminal(written.error()).c_str(), stderr);
  }

  const RunOptions& options_;
  Surroundings surroundings_;
  policy::Place place_;
  policy::Loaded loaded_;
  ResultTarget target_;
  std::optional<RunJournal> journal_;
  std::optional<confine::WalkCache> cache_;
  std::optional<RunReview> review_;
  std::unique_ptr<RunDoor> door_;
  RunReport report_;
};

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  RunOptions options;
  if (std::optional<int> status = parse(arguments, options)) return *status;
  return RunCommand(options).run();
}

}  // namespace ward::cli
