// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/feature_cause.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "sys/file.h"

namespace ward::sys {
namespace {

std::optional<long> number_at(const std::string& path) {
  const Result<std::string> text = read_file(path, 4096);
  if (!text || text->empty()) return std::nullopt;
  return std::strtol(text->c_str(), nullptr, 10);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// The name in /proc/self/ns and in user.max_NAME_namespaces, "" for what is no namespace.
std::string namespace_of(Feature feature) {
  switch (feature) {
    case Feature::user_namespace: return "user";
    case Feature::mount_namespace: return "mnt";
    case Feature::pid_namespace: return "pid";
    case Feature::net_namespace: return "net";
    case Feature::ipc_namespace: return "ipc";
    case Feature::uts_namespace: return "uts";
    case Feature::cgroup_namespace: return "cgroup";
    default: return "";
  }
}

// Works only inside an own user namespace.
bool is_namespaced(Feature feature) {
  switch (feature) {
    case Feature::mount_setattr:
    case Feature::open_tree:
    case Feature::overlay:
    case Feature::tmpfs_mount:
    case Feature::devpts_mount:
    case Feature::proc_mount: return true;
    default: return !namespace_of(feature).empty();
  }
}

// In a chroot no mount stands at "/": the fifth field of a line of mountinfo.
bool has_root_mount(const std::string& mountinfo) {
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 5; ++i) fields >> field;
    if (field == "/") return true;
  }
  return mountinfo.empty();  // not readable: nothing is known
}

std::string sysctl_remedy(const std::string& name, const std::string& value) {
  return "as root: sysctl -w " + name + "=" + value + "; to keep it, write " + name + " = " +
         value + " to /etc/sysctl.d/60-ward.conf";
}

std::string apparmor_remedy(const std::string& program) {
  return "as root, write /etc/apparmor.d/ward with these lines and run apparmor_parser -r "
         "/etc/apparmor.d/ward:\n"
         "  abi <abi/4.0>,\n"
         "  include <tunables/global>\n"
         "  profile ward " +
         program +
         " flags=(unconfined) {\n"
         "    userns,\n"
         "  }";
}

bool is_refusal(int os_errno) { return os_errno == EPERM || os_errno == EACCES; }

Cause cause_of_namespace(Feature feature, int os_errno, const MachineFacts& facts) {
  const std::string kind = namespace_of(feature);
  if (!facts.kernel_has_kind)
    return {"this kernel is built without " + kind + " namespaces",
            "use a kernel with CONFIG_NAMESPACES and CONFIG_USER_NS, as distributions build it"};
  if (facts.max_user_namespaces == 0)
    return {"user.max_user_namespaces is 0", sysctl_remedy("user.max_user_namespaces", "10000")};
  if (facts.max_of_this_kind == 0)
    return {"user.max_" + kind + "_namespaces is 0",
            sysctl_remedy("user.max_" + kind + "_namespaces", "10000")};
  if (os_errno == ENOSPC || os_errno == EUSERS)
    return {"too many namespaces exist, or they are nested too deep",
            "end sandboxes that are no longer used, or raise user.max_user_namespaces"};
  if (!is_refusal(os_errno)) return {};
  if (facts.uid != 0 && facts.unprivileged_userns_clone == 0)
    return {"kernel.unprivileged_userns_clone is 0",
            sysctl_remedy("kernel.unprivileged_userns_clone", "1")};
  if (facts.uid != 0 && facts.apparmor_restricts_userns.value_or(0) != 0)
    return {
        "AppArmor keeps unconfined programs from using user namespaces "
        "(kernel.apparmor_restrict_unprivileged_userns)",
        apparmor_remedy(facts.program)};
  if (feature == Feature::proc_mount && (facts.in_container || !facts.seccomp_filtered))
    return {
        "parts of this machine's /proc are covered, as containers do, so the kernel allows no "
        "fresh one",
        "start the container with --security-opt systempaths=unconfined (Kubernetes: procMount: "
        "Unmasked)"};
  if (facts.seccomp_filtered)
    return {std::string("a seccomp filter of the ") +
                (facts.in_container ? "container" : "service or container") +
                " that ward runs in refuses it",
            "start the container with --security-opt seccomp=unconfined, or with a profile that "
            "allows clone, unshare, mount and their like; in a service unit, take out "
            "RestrictNamespaces= and SystemCallFilter="};
  if (facts.chrooted)
    return {"ward runs in a chroot, where the kernel allows no user namespace",
            "run it outside of the chroot"};
  if (facts.selinux_enforces)
    return {"SELinux may refuse it", "look for user_namespace denials: ausearch -m avc -ts recent"};
  return {};
}

Cause cause_of_landlock(int os_errno, const MachineFacts& facts) {
  if (os_errno == EOPNOTSUPP)
    return {"Landlock is built into this kernel but not enabled",
            "boot with lsm=landlock," +
                (facts.security_modules.empty() ? "..." : facts.security_modules)};
  if (os_errno == ENOSYS)
    return {"this kernel has no Landlock of ABI 2 (Linux 5.19 or later)",
            "use a newer kernel with CONFIG_SECURITY_LANDLOCK; until then mounts alone carry the "
            "path rules"};
  if (is_refusal(os_errno) && facts.seccomp_filtered)
    return {"a seccomp filter of the container that ward runs in refuses it",
            "allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self in the "
            "container's seccomp profile"};
  return {};
}

Cause cause_of_call(Feature feature, int os_errno, const MachineFacts& facts) {
  const std::string name(name_of(feature));
  if (os_errno == EBUSY && feature >= Feature::seccomp_notify &&
      feature <= Feature::seccomp_sync_wake_up)
    return {
        "this process is watched by another program's seccomp notifier, and the kernel allows "
        "one only",
        "run ward outside of the other sandbox"};
  if (os_errno == ENOSYS || os_errno == EINVAL || os_errno == ENOTTY)
    return {facts.seccomp_filtered
                ? name + " is unknown to this kernel or hidden by a seccomp filter"
                : name + " is unknown to this kernel",
            "use a newer kernel; docs/kernel-support.md says which"};
  if (is_refusal(os_errno) && facts.seccomp_filtered)
    return {"a seccomp filter of the container that ward runs in refuses it",
            "allow it in the container's seccomp profile"};
  return {};
}

}  // namespace

MachineFacts read_facts(Feature feature) {
  MachineFacts facts;
  facts.uid = ::geteuid();
  facts.program = readlink_at(AT_FDCWD, "/proc/self/exe").value_or("/usr/bin/ward");
  facts.unprivileged_userns_clone = number_at("/proc/sys/kernel/unprivileged_userns_clone");
  facts.apparmor_restricts_userns =
      number_at("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  facts.max_user_namespaces = number_at("/proc/sys/user/max_user_namespaces");
  if (const std::string kind = namespace_of(feature); !kind.empty()) {
    facts.max_of_this_kind = number_at("/proc/sys/user/max_" + kind + "_namespaces");
    facts.kernel_has_kind = exists("/proc/self/ns/" + kind) || !exists("/proc/self/ns");
  }
  facts.selinux_enforces = number_at("/sys/fs/selinux/enforce").value_or(0) != 0;
  const std::string status = read_file("/proc/self/status").value_or("");
  facts.seccomp_filtered = status.find("\nSeccomp:\t2") != std::string::npos;
  facts.in_container = exists("/.dockerenv") || exists("/run/.containerenv") ||
                       std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
  facts.chrooted = !has_root_mount(read_file("/proc/self/mountinfo").value_or(""));
  facts.security_modules = read_file("/sys/kernel/security/lsm").value_or("");
  return facts;
}

Cause cause_of(Feature feature, int os_errno, const MachineFacts& facts) {
  if (feature == Feature::landlock || feature == Feature::landlock_scoping)
    return cause_of_landlock(os_errno, facts);
  if (is_namespaced(feature)) {
    if (Cause cause = cause_of_namespace(feature, os_errno, facts); !cause.cause.empty())
      return cause;
  }
  return cause_of_call(feature, os_errno, facts);
}

Error explain_failure(Feature feature, int os_errno, std::string op) {
  Cause cause = cause_of(feature, os_errno, read_facts(feature));
  Error error = Error::from_errno(os_errno, std::move(op));
  if (!cause.cause.empty()) error = std::move(error).with_context(std::move(cause.cause));
  if (!cause.remedy.empty()) error = std::move(error).with_remedy(std::move(cause.remedy));
  return error;
}

}  // namespace ward::sys
