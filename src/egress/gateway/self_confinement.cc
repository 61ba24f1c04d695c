// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/self_confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstddef>

#include "base/unique_fd.h"
#include "sys/features.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "sys/rlimit.h"
#include "sys/uapi.h"

namespace ward::egress {

namespace {

namespace raw = sys::raw;

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the gateway's filter knows x86_64 and aarch64"
#endif

enum class Only : std::uint8_t {
  any,
  reading,      // open: neither writing nor creating
  network,      // socket: IPv4 and IPv6, streams and datagrams
  unexecuted,   // mmap, mprotect: no executable memory
  nonblocking,  // ioctl: FIONBIO and FIONREAD
};

struct Row {
  int number;
  Only only;
  const char* reason;
};

// All that the gateway may call; anything else answers EPERM.
constexpr Row kRows[] = {
    {SYS_accept4, Only::any, "connections from inside"},
    {SYS_brk, Only::any, "memory"},
    {SYS_clock_gettime, Only::any, "deadlines, where the vDSO does not do"},
    {SYS_close, Only::any, "descriptors"},
    {SYS_connect, Only::any, "upstream servers and name servers"},
    {SYS_epoll_create1, Only::any, "the loop"},
    {SYS_epoll_ctl, Only::any, "the loop"},
    {SYS_epoll_pwait, Only::any, "the loop"},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, Only::any, "the loop"},
#endif
    {SYS_eventfd2, Only::any, "the loop"},
    {SYS_exit, Only::any, "the end"},
    {SYS_exit_group, Only::any, "the end"},
    {SYS_fcntl, Only::any, "O_NONBLOCK, pipe sizes"},
    {SYS_fstat, Only::any, "reading files, sealed memory"},
    {SYS_futex, Only::any, "locks of the C library"},
    {SYS_getpeername, Only::any, "sockets"},
    {SYS_getpid, Only::any, "random numbers of OpenSSL"},
    {SYS_getrandom, Only::any, "random numbers"},
    {SYS_getsockname, Only::any, "the check for own addresses"},
    {SYS_getsockopt, Only::any, "sockets"},
    {SYS_ioctl, Only::nonblocking, "sockets"},
    {SYS_lseek, Only::any, "reading files"},
    {SYS_madvise, Only::any, "memory"},
    {SYS_mmap, Only::unexecuted, "memory"},
    {SYS_mprotect, Only::unexecuted, "memory"},
    {SYS_mremap, Only::any, "memory"},
    {SYS_munmap, Only::any, "memory"},
    {SYS_newfstatat, Only::any, "reading files"},
    {SYS_openat, Only::reading, "hosts, resolv.conf"},
    {SYS_pipe2, Only::any, "splice"},
#ifdef SYS_poll
    {SYS_poll, Only::any, "the last records"},
#endif
    {SYS_ppoll, Only::any, "the last records"},
    {SYS_pread64, Only::any, "sealed memory"},
    {SYS_read, Only::any, "bytes"},
    {SYS_readv, Only::any, "bytes"},
    {SYS_recvfrom, Only::any, "bytes"},
    {SYS_recvmsg, Only::any, "the channel"},
    {SYS_restart_syscall, Only::any, "a call that was stopped"},
    {SYS_rt_sigprocmask, Only::any, "the C library"},
    {SYS_rt_sigreturn, Only::any, "signals"},
    {SYS_sendmmsg, Only::any, "bytes"},
    {SYS_sendmsg, Only::any, "the channel"},
    {SYS_sendto, Only::any, "bytes"},
    {SYS_setsockopt, Only::any, "sockets"},
    {SYS_shutdown, Only::any, "sockets"},
    {SYS_socket, Only::network, "upstream servers and name servers"},
    {SYS_splice, Only::any, "tunnels"},
    {SYS_timerfd_create, Only::any, "the loop"},
    {SYS_timerfd_settime, Only::any, "the loop"},
    {SYS_write, Only::any, "bytes"},
    {SYS_writev, Only::any, "bytes"},
};

using Program = std::vector<struct sock_filter>;

struct sock_filter statement(unsigned code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}
struct sock_filter branch(unsigned kind, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
  return {static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K), yes, no, k};
}
constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;

struct sock_filter load_argument(unsigned i) {
  return statement(BPF_LD | BPF_W | BPF_ABS,
                   static_cast<std::uint32_t>(offsetof(struct seccomp_data, args)) + i * 8U);
}

// What decides about a call whose number matched; ends in an answer on every path.
Program body_of(Only only) {
  const auto allow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const auto deny = statement(BPF_RET | BPF_K, kDeny);
  switch (only) {
    case Only::any: return {allow};
    case Only::reading:
      return {load_argument(2),
              branch(BPF_JSET, O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY), 0, 1),
              deny, allow};
    case Only::network:
      return {load_argument(0),
              branch(BPF_JEQ, AF_INET, 1, 0),
              branch(BPF_JEQ, AF_INET6, 0, 4),
              load_argument(1),
              statement(BPF_ALU | BPF_AND | BPF_K, 0xf),
              branch(BPF_JEQ, SOCK_STREAM, 2, 0),
              branch(BPF_JEQ, SOCK_DGRAM, 1, 0),
              deny,
              allow};
    case Only::unexecuted:
      return {load_argument(2), branch(BPF_JSET, PROT_EXEC, 0, 1), deny, allow};
    case Only::nonblocking:
      return {load_argument(1), branch(BPF_JEQ, FIONBIO, 2, 0), branch(BPF_JEQ, FIONREAD, 1, 0),
              deny, allow};
  }
  return {deny};
}

Program filter() {
  const auto number = statement(BPF_LD | BPF_W | BPF_ABS,
                                static_cast<std::uint32_t>(offsetof(struct seccomp_data, nr)));
  Program program = {statement(BPF_LD | BPF_W | BPF_ABS,
                               static_cast<std::uint32_t>(offsetof(struct seccomp_data, arch))),
                     branch(BPF_JEQ, kArchitecture, 1, 0),
                     statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), number};
  for (const Row& row : kRows) {
    const Program body = body_of(row.only);
    program.push_back(branch(BPF_JEQ, static_cast<std::uint32_t>(row.number), 0,
                             static_cast<std::uint8_t>(body.size())));
    program.insert(program.end(), body.begin(), body.end());
  }
  program.push_back(statement(BPF_RET | BPF_K, kDeny));
  return program;
}

Status give_up_files(const std::vector<std::string>& readable) {
  const int abi = sys::landlock_abi();
  if (abi < 1)
    return fail(Error(ErrorKind::unsupported, "the egress gateway confines itself by Landlock")
                    .with_remedy("enable Landlock in this kernel (lsm=landlock,...), or allow no "
                                 "host"));
  // Every right of this ABI; the highest bit of each is known.
  const unsigned bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  sys::uapi::landlock_ruleset_attr attributes;
  attributes.handled_access_fs = (1ULL << bits) - 1;
  const UniqueFd ruleset(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (!ruleset.valid()) return fail_errno(errno, "landlock_create_ruleset");
  for (const std::string& path : readable) {
    auto file = sys::open_path(path, O_PATH);
    if (!file) continue;
    struct landlock_path_beneath_attr rule = {};
    WARD_ASSIGN(const struct stat status, sys::stat_fd(file->get()));
    rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
    if (S_ISDIR(status.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    rule.parent_fd = file->get();
    if (::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
      return fail_errno(errno, "landlock_add_rule " + path);
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
    return fail_errno(errno, "landlock_restrict_self");
  if (sys::open_path("/proc/self/status", O_RDONLY))
    return fail(ErrorKind::bug, "Landlock is on, and a file can still be read");
  return {};
}

Status give_up_capabilities() {
  // Whoever has none cannot lower the bounding set, which then bounds nothing.
  static_cast<void>(raw::drop_bounding_set());
  if (const long status = raw::drop_capabilities(); status < 0)
    return fail_errno(static_cast<int>(-status), "capset");
  return {};
}

Status give_up_calls() {
  Program program = filter();
  const struct sock_fprog description = {static_cast<unsigned short>(program.size()),
                                         program.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &description) != 0)
    return fail_errno(errno, "seccomp");
  const UniqueFd local(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (local.valid())
    return fail(ErrorKind::bug, "the filter is on, and a local socket can be made");
  return {};
}

}  // namespace

Status begin_self_confinement() {
  if (const long status = raw::prctl(PR_SET_PDEATHSIG, SIGKILL); status < 0)
    return fail_errno(static_cast<int>(-status), "PR_SET_PDEATHSIG");
  if (const long status = raw::prctl(PR_SET_DUMPABLE, 0); status < 0)
    return fail_errno(static_cast<int>(-status), "PR_SET_DUMPABLE");
  if (const int error = sys::set_rlimit({RLIMIT_CORE, 0}); error != 0)
    return fail_errno(error, "RLIMIT_CORE");
  if (const int error = sys::set_rlimit({RLIMIT_NOFILE, RLIM_INFINITY}); error != 0)
    return fail_errno(error, "RLIMIT_NOFILE");
  ::signal(SIGPIPE, SIG_IGN);
  return {};
}

Status confine_self(const std::vector<std::string>& readable) {
  if (const long status = raw::prctl(PR_SET_NO_NEW_PRIVS, 1); status < 0)
    return fail_errno(static_cast<int>(-status), "PR_SET_NO_NEW_PRIVS");
  WARD_TRY(give_up_files(readable));
  WARD_TRY(give_up_capabilities());
  return give_up_calls();
}

}  // namespace ward::egress
