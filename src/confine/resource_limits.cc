// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/resource_limits.h"

#include <utility>

#include "confine/cgroup.h"

namespace ward::confine {

Usage usage_of(const struct rusage& tree) {
  const auto micros = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  constexpr std::uint64_t kBlock = 512;  // getrusage(2): in units of 512 bytes, on every file system
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

Result<ResourceLimits> ResourceLimits::prepare(const policy::Limits& limits, const LimitTarget&) {
  if (limits.memory_bytes || limits.cpus || limits.pids || limits.disk_bandwidth || limits.disk_ops)
    return fail(ErrorKind::unsupported, "limits: no cgroup of its own can be made for this run");
  if (limits.disk_bytes)
    return fail(ErrorKind::unsupported, "limits.disk: this layer cannot hold a run to a disk size");
  if (limits.net_bandwidth)
    return fail(ErrorKind::unsupported, "limits.netBandwidth: this layer has no network to limit");
  ResourceLimits made;
  if (limits.open_files)
    made.rlimits_[made.rlimit_count_++] = {RLIMIT_NOFILE, *limits.open_files};
  if (limits.file_size_bytes)
    made.rlimits_[made.rlimit_count_++] = {RLIMIT_FSIZE, *limits.file_size_bytes};
  return made;
}

Status ResourceLimits::attach(pid_t) { return {}; }
int ResourceLimits::out_of_memory_fd() const { return -1; }
bool ResourceLimits::out_of_memory() const { return false; }
std::optional<std::uint64_t> ResourceLimits::refused_processes() const { return std::nullopt; }
Usage ResourceLimits::usage(const struct rusage& tree) const { return usage_of(tree); }
Status ResourceLimits::kill_all() { return {}; }
Status ResourceLimits::remove() { return {}; }
std::string ResourceLimits::describe() const { return {}; }

}  // namespace ward::confine
