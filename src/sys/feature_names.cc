// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "sys/features.h"

namespace ward::sys {
namespace {

struct Row {
  Feature feature;
  std::string_view name;
  std::string_view purpose;
};

constexpr std::array<Row, kFeatureCount> kRows = {{
    {Feature::user_namespace, "user_namespace", "confines without root"},
    {Feature::mount_namespace, "mount_namespace", "gives the command its own view of the files"},
    {Feature::pid_namespace, "pid_namespace", "hides other processes; ends the whole tree at once"},
    {Feature::net_namespace, "net_namespace", "takes away every network but an own loopback"},
    {Feature::ipc_namespace, "ipc_namespace", "hides the host's shared memory and queues"},
    {Feature::uts_namespace, "uts_namespace", "hides the host's name"},
    {Feature::cgroup_namespace, "cgroup_namespace", "hides the host's cgroups"},
    {Feature::landlock, "landlock", "a second boundary by path, beside the mounts"},
    {Feature::landlock_scoping, "landlock_scoping", "no signals or abstract sockets to outside"},
    {Feature::seccomp_filter, "seccomp_filter", "takes away system calls"},
    {Feature::seccomp_notify, "seccomp_notify",
     "asks ward before a name is created or connected to"},
    {Feature::seccomp_wait_killable, "seccomp_wait_killable",
     "signals do not repeat an asked call"},
    {Feature::seccomp_sync_wake_up, "seccomp_sync_wake_up", "makes asking four times cheaper"},
    {Feature::mount_setattr, "mount_setattr", "makes all mounts read-only in one call"},
    {Feature::open_tree, "open_tree", "puts a mount over a path that is held open"},
    {Feature::overlay, "overlay", "copy-on-write for --review"},
    {Feature::tmpfs_mount, "tmpfs_mount", "an own /tmp, and masks for hidden paths"},
    {Feature::devpts_mount, "devpts_mount", "own terminals"},
    {Feature::proc_mount, "proc_mount", "a /proc that shows only the sandbox"},
    {Feature::pidfd_getfd, "pidfd_getfd", "connects a socket on behalf of the command"},
    {Feature::clone3, "clone3", "makes the namespaces and the process in one call"},
    {Feature::close_range, "close_range", "no inherited descriptor enters"},
    {Feature::openat2, "openat2", "opens paths without following links"},
    {Feature::memfd, "memfd", "hands data over without a file"},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].feature) != i) return false;
  return true;
}
static_assert(rows_are_in_order());

}  // namespace

std::string_view name_of(Feature feature) { return kRows[static_cast<std::size_t>(feature)].name; }

std::string_view purpose_of(Feature feature) {
  return kRows[static_cast<std::size_t>(feature)].purpose;
}

}  // namespace ward::sys
