// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/internet.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/needs.h"
#include "support/paths.h"

namespace ward::test {

namespace {

// The programs that set the namespaces up keep this process's capabilities there.
void keep_capabilities() {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return;
  for (auto& word : data) word.inheritable = word.permitted;
  if (::syscall(SYS_capset, &header, data) != 0) return;
  for (unsigned long capability : {CAP_NET_ADMIN, CAP_NET_BIND_SERVICE, CAP_NET_RAW, CAP_SYS_ADMIN})
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}

bool write_file(const char* path, const std::string& text) {
  const UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return fd.valid() &&
         ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// One certificate for every name and address of the lab.
constexpr const char* kCertificates =
    "cd \"$1\" && exec > log.openssl 2>&1 && new='openssl req -x509 -newkey ec -pkeyopt "
    "ec_paramgen_curve:P-256 "
    "-nodes -days 2' && $new -keyout ca.key -out ca.pem -subj '/CN=Ward test authority' -addext "
    "keyUsage=critical,keyCertSign,cRLSign && $new -CA ca.pem -CAkey ca.key -keyout leaf.key -out "
    "leaf.pem -subj /CN=site.example -addext basicConstraints=critical,CA:FALSE -addext "
    "'subjectAltName=DNS:*.site.example,DNS:*.evil.example,DNS:evil.example,IP:45.66.77.10,"
    "IP:2a0e:66::10'";

}  // namespace

Internet::Internet() { begin(); }

Internet::~Internet() {
  for (const std::string& path : covered_) ::umount2(path.c_str(), MNT_DETACH);
  to_servers_.reset();
  if (servers_ <= 0) return;
  ::kill(servers_, SIGKILL);
  ::waitpid(servers_, nullptr, 0);
}

void Internet::fail(const std::string& why) {
  if (why_.empty()) why_ = why + ": " + std::strerror(errno);
}

void Internet::run(const std::string& command) {
  if (!ok()) return;
  const pid_t child = ::fork();
  if (child == 0) {
    keep_capabilities();
    ::execl("/bin/sh", "sh", "-c", command.c_str(), "sh", folder_.path().c_str(), nullptr);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (status != 0) why_ = command + " failed with status " + std::to_string(WEXITSTATUS(status));
}

void Internet::begin() {
  run(kCertificates);
  leave_the_machine();
  start_servers();
  connect_link();
  put_files_in_place();
}

void Internet::leave_the_machine() {
  if (!ok()) return;
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  const bool root = ::geteuid() == 0;
  if (::unshare((root ? 0 : CLONE_NEWUSER) | CLONE_NEWNET | CLONE_NEWNS) != 0)
    return fail("namespaces of the test's own");
  if (!root && (!write_file("/proc/self/uid_map", uid + " " + uid + " 1") ||
                !write_file("/proc/self/setgroups", "deny") ||
                !write_file("/proc/self/gid_map", gid + " " + gid + " 1")))
    return fail("an own id in a user namespace");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail("private mounts");
}

void Internet::start_servers() {
  if (!ok()) return;
  int to[2], from[2], moved[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0 ||
      ::pipe2(moved, O_CLOEXEC) != 0)
    return fail("pipes");
  const UniqueFd stdin_end(to[0]), stdout_end(from[1]), moved_in(moved[0]);
  UniqueFd moved_out(moved[1]);
  to_servers_ = UniqueFd(to[1]);
  from_servers_ = UniqueFd(from[0]);
  servers_ = ::fork();
  if (servers_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::unshare(CLONE_NEWNET) != 0 || ::write(moved_out.get(), "x", 1) != 1) ::_exit(1);
    keep_capabilities();
    ::dup2(stdin_end.get(), 0);
    ::dup2(stdout_end.get(), 1);
    const std::string script = source_dir() + "/tests/support/internet.py";
    ::execlp("python3", "python3", "-B", script.c_str(), folder_.path().c_str(), nullptr);
    ::_exit(127);
  }
  moved_out.reset();
  char byte = 0;
  if (::read(moved_in.get(), &byte, 1) != 1) fail("a second network namespace");
}

void Internet::connect_link() {
  run("exec > \"$1/log.ip\" 2>&1; set -e; ip link set lo up; ip link add lan0 type veth peer name "
      "isp0; ip link set isp0 netns " +
      std::to_string(servers_) +
      "; ip addr add 10.99.0.2/24 dev lan0; ip addr add fd99::2/64 dev lan0 nodad; ip link set "
      "lan0 up; ip route add default via 10.99.0.1; ip -6 route add default via fd99::1");
  if (!ok()) return;
  char ready = 0;
  if (::write(to_servers_.get(), "\n", 1) != 1 || ::read(from_servers_.get(), &ready, 1) != 1)
    fail("the servers of the lab");
}

// What resolves and verifies on this "host" goes by the lab.
void Internet::put_files_in_place() {
  if (!ok()) return;
  struct File {
    const char* path;
    std::string content;
  };
  const char* bundle = "/etc/ssl/certs/ca-certificates.crt";
  std::string trusted;
  if (std::filesystem::exists(bundle)) trusted = read_text(bundle);
  const File files[] = {
      {"/etc/resolv.conf", "nameserver 45.66.77.53\n"},
      {"/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n10.20.0.5 listed.site.example\n"},
      {bundle, trusted + read_text(ca())},
  };
  int number = 0;
  for (const File& file : files) {
    const std::string source = folder_.write("file" + std::to_string(number++), file.content);
    cover(file.path, source);
  }
}

void Internet::cover(const std::string& path, const std::string& by) {
  if (!ok()) return;
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error || ::mount(by.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) != 0)
    return fail("a file in the place of " + path);
  covered_.push_back(target);
}

void Internet::make_java_trust_it() {
  const std::string store = "/etc/ssl/certs/java/cacerts";
  run("exec > \"$1/log.keytool\" 2>&1; cat " + store +
      " > \"$1/cacerts\" && keytool -importcert -noprompt -alias ward-test -file \"$1/ca.pem\" "
      "-keystore \"$1/cacerts\" -storepass changeit");
  cover(store, folder_ / "cacerts");
}

void Internet::open_registries() {
  run("exec > \"$1/log.registries\" 2>&1; python3 '" + source_dir() +
      "/tests/support/registries.py' \"$1\"");
}

void Internet::open_ssh() {
  run("cd \"$1\" && exec > log.ssh 2>&1; ssh-keygen -q -t ed25519 -N '' -f ssh_key && ssh-keygen "
      "-q "
      "-t ed25519 -N '' -f ssh_host_key && cp ssh_key.pub authorized_keys");
}

std::string Internet::ssh_known_hosts() const {
  return "code.site.example,code.evil.example " + read_text(folder_ / "ssh_host_key.pub");
}

std::string Internet::log() const { return read_text(folder_ / "log"); }

void InternetTest::SetUp() {
  NEEDS(user_namespaces, seccomp_notify, tool("python3"), tool("openssl"), tool("ip"),
        tool("curl"));
  lab_.emplace();
  WARD_NEEDS_INTERNET(*lab_);
}

}  // namespace ward::test
