// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/needs.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace ward::test {
namespace {

std::string failed(const std::string& what) { return what + ": " + std::strerror(errno); }

// Runs a probe in a child, because it changes what the process is; the child returns an errno.
std::string in_child(const std::string& what, int (*probe)()) {
  pid_t pid = fork();
  if (pid < 0) return failed("fork");
  if (pid == 0) _exit(probe());
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (!WIFEXITED(status)) return what + ": the probe was killed";
  errno = WEXITSTATUS(status);
  return failed(what);
}

int result(long returned) { return returned < 0 ? errno : 0; }

void write_file(const char* path, const std::string& text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] ssize_t ignored = write(fd, text.data(), text.size());
  close(fd);
}

int enter_namespaces() {
  const std::string uid = "0 " + std::to_string(geteuid()) + " 1";
  const std::string gid = "0 " + std::to_string(getegid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", uid);
  write_file("/proc/self/gid_map", gid);
  return result(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
}

int mount_overlay() {
  if (int error = enter_namespaces(); error != 0) return error;
  if (mount("none", "/tmp", "tmpfs", 0, nullptr) != 0) return errno;
  for (const char* name : {"/tmp/lower", "/tmp/upper", "/tmp/work", "/tmp/merged"}) {
    if (mkdir(name, 0700) != 0) return errno;
  }
  return result(mount("none", "/tmp/merged", "overlay", 0,
                      "lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work,userxattr"));
}

int listen_for_notifications() {
  sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog program{1, &allow};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return result(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

int dump_unix_sockets() {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return errno;
  struct {
    nlmsghdr header;
    unix_diag_req body;
  } request = {};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.sdiag_family = AF_UNIX;
  request.body.udiag_states = ~0U;
  if (send(fd, &request, sizeof request, 0) < 0) return errno;
  alignas(nlmsghdr) char answer[8192];
  if (recv(fd, answer, sizeof answer, 0) < 0) return errno;
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer);
  if (header->nlmsg_type != NLMSG_ERROR) return 0;
  return -static_cast<const nlmsgerr*>(NLMSG_DATA(header))->error;
}

std::string writable_dir(const std::string& path) {
  const std::string trial = path + "/ward-needs-" + std::to_string(getpid());
  if (mkdir(trial.c_str(), 0755) != 0) return failed("mkdir below " + path);
  rmdir(trial.c_str());
  return "";
}

// The mount point of a cgroup v1 controller, or of v2 for "".
std::string cgroup_mount(const std::string& controller) {
  std::ifstream mounts("/proc/self/mounts");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string device, point, type, options;
    words >> device >> point >> type >> options;
    if (controller.empty() && type == "cgroup2") return point;
    if (!controller.empty() && type == "cgroup" &&
        ("," + options + ",").find("," + controller + ",") != std::string::npos) {
      return point;
    }
  }
  return "";
}

// Our own cgroup below the mount point of a controller ("" for v2).
std::string own_cgroup(const std::string& controller) {
  std::ifstream lines("/proc/self/cgroup");
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) == controller) return line.substr(second + 1);
  }
  return "";
}

std::string probe_cgroup_v1() {
  for (const char* controller : {"memory", "pids"}) {
    const std::string point = cgroup_mount(controller);
    if (point.empty()) return std::string("no cgroup v1 hierarchy of ") + controller;
    if (std::string why = writable_dir(point + own_cgroup(controller)); !why.empty()) return why;
  }
  return "";
}

std::string probe_cgroup_v2() {
  const std::string point = cgroup_mount("");
  if (point.empty()) return "no cgroup v2 hierarchy is mounted";
  const std::string own = point + own_cgroup("");
  std::ifstream file(own + "/cgroup.controllers");
  std::string controllers;
  std::getline(file, controllers);
  for (const char* controller : {"memory", "pids"}) {
    if ((" " + controllers + " ").find(std::string(" ") + controller + " ") == std::string::npos) {
      return own + " has no controller " + controller;
    }
  }
  return writable_dir(own);
}

std::string probe_open(const char* path) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return failed(std::string("open ") + path);
  close(fd);
  return "";
}

std::string probe_landlock(int version) {
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U);
  if (abi < 0) return failed("landlock_create_ruleset");
  return abi >= version ? "" : "this kernel has ABI " + std::to_string(abi);
}

std::string probe_tool(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return "";
  }
  return "not found in PATH";
}

std::string probe_btrfs_image() {
  std::ifstream known("/proc/filesystems");
  std::string word;
  while (known >> word)
    if (word == "btrfs") return probe_open("/dev/loop-control");
  return "the kernel has no btrfs";
}

std::string probe_maven_plugins() {
  const char* plugin =
      "/usr/share/maven-repo/org/apache/maven/plugins/maven-compiler-plugin/3.10.1";
  return ::access(plugin, F_OK) == 0 ? "" : "libmaven-compiler-plugin-java 3.10.1 is not installed";
}

}  // namespace

std::string first_unmet(std::initializer_list<Need> needs) {
  for (const Need& need : needs) {
    const std::string reason = need.probe();
    if (reason.empty()) continue;
    std::printf("WARD-NEED %s | %s\n", need.name.c_str(), reason.c_str());
    std::fflush(stdout);
    return need.name + ": " + reason;
  }
  return "";
}

namespace need {

const Need root{"root", [] { return geteuid() == 0 ? "" : "runs as an ordinary user"; }};
const Need ordinary_user{"ordinary_user", [] { return geteuid() != 0 ? "" : "runs as root"; }};
const Need user_namespaces{"user_namespaces",
                           [] { return in_child("unshare(CLONE_NEWUSER)", enter_namespaces); }};
const Need overlay_in_user_namespace{"overlay_in_user_namespace",
                                     [] { return in_child("mount overlay", mount_overlay); }};
const Need seccomp_notify{
    "seccomp_notify", [] { return in_child("seccomp(NEW_LISTENER)", listen_for_notifications); }};
const Need unix_diag{"unix_diag", [] { return in_child("unix_diag dump", dump_unix_sockets); }};
const Need cgroup_v1_writable{"cgroup_v1_writable", probe_cgroup_v1};
const Need cgroup_v2_delegated{"cgroup_v2_delegated", probe_cgroup_v2};
const Need pty{"pty", [] { return probe_open("/dev/ptmx"); }};
const Need btrfs_image{"btrfs_image", probe_btrfs_image};
const Need kvm{"kvm", [] { return probe_open("/dev/kvm"); }};
const Need maven_plugins{"maven_plugins", probe_maven_plugins};

Need tool(const std::string& name) {
  return {"tool(" + name + ")", [name] { return probe_tool(name); }};
}

Need operator>=(LandlockAbi, int version) {
  return {"landlock_abi>=" + std::to_string(version),
          [version] { return probe_landlock(version); }};
}

}  // namespace need
}  // namespace ward::test
