// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/syscall_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "confine/bpf.h"
#include "sys/uapi.h"

namespace ward::confine {
namespace {

using Program = std::vector<struct sock_filter>;

// What the kernel does with a filter, for the instructions that the compiler uses.
std::uint32_t evaluate(const Program& program, const struct seccomp_data& data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const struct sock_filter& code = program[at];
    auto take = [&](bool yes) { at += yes ? code.jt : code.jf; };
    switch (code.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + code.k, 4);
        break;
      case BPF_ALU | BPF_AND | BPF_K: accumulator &= code.k; break;
      case BPF_JMP | BPF_JEQ | BPF_K: take(accumulator == code.k); break;
      case BPF_JMP | BPF_JGE | BPF_K: take(accumulator >= code.k); break;
      case BPF_JMP | BPF_JSET | BPF_K: take((accumulator & code.k) != 0); break;
      case BPF_JMP | BPF_JA: at += code.k; break;
      case BPF_RET | BPF_K: return code.k;
      default: ADD_FAILURE() << "unknown instruction " << code.code; return 0;
    }
  }
  ADD_FAILURE() << "the program has no end";
  return 0;
}

#if defined(__x86_64__)
constexpr std::uint32_t kNative = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeign = AUDIT_ARCH_I386;
#else
constexpr std::uint32_t kNative = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeign = AUDIT_ARCH_ARM;
#endif

struct Call {
  int number;
  std::array<std::uint64_t, 6> arguments{};
  std::uint32_t architecture = kNative;
};

std::uint32_t judge(const Call& call, const FilterOptions& options = {}) {
  auto program = compile_filter(options);
  EXPECT_TRUE(program.has_value());
  struct seccomp_data data = {};
  data.nr = call.number;
  data.arch = call.architecture;
  std::copy(call.arguments.begin(), call.arguments.end(), data.args);
  return evaluate(*program, data);
}

std::uint32_t refused(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

constexpr FilterOptions kStrict{.profile = policy::SyscallProfile::strict};
constexpr FilterOptions kNested{.nested_namespaces = true};
constexpr FilterOptions kNotified{.creations = true, .removals = true, .connections = true};

TEST(SyscallTable, IsSortedByNameAndEachRowHasAReasonAndAnErrno) {
  auto rows = syscall_table();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const SyscallRow& row : rows) {
    EXPECT_FALSE(row.reason.empty()) << row.name;
    EXPECT_EQ(row.action == SyscallAction::deny, row.error != 0) << row.name;
    EXPECT_LE(row.number, highest_known_syscall()) << row.name;
  }
}

TEST(SyscallTable, OneNameHasOneNumber) {
  auto rows = syscall_table();
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].name == rows[i - 1].name, rows[i].number == rows[i - 1].number)
        << rows[i].name;
}

TEST(SyscallTable, NoRowStandsBehindOneThatDecidesEverything) {
  // Within the rows that always count: what follows one without tests is dead.
  auto rows = syscall_table();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    bool ends =
        rows[i - 1].group == RowGroup::always && rows[i - 1].tests[0].op == ArgTest::Op::none;
    EXPECT_FALSE(ends && rows[i].name == rows[i - 1].name) << rows[i].name;
  }
}

// Arguments that satisfy every test of a row.
std::array<std::uint64_t, 6> satisfying(const SyscallRow& row) {
  std::array<std::uint64_t, 6> arguments{};
  for (const ArgTest& test : row.tests) {
    if (test.op == ArgTest::Op::none) continue;
    std::uint64_t value = test.value;
    if (test.op == ArgTest::Op::differs) value = ~test.value & test.mask;
    if (test.op == ArgTest::Op::any_of) value = test.mask & (~test.mask + 1);  // its lowest bit
    arguments.at(test.argument) |= value;
  }
  return arguments;
}

TEST(SyscallTable, EveryRowDecidesTheCallsItIsWrittenFor) {
  for (const SyscallRow& row : syscall_table()) {
    FilterOptions options;
    if (row.group == RowGroup::strict) options.profile = policy::SyscallProfile::strict;
    options.creations = row.group == RowGroup::creations;
    options.removals = row.group == RowGroup::removals;
    options.connections = row.group == RowGroup::connections;
    options.trace = row.group == RowGroup::trace;
    std::uint32_t wanted = row.action == SyscallAction::allow    ? SECCOMP_RET_ALLOW
                           : row.action == SyscallAction::notify ? SECCOMP_RET_USER_NOTIF
                                                                 : refused(row.error);
    auto program = compile_rows({&row, 1}, options, highest_known_syscall());
    ASSERT_TRUE(program.has_value());
    struct seccomp_data data = {};
    data.nr = row.number;
    data.arch = kNative;
    auto arguments = satisfying(row);
    std::copy(arguments.begin(), arguments.end(), data.args);
    EXPECT_EQ(evaluate(*program, data), wanted) << row.name;
    for (auto& argument : data.args) argument |= 0xffffffff00000000U;
    EXPECT_EQ(evaluate(*program, data), wanted) << row.name << " with upper halves set";
    data.nr = row.number == 0 ? 1 : row.number - 1;
    EXPECT_EQ(evaluate(*program, data), SECCOMP_RET_ALLOW) << "beside " << row.name;
  }
}

TEST(SyscallFilter, OrdinaryCallsPass) {
  for (int number :
       {SYS_read, SYS_write, SYS_mmap, SYS_futex, SYS_getdents64, SYS_execve, SYS_statx, SYS_ptrace,
        SYS_process_vm_readv, SYS_seccomp, SYS_landlock_create_ruleset, 462 /* mseal */})
    EXPECT_EQ(judge({number}), SECCOMP_RET_ALLOW) << number;
}

TEST(SyscallFilter, CallsThatNobodyHasJudgedDoNotExist) {
  EXPECT_EQ(judge({highest_known_syscall()}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({highest_known_syscall() + 1}), refused(ENOSYS));
  EXPECT_EQ(judge({100000}), refused(ENOSYS));
  EXPECT_EQ(judge({-1}), refused(ENOSYS));
}

TEST(SyscallFilter, ForeignArchitecturesAreKilledAndX32DoesNotExist) {
  EXPECT_EQ(judge({.number = SYS_read, .architecture = kForeign}), SECCOMP_RET_KILL_PROCESS);
  EXPECT_EQ(judge({SYS_read | 0x40000000}), refused(ENOSYS));
}

TEST(SyscallFilter, TerminalInjectionIsComparedIn32Bits) {
  for (std::uint64_t command : {std::uint64_t{TIOCSTI}, std::uint64_t{TIOCLINUX}}) {
    EXPECT_EQ(judge({SYS_ioctl, {0, command}}), refused(EPERM));
    EXPECT_EQ(judge({SYS_ioctl, {0, command | 0xdeadbeef00000000U}}), refused(EPERM));
  }
  EXPECT_EQ(judge({SYS_ioctl, {0, TIOCGWINSZ}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_ioctl, {0, TCGETS}}), SECCOMP_RET_ALLOW);
}

TEST(SyscallFilter, SubvolumesAreNotMadeByIoctlWhateverTheSizeOfItsArgument) {
  EXPECT_EQ(judge({SYS_ioctl, {3, 0x5000940e}}), refused(EPERM));  // BTRFS_IOC_SUBVOL_CREATE
  EXPECT_EQ(judge({SYS_ioctl, {3, 0x40009418}}), refused(EPERM));
}

TEST(SyscallFilter, NoNewNamespaceInAnyWay) {
  for (std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWUTS,
                             CLONE_NEWIPC, CLONE_NEWCGROUP}) {
    EXPECT_EQ(judge({SYS_clone, {flag | 17U}}), refused(EPERM));
    EXPECT_EQ(judge({SYS_clone, {flag | 0xffffffff00000000U}}), refused(EPERM));
    EXPECT_EQ(judge({SYS_unshare, {flag}}), refused(EPERM));
    EXPECT_EQ(judge({SYS_unshare, {flag}}, kNested), SECCOMP_RET_ALLOW);
  }
  EXPECT_EQ(judge({SYS_unshare, {0x80}}), refused(EPERM));  // CLONE_NEWTIME
  EXPECT_EQ(judge({SYS_clone3}), refused(ENOSYS));
  EXPECT_EQ(judge({SYS_setns}), refused(EPERM));
  EXPECT_EQ(judge({SYS_clone3}, kNested), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_mount}, kNested), SECCOMP_RET_ALLOW);
}

TEST(SyscallFilter, ThreadsAndProcessesAreMade) {
  EXPECT_EQ(judge({SYS_clone, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD}}),
            SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_clone, {0x01200011}}), SECCOMP_RET_ALLOW);  // fork of libc
  EXPECT_EQ(judge({SYS_unshare, {CLONE_FILES | CLONE_FS}}), SECCOMP_RET_ALLOW);
}

TEST(SyscallFilter, SocketsAreAnAllowList) {
  auto socket = [](std::uint64_t family, std::uint64_t type, std::uint64_t protocol = 0) {
    return judge({SYS_socket, {family, type, protocol}});
  };
  EXPECT_EQ(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC), SECCOMP_RET_ALLOW);
  EXPECT_EQ(socket(AF_UNIX, SOCK_SEQPACKET), SECCOMP_RET_ALLOW);
  EXPECT_EQ(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC), refused(EACCES));
  EXPECT_EQ(socket(AF_UNIX, SOCK_RAW), refused(EACCES));
  EXPECT_EQ(socket(AF_UNIX | 0xff00000000U, SOCK_DGRAM | 0xff00000000U), refused(EACCES));
  EXPECT_EQ(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP), SECCOMP_RET_ALLOW);
  EXPECT_EQ(socket(AF_INET6, SOCK_DGRAM), SECCOMP_RET_ALLOW);
  EXPECT_EQ(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), refused(EPERM));
  EXPECT_EQ(socket(AF_INET, SOCK_PACKET), refused(EPROTONOSUPPORT));
  EXPECT_EQ(socket(AF_INET, SOCK_STREAM, 262 /* MPTCP */), refused(EPROTONOSUPPORT));
  EXPECT_EQ(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), SECCOMP_RET_ALLOW);
  EXPECT_EQ(socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT), refused(EPROTONOSUPPORT));
  for (std::uint64_t family : {AF_VSOCK, AF_PACKET, AF_ALG, AF_KEY, AF_BLUETOOTH, AF_TIPC, AF_XDP})
    EXPECT_EQ(socket(family, SOCK_DGRAM), refused(EAFNOSUPPORT)) << family;
  EXPECT_EQ(judge({SYS_socketpair, {AF_UNIX, SOCK_STREAM}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_socketpair, {AF_UNIX, SOCK_DGRAM}}), refused(EACCES));
}

TEST(SyscallFilter, OnlyOpensThatMayCreateAreAskedAbout) {
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_RDONLY}}, kNotified), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_WRONLY | O_TRUNC}}, kNotified), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_WRONLY | O_CREAT}}, kNotified), SECCOMP_RET_USER_NOTIF);
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_WRONLY | O_CREAT}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_TMPFILE | O_RDWR}}, kNotified), SECCOMP_RET_ALLOW);
}

TEST(SyscallFilter, SetUserBitsAreNotGiven) {
  EXPECT_EQ(judge({SYS_fchmodat, {0, 0, 04755}}), refused(EPERM));
  EXPECT_EQ(judge({sys::uapi::kNrFchmodat2, {0, 0, 04755}}), refused(EPERM));
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_CREAT, 04755}}, kNotified), refused(EPERM));
  EXPECT_EQ(judge({SYS_fchmod, {0, 02755}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_fchmod, {0, 02755}}, kStrict), refused(EPERM));
  // What a mode argument holds does not matter where nothing is created.
  EXPECT_EQ(judge({SYS_openat, {0, 0, O_RDONLY, 04755}}), SECCOMP_RET_ALLOW);
}

TEST(SyscallFilter, DebuggersMaySwitchOffRandomizationAndNothingElse) {
  EXPECT_EQ(judge({SYS_personality, {0xffffffff}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_personality, {0}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_personality, {0x40000}}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge({SYS_personality, {0x400000}}), refused(EPERM));  // READ_IMPLIES_EXEC
  EXPECT_EQ(judge({SYS_personality, {0x40000}}, kStrict), refused(EPERM));
}

TEST(SyscallFilter, StrictKeepsProcessesApart) {
  for (int number : {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd})
    EXPECT_EQ(judge({number}, kStrict), refused(EPERM));
  EXPECT_EQ(judge({SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE}}, kStrict),
            refused(EAFNOSUPPORT));
}

TEST(SyscallFilter, ProfilesOfOtherLayersAreRefusedByName) {
  for (auto profile : {policy::SyscallProfile::desktop, policy::SyscallProfile::vmm,
                       policy::SyscallProfile::isolate}) {
    auto program = compile_filter({.profile = profile});
    ASSERT_FALSE(program.has_value());
    EXPECT_EQ(program.error().kind(), ErrorKind::unsupported);
  }
}

TEST(SyscallFilter, ACallTakesFewInstructions) {
  auto program = compile_filter(kNotified);
  ASSERT_TRUE(program.has_value());
  EXPECT_LT(program->size(), 800U);
  for (int number = 0; number <= highest_known_syscall(); ++number) {
    std::size_t steps = 0;
    // Follow the search only: loads and branches on the number.
    std::size_t at = 4;
    while (at < program->size() && (*program)[at].code == (BPF_JMP | BPF_JGE | BPF_K)) {
      const auto& code = (*program)[at];
      at += 1U + (static_cast<std::uint32_t>(number) >= code.k ? code.jt : code.jf);
      if (at < program->size() && (*program)[at].code == (BPF_JMP | BPF_JA))
        at += 1U + (*program)[at].k;
      ++steps;
    }
    EXPECT_LE(steps, 9U) << number;
  }
}

TEST(FilterCompiler, MakesAKnownProgramOfAKnownTable) {
  const SyscallRow rows[] = {
      {"ioctl",
       16,
       RowGroup::always,
       SyscallAction::deny,
       EPERM,
       "r",
       {ArgTest{ArgTest::Op::equal, 1, 0xffff, 0x5412}}},
      {"mkdir", 83, RowGroup::creations, SyscallAction::notify, 0, "r"},
      {"ptrace", 101, RowGroup::strict, SyscallAction::deny, EPERM, "r"},
  };
  auto program = compile_rows(rows, {.creations = true}, 200);
  ASSERT_TRUE(program.has_value());
  std::string text = disassemble(*program);
  text = text.substr(text.find("3: load"));  // what stands before is the architecture's
  EXPECT_EQ(text,
            "3: load 0\n"
            "4: if >= 0x53 goto 14 else 5\n"
            "5: if >= 0x10 goto 7 else 6\n"
            "6: return 0x7fff0000\n"
            "7: if >= 0x11 goto 13 else 8\n"
            "8: load 24\n"
            "9: and 0xffff\n"
            "10: if == 0x5412 goto 11 else 12\n"
            "11: return 0x00050001\n"
            "12: return 0x7fff0000\n"
            "13: return 0x7fff0000\n"
            "14: if >= 0x54 goto 16 else 15\n"
            "15: return 0x7fc00000\n"
            "16: if >= 0xc9 goto 18 else 17\n"
            "17: return 0x7fff0000\n"
            "18: return 0x00050026\n");
}

}  // namespace
}  // namespace ward::confine
