// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "confine/inside_view.h"
#include "confine/launch.h"
#include "confine/notifier.h"
#include "confine/watch.h"
#include "keeper/stdio.h"
#include "layers/process/inference.h"
#include "layers/process/trust_inside.h"
#include "policy/lint.h"
#include "policy/path_decision.h"
#include "sys/directory.h"

namespace ward::process {

namespace {

// Where the self-test tries to write: a folder that this user can write and the command may not.
// Without one, any folder of the system will do: there the user's own rights stop the write too.
std::string forbidden_write(const confine::PathPlan& plan, const confine::HostContext& host) {
  std::vector<std::string> candidates = {host.home};
  for (const std::string& workspace : host.workspaces)
    candidates.push_back(workspace.substr(0, std::max<std::size_t>(1, workspace.rfind('/'))));
  candidates.emplace_back("/var/lib");
  candidates.emplace_back("/usr");
  auto is_private = [&](const std::string& path) {
    return std::any_of(host.private_folders.begin(), host.private_folders.end(),
                       [&](const std::string& folder) {
                         return path == folder || path.rfind(folder + "/", 0) == 0;
                       });
  };
  for (const std::string& folder : candidates)
    if (!folder.empty() && !is_private(folder) && ::access(folder.c_str(), W_OK) == 0 &&
        !plan.rules->decide(folder).write)
      return folder;
  return "/usr";
}

std::vector<std::string> socket_paths(const policy::Network& network) {
  std::vector<std::string> paths;
  for (const policy::UnixSocketRule& rule : network.unix_sockets) paths.push_back(rule.path);
  return paths;
}

// What the run is made of while it runs, in the order in which it is taken down in reverse.
class Run {
 public:
  Run(const RunRequest& request, Begun begun)
      : request_(request), launch_(std::move(begun.launch)), stdio_(std::move(begun.stdio)) {}

  Result<RunResult> run() {
    WARD_TRY(plan());
    confine::LaunchHooks hooks = launch_hooks();
    Result<confine::SandboxHandles> handles = std::move(launch_).prepare(confinement_, job_, hooks);
    stdio_.close_child_ends();
    if (!handles) return fail(std::move(handles).error());
    if (way_out_) way_out_->hand_over(handles->init, std::move(handles->listeners));
    if (no_way_out_) return fail(std::move(*no_way_out_));
    WARD_ASSIGN(keeper::Ended ended, supervise(std::move(*handles)));
    if (way_out_) way_out_->finish();
    result_.outcome = std::move(ended.outcome);
    result_.resources = limits_.usage(ended.usage.tree);
    result_.usage = ended.usage;
    result_.notes = confinement_.paths.notes;
    result_.denials_complete = request_.trace == RunRequest::Trace::on;
    infer_denials_from(ended.error_tail);
    // A breach that could not be undone must not pass for a run like any other.
    if (Status settled = watch_->settle(); !settled)
      result_.warnings.push_back(settled.error().describe());
    watch_.reset();  // with it the supervisor's hold on the sandbox's mounts
    supervisor_->let_go();
    look_at_workspaces();
    if (limits_.needs_attach()) wait_gone();
    if (Status removed = limits_.remove(); !removed)
      result_.warnings.push_back(removed.error().describe());
    if (ended.usage.output_error) result_.warnings.push_back(ended.usage.output_error->describe());
    if (request_.after_command) request_.after_command(result_);
    wait_gone();
    if (request_.when_gone) request_.when_gone(result_);
    return std::move(result_);
  }

 private:
  Status plan() {
    WARD_TRY(policy::process_layer_accepts(request_.policy));
    WARD_TRY(start_way_out());
    WARD_ASSIGN(confinement_.paths, confine::plan_paths(request_.policy.filesystem, request_.host,
                                                        request_.walk_cache));
    confinement_.process = request_.policy.process;
    if (request_.trace == RunRequest::Trace::on)
      confinement_.trace = confine::Confinement::Trace::on;
    if (request_.hold) {
      WARD_ASSIGN(confinement_.review_folder, request_.hold(confinement_.paths));
    }
    confinement_.forbidden_write = forbidden_write(confinement_.paths, request_.host);
    WARD_TRY(keeper::check_passed_fds(request_.policy.process.pass_fds));
    WARD_ASSIGN(limits_, confine::ResourceLimits::prepare(
                             request_.policy.limits,
                             {request_.id, request_.host.workspaces.empty()
                                               ? std::string_view(request_.working_directory)
                                               : request_.host.workspaces.front()}));
    job_.argv = request_.argv;
    job_.environment = request_.environment;
    job_.working_directory = request_.working_directory;
    job_.streams = stdio_.child().fds;
    job_.pass_fds = request_.policy.process.pass_fds;
    job_.rlimits.assign(limits_.rlimits().begin(), limits_.rlimits().end());
    return {};
  }

  // First, so that the gateway comes up while the sandbox is made.
  Status start_way_out() {
    if (!request_.way_out)
      return needs_way_out(request_.policy) ? fail(ErrorKind::bug, "the run was given no gateway")
                                            : Status();
    WayOutEvents events;
    events.on_denial = [this](const confine::Denial& denial) { note(denial); };
    events.on_records = [this](std::span<const egress::Record> records) { keep(records); };
    events.on_warning = [this](const std::string& text) { result_.warnings.push_back(text); };
    events.on_failed = [this](const std::string& why) {
      const std::string what = "the egress gateway did not start: " + why;
      if (supervisor_)
        supervisor_->end_run(PolicyKilled{what});
      else
        no_way_out_.emplace(ErrorKind::io, what);
    };
    events.ask_for_socket = [this](const confine::Command& command) -> Status {
      return supervisor_ ? supervisor_->ask_for_socket(command)
                         : fail(ErrorKind::busy, "the command does not run yet");
    };
    events.resume_connects = [this](const sys::Endpoint& endpoint) {
      if (notifier_) notifier_->resume_connects(endpoint);
    };
    events.on_ask = [this](const egress::Ask& ask) { gates_->hold(ask); };
    WARD_TRY(open_gates());
    result_.egress.emplace();
    WARD_ASSIGN(way_out_, WayOut::start(*request_.way_out, std::move(events)));
    confinement_.network = way_out_->inside();
    if (request_.way_out->gateway.interception == egress::Interception::none) return {};
    // What programs inside must trust is known once the gateway has made it.
    WARD_ASSIGN(const std::string authority, way_out_->certificate());
    const policy::PathDecider decider(request_.policy.filesystem);
    for (confine::InsideFile& file :
         trust_files(request_.way_out->gateway.trust_bundle_pem, authority, ::environ,
                     [&](const std::string& path) { return decider.decide(path).read.allowed; }))
      confinement_.network.files.push_back(std::move(file));
    return {};
  }

  Status open_gates() {
    GateEvents events;
    events.decide = [this](const egress::Decision& decision) { return way_out_->decide(decision); };
    events.ask_at_terminal = [this](keeper::Question question) {
      return supervisor_ && supervisor_->ask_at_terminal(std::move(question));
    };
    events.withdraw_question = [this](const std::string& note) {
      if (supervisor_) supervisor_->withdraw_question(note);
    };
    events.on_held = request_.on_held;
    events.on_decided = request_.on_decided;
    WARD_ASSIGN(gates_, GateDesk::create(std::move(events), kGatePatience));
    return {};
  }

  void keep(std::span<const egress::Record> records) {
    EgressLog& log = *result_.egress;
    const std::size_t kept = std::min(records.size(), kMaxEgressRecords - log.records.size());
    log.records.insert(log.records.end(), records.begin(),
                       records.begin() + static_cast<std::ptrdiff_t>(kept));
    log.omitted += records.size() - kept;
    if (request_.on_records) request_.on_records(records);
  }

  confine::LaunchHooks launch_hooks() {
    confine::LaunchHooks hooks;
    if (limits_.needs_attach()) hooks.attach = [this](pid_t init) { return limits_.attach(init); };
    hooks.meanwhile = [this](confine::SandboxHandles& handles) -> Status {
      if (lists_changes()) {
        WARD_ASSIGN(before_, Snapshot::take(request_.host.workspaces));
      }
      since_ns_ = sys::file_clock_ns();
      WARD_TRY(make_watch(handles));
      // Where changes are held, names are asked for in the sandbox's own root, which is not there
      // yet.
      if (!request_.hold) WARD_TRY(make_notifier(confinement_.paths));
      return request_.before_command ? request_.before_command(confinement_.paths) : Status();
    };
    hooks.connected = [this](confine::SandboxHandles& handles) -> Result<int> {
      if (request_.hold) {
        confine::PathPlan names = confinement_.paths;
        WARD_TRY(confine::see_from_inside(names, handles.root.get()));
        WARD_TRY(make_notifier(std::move(names)));
      }
      notifier_->start({std::move(handles.listener), std::move(handles.diagnosis)});
      return notifier_->fd();
    };
    hooks.serve = [this] { return notifier_->on_readable(); };
    return hooks;
  }

  // Nothing can be reached; what is tried is told in the words of `ward policy explain`.
  confine::NetworkJudge no_network() const {
    return {nullptr, [](const sys::Endpoint& endpoint, int, int error) {
              return error == ENETUNREACH ? std::optional(refusal_by(policy::Network(), endpoint))
                                          : std::nullopt;
            }};
  }

  void wait_gone() {
    if (Status gone = supervisor_->wait_gone(); !gone)
      result_.warnings.push_back(gone.error().describe());
  }

  Status make_notifier(confine::PathPlan names) {
    confine::NotifierSpec spec{std::move(names),
                               request_.host.private_folders,
                               socket_paths(request_.policy.network),
                               request_.trace == RunRequest::Trace::on,
                               names_.any,
                               names_.created,
                               request_.judge,
                               way_out_ ? way_out_->judge() : no_network()};
    WARD_ASSIGN(confine::Notifier notifier,
                confine::Notifier::create(std::move(spec),
                                          [this](const confine::Denial& denial) { note(denial); }));
    notifier_ = std::make_unique<confine::Notifier>(std::move(notifier));
    return {};
  }

  bool lists_changes() const { return request_.list_changes == RunRequest::ListChanges::on; }

  // After the sandbox is gone. A list that cannot be made takes nothing from the run's result.
  void look_at_workspaces() {
    if (before_) {
      Result<Snapshot> after = Snapshot::take(request_.host.workspaces);
      if (after)
        result_.changes = compare(*before_, *after);
      else
        result_.warnings.push_back(after.error().describe());
    }
    // What is held back is not there yet.
    if (request_.hold || (!before_ && !notifier_->made_name_of_interest())) return;
    LeftoverRequest request{
        request_.host.workspaces, confinement_.paths.repositories, {}, since_ns_};
    for (const confine::PathRow& row : confinement_.paths.rows)
      if (row.action == confine::Action::hidden) request.prune.push_back(row.path);
    Result<Leftovers> left = find_leftovers(request);
    if (left)
      result_.leftovers = std::move(*left);
    else
      result_.warnings.push_back(left.error().describe());
  }

  // A command that failed may have said at what. What is known exactly is not guessed again.
  void infer_denials_from(std::string_view output) {
    const bool ended_itself = std::holds_alternative<Exited>(result_.outcome) ||
                              std::holds_alternative<Signalled>(result_.outcome);
    if (!ended_itself || exit_status(result_.outcome) == 0) return;
    const std::size_t exact = result_.denials.size();
    InferenceContext context{request_.working_directory, request_.host.home,
                             confinement_.paths.rules.get()};
    for (confine::Denial& denial : infer_denials(output, context)) {
      const bool known = std::any_of(
          result_.denials.begin(), result_.denials.begin() + static_cast<std::ptrdiff_t>(exact),
          [&](const confine::Denial& other) { return other.target == denial.target; });
      if (!known) note(denial);
    }
  }

  Status make_watch(confine::SandboxHandles& handles) {
    confine::PathPlan watched = confinement_.paths;
    if (!confinement_.review_folder.empty()) {
      // What the command makes stays in its overlays: a name that appears on the host is somebody
      // else's. A landing checks the names again.
      watched.absent.clear();
      watched.frozen.clear();
    }
    confine::WatchSpec spec{
        std::move(watched),
        request_.host.private_folders,
        request_.host.workspaces,
        8192,
        confine::LateMask(std::move(handles.user_namespace), std::move(handles.mount_namespace)),
        [this] { return notifier_->may_be_creating(); },
        [this](const confine::Denial& denial) { on_breach(denial); },
        [this](const confine::Denial& denial) { note(denial); },
        [this](const std::string& text) { result_.warnings.push_back(text); }};
    WARD_ASSIGN(confine::Watch watch, confine::Watch::create(std::move(spec)));
    watch_ = std::make_unique<confine::Watch>(std::move(watch));
    return {};
  }

  void on_breach(const confine::Denial& denial) {
    note(denial);
    supervisor_->end_run(PolicyKilled{std::string(to_string(denial.act)) + " " + denial.target});
  }

  // The kernel has killed one process, or stopped all that want memory: the run ends as a whole.
  Status on_out_of_memory() {
    std::uint64_t events = 0;
    (void)!::read(limits_.out_of_memory_fd(), &events, sizeof events);
    supervisor_->end_run(OutOfMemory{});
    return limits_.kill_all();
  }

  Result<keeper::Ended> supervise(confine::SandboxHandles handles) {
    // What the self-test was denied is not the command's.
    result_.denials.clear();
    keeper::SuperviseSpec spec;
    spec.child = {handles.init, std::move(handles.pidfd), std::move(handles.control),
                  std::move(handles.terminal)};
    spec.stdio = std::move(stdio_);
    spec.wall = request_.policy.limits.wall;
    spec.output_bytes = request_.policy.limits.output_bytes;
    spec.pollables.push_back({notifier_->fd(), [this] { return notifier_->on_readable(); }});
    spec.pollables.push_back(
        {notifier_->side_fd(), [this] { return notifier_->on_side_readable(); }});
    spec.pollables.push_back({watch_->fd(), [this] { return watch_->on_readable(); }});
    WARD_TRY(watch_->begin_roots());
    if (way_out_) {
      spec.pollables.push_back({way_out_->fd(), [this] { return way_out_->on_readable(); }});
      spec.on_socket = [this](const confine::Report& report, UniqueFd socket) {
        way_out_->on_socket(report, std::move(socket));
      };
    }
    if (gates_) spec.pollables.push_back({gates_->fd(), [this] { return gates_->on_readable(); }});
    if (request_.while_running)
      for (keeper::Pollable& pollable : request_.while_running(way_out_.get(), gates_.get()))
        spec.pollables.push_back(std::move(pollable));
    if (int fd = limits_.out_of_memory_fd(); fd >= 0)
      spec.pollables.push_back({fd, [this] { return on_out_of_memory(); }});
    spec.error_tail_bytes = kInferenceBytes;
    spec.was_out_of_memory = [this] { return limits_.out_of_memory(); };
    spec.describe_failure = [this](const confine::Report& report) {
      return confine::exec_failure(report, request_.argv[0]);
    };
    supervisor_ = std::make_unique<keeper::Supervisor>(std::move(spec));
    return supervisor_->run();
  }

  void note(const confine::Denial& denial) {
    auto same = [&](const confine::Denial& other) {
      return other.act == denial.act && other.target == denial.target && other.rule == denial.rule;
    };
    if (std::any_of(result_.denials.begin(), result_.denials.end(), same)) return;
    if (result_.denials.size() < kMaxDenials)
      result_.denials.push_back(denial);
    else
      ++result_.denials_dropped;
  }

  const RunRequest& request_;
  RunResult result_;
  confine::Confinement confinement_;
  confine::Job job_;
  confine::ResourceLimits limits_;
  confine::Launch launch_;
  keeper::Stdio stdio_;
  NamesOfInterest names_ = names_of_interest();
  std::optional<Snapshot> before_;
  std::uint64_t since_ns_ = 0;
  std::unique_ptr<confine::Notifier> notifier_;
  std::unique_ptr<confine::Watch> watch_;
  std::unique_ptr<keeper::Supervisor> supervisor_;
  std::unique_ptr<GateDesk> gates_;
  std::unique_ptr<WayOut> way_out_;
  std::optional<Error> no_way_out_;  // it ended before the command began
};

}  // namespace

Result<Begun> begin() {
  WARD_ASSIGN(keeper::Stdio stdio, keeper::Stdio::plan());
  WARD_ASSIGN(confine::Launch launch, confine::Launch::begin());
  return Begun{std::move(stdio), std::move(launch)};
}

Result<RunResult> run(const RunRequest& request, Begun begun) {
  return Run(request, std::move(begun)).run();
}

Result<RunResult> run(const RunRequest& request) {
  WARD_ASSIGN(Begun begun, begin());
  return run(request, std::move(begun));
}

}  // namespace ward::process
