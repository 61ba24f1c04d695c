// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The process layer: one command of a coding agent on its user's own machine, confined by a policy
// that the kernel enforces. run() is the whole life of such a sandbox: this process is its keeper,
// and nothing of it outlives the call. Single-threaded; it takes over descriptors 0 to 2 and the
// signal mask while the command runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/result.h"
#include "confine/denial.h"
#include "confine/glob_index.h"
#include "confine/launch.h"
#include "confine/path_plan.h"
#include "confine/resource_limits.h"
#include "keeper/stdio.h"
#include "keeper/supervise.h"
#include "layers/process/changes.h"
#include "layers/process/gate_desk.h"
#include "layers/process/leftovers.h"
#include "layers/process/way_out.h"
#include "policy/policy.h"

namespace ward::process {

struct RunResult;

struct RunRequest {
  std::string id;  // of the run: names its cgroup
  policy::Policy policy;
  std::vector<std::string> argv;
  std::string working_directory;  // absolute
  confine::HostContext host;      // workspaces, home, Ward's own paths
  // The index of trees, prepared; may be null. Must outlive run().
  const confine::WalkCache* walk_cache = nullptr;
  std::vector<std::string> environment;  // of the command
  enum class Trace : std::uint8_t { off, on } trace = Trace::off;
  // Which files of the workspaces were created, changed and deleted.
  enum class ListChanges : std::uint8_t { off, on } list_changes = ListChanges::off;
  // What the trace judges by, where that is not the policy (NotifierSpec::judge).
  std::shared_ptr<const confine::AccessRules> judge;
  // Called once the sandbox has been cloned, while it sets itself up: the start record is written
  // here. No command runs before it has returned; its error ends the run.
  std::function<Status(const confine::PathPlan&)> before_command;
  // What the command may reach outside, and what of it is reached; nothing: no network at all.
  std::optional<WayOutSpec> way_out;
  // Lines of the egress log, as they come.
  std::function<void(std::span<const egress::Record>)> on_records;
  // What else is served while the command runs. `way_out` is null where there is none; it lives as
  // long as the command.
  // `gates` is null where no request can be held.
  std::function<std::vector<keeper::Pollable>(WayOut* way_out, GateDesk* gates)> while_running;
  // A gate holds a request; it was decided.
  std::function<void(const HeldRequest&)> on_held;
  std::function<void(const HeldRequest&, const egress::Decision&)> on_decided;
  // Called when the command has ended and its result is complete, while the kernel takes the
  // namespaces down: the end record is written here.
  std::function<void(const RunResult&)> after_command;
  // Called when nothing of the sandbox is left, right before run() returns. A program that has
  // nothing else to do exits here: to destroy what a run was made of costs a twentieth of a start.
  std::function<void(const RunResult&)> when_gone;
  // Where set, no change reaches the host: called before the sandbox is made, it answers with the
  // folder that holds the changes (Confinement::review_folder).
  std::function<Result<std::string>(const confine::PathPlan&)> hold;
};

// The egress log of a run, of which the first records are kept.
struct EgressLog {
  std::vector<egress::Record> records;
  std::size_t omitted = 0;
};
inline constexpr std::size_t kMaxEgressRecords = 1000;

struct RunResult {
  Outcome outcome;
  keeper::Usage usage;
  confine::Usage resources;
  std::vector<confine::Denial> denials;
  // Every denied act is in the list: nothing was left to inference.
  bool denials_complete = false;
  std::size_t denials_dropped = 0;  // beyond kMaxDenials
  // With ListChanges::on; nothing where the list could not be made (a warning says why).
  std::optional<Changes> changes;
  // What others would execute later. Looked for where a call made a name that could be such, and
  // with ListChanges::on; nothing where it was not looked for.
  std::optional<Leftovers> leftovers;
  std::optional<EgressLog> egress;  // where something could be reached
  std::vector<confine::PlanNote> notes;
  std::vector<std::string> warnings;  // a protection or a figure that is smaller than it should be
};
inline constexpr std::size_t kMaxDenials = 1000;

// What is begun before the policy is known: the kernel makes the namespaces meanwhile.
struct Begun {
  keeper::Stdio stdio;
  confine::Launch launch;
};
// The first thing of a run; single-threaded, no database open.
Result<Begun> begin();

// An error means that nothing was run: exit status 125.
Result<RunResult> run(const RunRequest& request, Begun begun);
// With begin() in it.
Result<RunResult> run(const RunRequest& request);

}  // namespace ward::process
