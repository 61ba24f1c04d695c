// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/cgroup.h"

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "confine/systemd_scope.h"
#include "sys/file.h"

namespace ward::confine {
namespace {

std::uint64_t number_in(const std::string& text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// The sum of one key over the devices of io.stat: "254:0 rbytes=4096 wbytes=0 …".
std::uint64_t io_sum(const std::string& text, std::string_view key) {
  std::uint64_t sum = 0;
  for (const std::string& word : sys::words_of(text))
    if (word.starts_with(key)) sum += number_in(word.substr(key.size()));
  return sum;
}

std::string enable_line(const std::vector<std::string>& controllers, char sign) {
  std::string line;
  for (const std::string& name : controllers) line += (line.empty() ? "" : " ") + (sign + name);
  return line;
}

}  // namespace

Result<std::unique_ptr<RunCgroup>> RunCgroup::make(const CgroupLimits& limits,
                                                   std::string_view run_id) {
  WARD_ASSIGN(CgroupMachine machine, CgroupMachine::here());
  WARD_ASSIGN(CgroupPlace place, place_cgroup(controllers_of(limits), machine));
  WARD_ASSIGN(std::string name, group_name(run_id));
  std::unique_ptr<RunCgroup> made(
      new RunCgroup(limits, std::move(machine), std::move(place), std::move(name)));
  WARD_TRY(made->make_groups());
  return made;
}

RunCgroup::RunCgroup(CgroupLimits limits, CgroupMachine machine, CgroupPlace place,
                     std::string name)
    : limits_(std::move(limits)),
      machine_(std::move(machine)),
      place_(std::move(place)),
      name_(std::move(name)) {}

// What cannot be removed now is stale for the next run, which removes it.
RunCgroup::~RunCgroup() { (void)remove(); }

Status RunCgroup::make_groups() {
  switch (place_.means) {
    case CgroupPlace::Means::below: return make_v2(place_.parent);
    case CgroupPlace::Means::split: return split_own();
    case CgroupPlace::Means::v1: return make_v1();
    case CgroupPlace::Means::systemd: return {};  // a scope starts with its first process
  }
  return {};
}

Status RunCgroup::make_v2(const std::string& parent) {
  sweep_stale_groups(parent);
  if (!place_.enable.empty()) {
    WARD_ASSIGN(const sys::Cgroup above, sys::Cgroup::open(parent));
    WARD_TRY(above.write("cgroup.subtree_control", enable_line(place_.enable, '+')));
  }
  WARD_ASSIGN(sys::Cgroup group, sys::Cgroup::make(parent, name_));
  groups_.push_back({std::move(group), controllers_of(limits_)});
  return apply_settings(settings_v2(limits_), groups_.back().group);
}

Status RunCgroup::split_own() {
  WARD_ASSIGN(own_leaf_, sys::Cgroup::make(place_.parent, name_ + "-keeper"));
  WARD_TRY(own_leaf_.attach(::getpid()));
  return make_v2(place_.parent);
}

Status RunCgroup::rejoin_own() {
  if (!own_leaf_.valid()) return {};
  WARD_ASSIGN(const sys::Cgroup own, sys::Cgroup::open(place_.parent));
  if (!place_.enable.empty())
    WARD_TRY(own.write("cgroup.subtree_control", enable_line(place_.enable, '-')));
  WARD_TRY(own.attach(::getpid()));
  return own_leaf_.remove();
}

Status RunCgroup::make_v1() {
  for (const CgroupPlace::V1Parent& parent : place_.v1_parents) {
    sweep_stale_groups(parent.dir);
    WARD_ASSIGN(sys::Cgroup group, sys::Cgroup::make(parent.dir, name_));
    groups_.push_back({std::move(group), parent.controllers});
    for (const Controller controller : parent.controllers)
      WARD_TRY(apply_settings(settings_v1(limits_, controller), groups_.back().group));
  }
  const sys::Cgroup* memory = v1_of(Controller::memory);
  if (memory == nullptr) return {};
  // v1 kills one process; the event lets the caller end the rest, as v2's memory.oom.group does.
  memory_event_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!memory_event_.valid()) return fail_errno(errno, "eventfd");
  WARD_ASSIGN(const UniqueFd control, sys::open_at(memory->fd(), "memory.oom_control", O_RDONLY));
  return memory->write("cgroup.event_control",
                       std::to_string(memory_event_.get()) + " " + std::to_string(control.get()));
}

Status RunCgroup::attach(pid_t init) {
  if (place_.means == CgroupPlace::Means::systemd) WARD_TRY(start_scope_with(init));
  for (const Group& one : groups_) WARD_TRY(one.group.attach(init));
  return {};
}

// The scope is only the delegated parent: limits stand at a group below it, which systemd leaves
// alone, and a holder beside it keeps systemd from removing everything, figures included, in the
// moment the run's last process is gone.
Status RunCgroup::start_scope_with(pid_t init) {
  WARD_ASSIGN(holder_, start_holder());
  const std::array<pid_t, 2> pids = {init, holder_};
  WARD_ASSIGN(
      const std::string path,
      start_scope({.name = name_, .pids = pids, .uid = machine_.uid, .busctl = machine_.busctl}));
  WARD_ASSIGN(const sys::Cgroup scope, sys::Cgroup::open(place_.v2_mount_point + path));
  const std::vector<Controller> needed = controllers_of(limits_);
  WARD_ASSIGN(const std::string handed_over, scope.read("cgroup.controllers"));
  const std::vector<std::string> present = sys::words_of(handed_over);
  for (const Controller controller : needed) {
    const std::string name(v2_name(controller));
    if (std::find(present.begin(), present.end(), name) == present.end())
      return fail(Error(ErrorKind::unsupported, "systemd does not hand over the controller " + name)
                      .with_remedy(std::string(kDelegateRemedy)));
    place_.enable.push_back(name);
  }
  WARD_ASSIGN(sys::Cgroup run, sys::Cgroup::make(scope.dir(), "run"));
  WARD_ASSIGN(holder_leaf_, sys::Cgroup::make(scope.dir(), "holder"));
  WARD_TRY(holder_leaf_.attach(holder_));
  WARD_TRY(run.attach(init));
  WARD_TRY(scope.write("cgroup.subtree_control", enable_line(place_.enable, '+')));
  groups_.push_back({std::move(run), needed});
  return apply_settings(settings_v2(limits_), groups_.back().group);
}

Result<pid_t> RunCgroup::start_holder() {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, "fork");
  if (pid > 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::syscall(SYS_close_range, 0U, ~0U, 0U);
  for (;;) ::pause();
}

void RunCgroup::end_holder() {
  if (holder_ < 0) return;
  ::kill(holder_, SIGKILL);
  while (::waitpid(holder_, nullptr, 0) < 0 && errno == EINTR) {
  }
  holder_ = -1;
}

const sys::Cgroup* RunCgroup::v1_of(Controller controller) const {
  if (place_.means != CgroupPlace::Means::v1) return nullptr;
  for (const Group& one : groups_)
    if (std::find(one.controllers.begin(), one.controllers.end(), controller) !=
        one.controllers.end())
      return &one.group;
  return nullptr;
}

std::optional<std::string> RunCgroup::read_v2(const char* file) const {
  if (place_.means == CgroupPlace::Means::v1 || groups_.empty()) return std::nullopt;
  Result<std::string> text = groups_.front().group.read(file);
  if (!text) return std::nullopt;
  return std::move(*text);
}

bool RunCgroup::out_of_memory() const {
  if (const auto events = read_v2("memory.events"))
    return sys::keyed_value(*events, "oom_kill") > 0;
  const sys::Cgroup* memory = v1_of(Controller::memory);
  if (memory == nullptr) return false;
  const Result<std::string> control = memory->read("memory.oom_control");
  return control && sys::keyed_value(*control, "oom_kill") > 0;
}

std::optional<std::uint64_t> RunCgroup::refused_processes() const {
  if (!limits_.pids) return std::nullopt;
  if (const auto events = read_v2("pids.events")) return sys::keyed_value(*events, "max");
  const sys::Cgroup* pids = v1_of(Controller::pids);
  if (pids == nullptr) return std::nullopt;
  const Result<std::string> events = pids->read("pids.events");
  if (!events) return std::nullopt;
  return sys::keyed_value(*events, "max");
}

std::optional<std::chrono::microseconds> RunCgroup::cpu_user() const {
  const auto text = read_v2("cpu.stat");
  if (!text) return std::nullopt;
  return std::chrono::microseconds(sys::keyed_value(*text, "user_usec"));
}

std::optional<std::chrono::microseconds> RunCgroup::cpu_system() const {
  const auto text = read_v2("cpu.stat");
  if (!text) return std::nullopt;
  return std::chrono::microseconds(sys::keyed_value(*text, "system_usec"));
}

std::optional<std::uint64_t> RunCgroup::peak_memory_bytes() const {
  if (const auto text = read_v2("memory.peak")) return number_in(*text);
  const sys::Cgroup* memory = v1_of(Controller::memory);
  if (memory == nullptr) return std::nullopt;
  const Result<std::string> text = memory->read("memory.max_usage_in_bytes");
  if (!text) return std::nullopt;
  return number_in(*text);
}

std::optional<std::uint64_t> RunCgroup::read_bytes() const {
  const auto text = read_v2("io.stat");
  if (!text) return std::nullopt;
  return io_sum(*text, "rbytes=");
}

std::optional<std::uint64_t> RunCgroup::written_bytes() const {
  const auto text = read_v2("io.stat");
  if (!text) return std::nullopt;
  return io_sum(*text, "wbytes=");
}

Status RunCgroup::kill_all() {
  for (const Group& one : groups_)
    if (one.group.valid()) WARD_TRY(one.group.kill_all());
  return {};
}

// Each step is tried whatever became of the one before; the first error is returned.
Status RunCgroup::remove() {
  Status first = kill_all();
  const auto keep = [&first](Status next) {
    if (first && !next) first = std::move(next);
  };
  for (Group& one : groups_) keep(one.group.remove());
  keep(rejoin_own());
  end_holder();
  keep(holder_leaf_.remove());
  memory_event_.reset();
  return first;
}

std::string RunCgroup::describe() const {
  std::string text = place_.means == CgroupPlace::Means::v1 ? "cgroup v1" : "cgroup v2";
  if (place_.means == CgroupPlace::Means::systemd) text += " in scope " + name_ + ".scope";
  for (const Group& one : groups_) text += " " + one.group.dir();
  return text;
}

}  // namespace ward::confine
