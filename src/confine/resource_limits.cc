// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/resource_limits.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "confine/cgroup.h"

namespace ward::confine {

Usage usage_of(const struct rusage& tree) {
  const auto micros = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  constexpr std::uint64_t kBlock =
      512;  // getrusage(2): in units of 512 bytes, on every file system
  constexpr std::uint64_t kKibi = 1024;
  return Usage{
      .source = Usage::Source::rusage,
      .cpu_user = micros(tree.ru_utime),
      .cpu_system = micros(tree.ru_stime),
      .peak_memory_bytes = static_cast<std::uint64_t>(tree.ru_maxrss) * kKibi,
      .read_bytes = static_cast<std::uint64_t>(tree.ru_inblock) * kBlock,
      .written_bytes = static_cast<std::uint64_t>(tree.ru_oublock) * kBlock,
  };
}

ResourceLimits::ResourceLimits() = default;
ResourceLimits::~ResourceLimits() = default;
ResourceLimits::ResourceLimits(ResourceLimits&&) noexcept = default;
ResourceLimits& ResourceLimits::operator=(ResourceLimits&&) noexcept = default;

Result<ResourceLimits> ResourceLimits::prepare(const policy::Limits& limits,
                                               const LimitTarget& target) {
  if (limits.disk_bytes)
    return fail(Error(ErrorKind::unsupported,
                      "limits.disk: a command in the process layer writes to the host's own files, "
                      "which have no quota of its own")
                    .with_remedy("limit single files with limits.fileSize, or take limits.disk "
                                 "out"));
  if (limits.net_bandwidth)
    return fail(
        Error(ErrorKind::unsupported, "limits.netBandwidth: nothing here shapes network traffic")
            .with_remedy("take it out: the sandbox has no network but its own loopback"));
  ResourceLimits made;
  const auto add = [&made](int resource, std::uint64_t value) {
    made.rlimits_[made.rlimit_count_++] = {resource, value};
  };
  if (limits.open_files) add(RLIMIT_NOFILE, *limits.open_files);
  if (limits.file_size_bytes) add(RLIMIT_FSIZE, *limits.file_size_bytes);

  CgroupLimits grouped{
      .memory_bytes = limits.memory_bytes, .pids = {}, .cpus = limits.cpus, .io = {}};
  if (limits.disk_bandwidth || limits.disk_ops) {
    Result<std::string> disk = disk_of(std::string(target.io_path));
    if (!disk) return fail(std::move(disk).error().with_context("limits.diskBandwidth, diskOps"));
    grouped.io = IoLimit{std::move(*disk), limits.disk_bandwidth, limits.disk_ops};
  }
  // For an ordinary user the kernel counts processes by user namespace, and the sandbox has one of
  // its own; root is exempt from that count (fork(2)).
  const bool root = ::geteuid() == 0;
  const bool needs_group = grouped.memory_bytes || grouped.cpus || grouped.io;
  if (limits.pids && (root || needs_group)) grouped.pids = limits.pids;
  if (limits.pids && !grouped.pids)
    add(RLIMIT_NPROC, std::max(*limits.pids, *limits.pids + kOwnProcesses));
  if (needs_group || grouped.pids) {
    WARD_ASSIGN(made.cgroup_, RunCgroup::make(grouped, target.run_id));
  }
  return made;
}

Status ResourceLimits::attach(pid_t init) {
  if (!cgroup_) return {};
  return in_context(cgroup_->attach(init), "limits");
}

int ResourceLimits::out_of_memory_fd() const { return cgroup_ ? cgroup_->out_of_memory_fd() : -1; }

bool ResourceLimits::out_of_memory() const { return cgroup_ && cgroup_->out_of_memory(); }

std::optional<std::uint64_t> ResourceLimits::refused_processes() const {
  return cgroup_ ? cgroup_->refused_processes() : std::nullopt;
}

Usage ResourceLimits::usage(const struct rusage& tree) const {
  Usage usage = usage_of(tree);
  if (!cgroup_) return usage;
  usage.source = Usage::Source::cgroup;
  const auto take = [](auto& figure, const auto& better) {
    if (better)
      figure = *better;  // NOLINT(bugprone-optional-value-conversion): not all are optional
  };
  take(usage.cpu_user, cgroup_->cpu_user());
  take(usage.cpu_system, cgroup_->cpu_system());
  take(usage.peak_memory_bytes, cgroup_->peak_memory_bytes());
  take(usage.read_bytes, cgroup_->read_bytes());
  take(usage.written_bytes, cgroup_->written_bytes());
  return usage;
}

Status ResourceLimits::kill_all() { return cgroup_ ? cgroup_->kill_all() : Status{}; }
Status ResourceLimits::remove() { return cgroup_ ? cgroup_->remove() : Status{}; }
std::string ResourceLimits::describe() const { return cgroup_ ? cgroup_->describe() : ""; }

}  // namespace ward::confine
