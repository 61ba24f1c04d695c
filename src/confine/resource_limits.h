// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ResourceLimits: the limits of a policy, made ready on this machine for one run. Open files, file
// size and, for an ordinary user, the number of processes are rlimits of the command; memory, cpus
// and disk bandwidth are a cgroup of the run: a delegated cgroup v2, a scope of systemd's manager,
// or v1 hierarchies. A limit that cannot be enforced for this user is an error of prepare() that
// says how to get it. Wall time and output belong to the keeper. A policy that asks for no cgroup
// costs no system call here. Owned by the supervisor, used by one thread; the destructor kills what
// is left in the cgroup and removes it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"
#include "sys/rlimit.h"

namespace ward::confine {

class RunCgroup;  // cgroup.h

// What a run used. A figure that nobody could measure is unset.
struct Usage {
  enum class Source : std::uint8_t {
    rusage,  // waited-for processes only; peak memory is that of the largest one
    cgroup,  // the whole run
  };
  Source source = Source::rusage;
  std::chrono::microseconds cpu_user{};
  std::chrono::microseconds cpu_system{};
  std::optional<std::uint64_t> peak_memory_bytes;
  std::optional<std::uint64_t> read_bytes;
  std::optional<std::uint64_t> written_bytes;
};
Usage usage_of(const struct rusage& tree);

struct LimitTarget {
  std::string_view run_id;   // [A-Za-z0-9-], at most 64 characters
  std::string_view io_path;  // whose disk diskBandwidth and diskOps limit: the workspace
};

class ResourceLimits {
 public:
  // No limits; every call below does nothing.
  ResourceLimits();
  ~ResourceLimits();
  ResourceLimits(ResourceLimits&&) noexcept;
  ResourceLimits& operator=(ResourceLimits&&) noexcept;

  // Makes the run's cgroup if one is needed, and removes what killed runs left beside it.
  static Result<ResourceLimits> prepare(const policy::Limits& limits, const LimitTarget& target);

  // For the command, to set with sys::set_rlimit before it gives up its privileges.
  std::span<const sys::Rlimit> rlimits() const { return {rlimits_.data(), rlimit_count_}; }

  // True where attach() must be called, after the clone and before init forks or runs anything.
  bool needs_attach() const { return cgroup_ != nullptr; }
  // Puts `init` in the cgroup and reads back that it is there.
  Status attach(pid_t init);

  // Becomes readable when the run met its memory limit and nothing has ended it yet (the caller
  // then calls kill_all()); -1 where the kernel ends the whole run by itself.
  int out_of_memory_fd() const;
  // Whether the kernel killed a process of the run for its memory limit.
  bool out_of_memory() const;
  // How often a process could not be made because of the limit; unset where nobody counts.
  std::optional<std::uint64_t> refused_processes() const;
  // `tree` is what init reported; the cgroup's figures win where there is one.
  Usage usage(const struct rusage& tree) const;

  Status kill_all();
  // Kills what is left and removes the cgroup. Idempotent.
  Status remove();

  // For the journal and `doctor`: "cgroup v2 /sys/fs/cgroup/…", or "".
  std::string describe() const;

 private:
  std::array<sys::Rlimit, 3> rlimits_{};
  std::size_t rlimit_count_ = 0;
  std::unique_ptr<RunCgroup> cgroup_;
};

}  // namespace ward::confine
