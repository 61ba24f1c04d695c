// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/doctor.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "confine/cgroup.h"
#include "confine/resource_limits.h"
#include "sys/features.h"

namespace ward::confine {
namespace {

using sys::Feature;
using Weight = Finding::Weight;

struct FeatureRow {
  Feature feature;
  Weight weight;
};

// What the process layer builds on. Landlock stands beside the mounts, which carry the path rules
// by themselves; the other optional ones make a run faster or belong to one option of `run`.
constexpr std::array<FeatureRow, sys::kFeatureCount> kProcessLayer = {{
    {Feature::user_namespace, Weight::required},
    {Feature::mount_namespace, Weight::required},
    {Feature::pid_namespace, Weight::required},
    {Feature::net_namespace, Weight::required},
    {Feature::ipc_namespace, Weight::required},
    {Feature::uts_namespace, Weight::required},
    {Feature::cgroup_namespace, Weight::required},
    {Feature::landlock, Weight::optional},
    {Feature::landlock_scoping, Weight::optional},
    {Feature::seccomp_filter, Weight::required},
    {Feature::seccomp_notify, Weight::required},
    {Feature::seccomp_wait_killable, Weight::optional},
    {Feature::seccomp_sync_wake_up, Weight::optional},
    {Feature::mount_setattr, Weight::required},
    {Feature::open_tree, Weight::required},
    {Feature::overlay, Weight::optional},
    {Feature::tmpfs_mount, Weight::required},
    {Feature::devpts_mount, Weight::required},
    {Feature::proc_mount, Weight::required},
    {Feature::pidfd_getfd, Weight::required},
    {Feature::clone3, Weight::required},
    {Feature::close_range, Weight::required},
    {Feature::openat2, Weight::required},
    {Feature::memfd, Weight::required},
}};

LayerExamination examine_process_layer() {
  LayerExamination layer;
  layer.layer = "process";
  layer.state = LayerExamination::State::works;
  const sys::KernelFeatures features = sys::KernelFeatures::probe();
  for (const FeatureRow& row : kProcessLayer) {
    const sys::FeatureState& state = features[row.feature];
    Finding finding;
    finding.name = name_of(row.feature);
    finding.purpose = purpose_of(row.feature);
    finding.weight = row.weight;
    finding.available = state.available;
    finding.probe = state.probe;
    if (row.feature == Feature::landlock)
      finding.probe += "; ABI " + std::to_string(features.landlock_abi());
    if (!state.available) {
      finding.probe += std::string(": ") + std::strerror(state.os_errno);
      finding.cause = state.cause;
      finding.remedy = state.remedy;
      if (row.weight == Weight::required) layer.state = LayerExamination::State::unavailable;
    }
    layer.findings.push_back(std::move(finding));
  }
  return layer;
}

struct LimitRow {
  const char* name;
  const char* purpose;
  policy::Limits limits;
};

std::vector<LimitRow> limit_rows() {
  constexpr std::uint64_t kSome = 64U << 20U;
  std::vector<LimitRow> rows = {
      {"wall", "ends a run that takes too long", {}},
      {"output", "ends a run that prints too much", {}},
      {"openFiles", "bounds the descriptors of each process", {}},
      {"fileSize", "bounds each file that is written", {}},
      {"memory", "ends a run that takes too much memory", {}},
      {"cpus", "slows a run down to its share", {}},
      {"pids", "bounds the number of processes", {}},
      {"diskBandwidth", "slows reading and writing down", {}},
  };
  rows[2].limits.open_files = 64;
  rows[3].limits.file_size_bytes = kSome;
  rows[4].limits.memory_bytes = kSome;
  rows[5].limits.cpus = 1;
  rows[6].limits.pids = 64;
  rows[7].limits.disk_bandwidth = kSome;
  return rows;
}

// A limit is proved with a process under it: systemd says what it hands over only then.
Status attach_a_process(ResourceLimits& limits) {
  if (!limits.needs_attach()) return {};
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, "fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  const Status attached = limits.attach(child);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return attached;
}

Result<ResourceLimits> make_and_prove(const policy::Limits& limits, const std::string& workspace) {
  WARD_ASSIGN(ResourceLimits made,
              ResourceLimits::prepare(limits, {.run_id = "doctor", .io_path = workspace}));
  WARD_TRY(attach_a_process(made));
  return made;
}

Finding examine_limit(const LimitRow& row, const std::string& workspace) {
  Finding finding;
  finding.name = row.name;
  finding.purpose = row.purpose;
  finding.weight = Weight::optional;
  const Result<ResourceLimits> made = make_and_prove(row.limits, workspace);
  finding.available = made.has_value();
  if (!made) {
    finding.probe = "put a process under it";
    finding.cause = made.error().message();
    finding.remedy = made.error().remedy();
  } else if (const std::string place = made->describe(); !place.empty()) {
    finding.probe = place;
  } else {
    finding.probe = made->rlimits().empty() ? "by the supervisor" : "setrlimit";
  }
  return finding;
}

std::vector<std::string> remove_leftovers() {
  std::vector<std::string> removed;
  const Result<CgroupMachine> machine = CgroupMachine::here();
  if (!machine) return removed;
  for (const std::string& parent : group_parents(*machine))
    for (const std::string& name : sweep_stale_groups(parent))
      removed.push_back(parent + "/" + name);
  return removed;
}

}  // namespace

bool Examination::healthy() const {
  const auto process = std::find_if(layers.begin(), layers.end(),
                                    [](const auto& one) { return one.layer == "process"; });
  return process != layers.end() && process->state == LayerExamination::State::works && !self_test;
}

Examination examine(const std::function<Status()>& self_test, const std::string& workspace) {
  Examination examination;
  examination.removed = remove_leftovers();
  for (const char* const name : {"isolate", "process", "container", "microvm", "desktop"}) {
    LayerExamination layer;
    layer.layer = name;
    if (layer.layer == "process") layer = examine_process_layer();
    examination.layers.push_back(std::move(layer));
  }
  for (const LimitRow& row : limit_rows())
    examination.limits.push_back(examine_limit(row, workspace));
  if (Status passed = self_test(); !passed) examination.self_test = std::move(passed).error();
  return examination;
}

}  // namespace ward::confine
