// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/syscall_fault_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>

#include "journal/helpers_test.h"

namespace ward::journal::test {
namespace {

using ::testing::IsEmpty;

// Everything that changes what is on a disk, and what asks for it to be.
constexpr std::array kWriting = std::to_array<unsigned>(
    {SYS_write, SYS_pwrite64, SYS_fsync, SYS_fdatasync, SYS_openat, SYS_ftruncate, SYS_mkdir,
     SYS_unlink, SYS_unlinkat, SYS_renameat, SYS_fchmodat, SYS_fchmod, SYS_flock});
// Not fcntl(2): a lock of a local file that cannot be given back is no fault that happens, and
// SQLite would wait ten seconds for itself.
constexpr std::array kReading =
    std::to_array<unsigned>({SYS_read, SYS_pread64, SYS_newfstatat, SYS_fstat});

// From now on these calls of this process stop for the tracer; all others run at full speed.
bool stop_at(bool reading_too) {
  std::vector<struct sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  auto add = [&](unsigned number) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  };
  for (const unsigned number : kWriting) add(number);
  if (reading_too)
    for (const unsigned number : kReading) add(number);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const struct sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The call about to be made is skipped and fails.
void skip_call(pid_t child, int error_number) {
  struct user_regs_struct registers = {};
  ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
  registers.orig_rax = ~0ULL;
  registers.rax = static_cast<unsigned long long>(-static_cast<long long>(error_number));
  ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
}

FaultResult trace(pid_t child, const Fault& fault) {
  constexpr int kSeccompStop = SIGTRAP | (PTRACE_EVENT_SECCOMP << 8);
  FaultResult result;
  ::waitpid(child, &result.status, 0);  // the stop it asked for
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
  int signal = 0;
  for (int count = 0;;) {
    ::ptrace(PTRACE_CONT, child, nullptr, signal);
    ::waitpid(child, &result.status, 0);
    if (!WIFSTOPPED(result.status)) return result;
    const bool at_call = result.status >> 8 == kSeccompStop;
    signal = at_call ? 0 : WSTOPSIG(result.status);
    if (!at_call || count++ != fault.index) continue;
    result.reached = true;
    if (fault.error_number != 0)
      skip_call(child, fault.error_number);
    else
      ::kill(child, SIGKILL);
  }
}

}  // namespace

FaultResult run_with_fault(const Fault& fault, const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(stop_at(fault.reading_too) ? body() : 99);
  }
  return trace(child, fault);
}

namespace {

// What the child has been told is written, seen by the parent after its death.
class Acknowledged {
 public:
  Acknowledged()
      : count_(static_cast<int*>(::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Acknowledged() { ::munmap(count_, sizeof(int)); }
  Acknowledged(const Acknowledged&) = delete;
  Acknowledged& operator=(const Acknowledged&) = delete;
  int& operator*() { return *count_; }

 private:
  int* count_;
};

// A run as `ward run` journals it. With a log that is due, so that the checkpoint is in it.
int journal_a_run(const std::string& folder, Acknowledged& acknowledged) {
  auto journal = sqlite_journal({.folder = folder, .patience = std::chrono::milliseconds(50)});
  bool good = true;
  for (const char* note : {"start", "end"}) {
    const bool written = append(*journal, note).has_value();
    *acknowledged += written ? 1 : 0;
    good = good && written;
  }
  return journal->settle() && good ? 0 : 3;
}

class JournalFaults : public ::testing::Test {
 protected:
  // Every run is journalled into a copy of this folder.
  void make_original(int kilobytes_of_log) {
    for (int count = 0; count < kilobytes_of_log; count += 20)
      ASSERT_TRUE(append(original_.path(), std::string(20'000, 'x')));
    if (kilobytes_of_log > 0) before_ = records(original_.path()).size();
  }

  std::string fresh_copy() {
    const std::string copy = copies_ / "state";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(original_.path(), copy, std::filesystem::copy_options::recursive);
    ::chmod(copy.c_str(), 0700);
    return copy;
  }

  // However it ended: the chain is whole, what was acknowledged is there, and it goes on.
  void expect_whole(const std::string& folder, int acknowledged, int index) {
    const Verification verification = verified(folder);
    const auto least = static_cast<std::int64_t>(before_) + acknowledged;
    EXPECT_TRUE(verification.sound()) << "call " << index;
    EXPECT_GE(verification.records, least) << "call " << index;
    EXPECT_LE(verification.records, std::max<std::int64_t>(least + 2, 3)) << "call " << index;
    const auto next = append(folder, "next");
    ASSERT_TRUE(next) << "call " << index << ": " << next.error().describe();
    EXPECT_EQ(next->notice, "") << "call " << index;
    EXPECT_TRUE(verified(folder).sound()) << "call " << index;
    EXPECT_THAT(files(folder, "journal.damaged-"), IsEmpty())
        << "call " << index << ": " << records(folder)[0].payload;
  }

  void kill_at_each_call() {
    for (int index = 0;; ++index) {
      const std::string folder = fresh_copy();
      Acknowledged acknowledged;
      const FaultResult result =
          run_with_fault({.index = index}, [&] { return journal_a_run(folder, acknowledged); });
      expect_whole(folder, *acknowledged, index);
      if (result.reached) continue;
      EXPECT_EQ(result.status, 0);
      EXPECT_GT(index, 20);
      return;
    }
  }

  void fail_each_call(Fault fault) {
    for (int index = 0;; ++index) {
      fault.index = index;
      const std::string folder = fresh_copy();
      Acknowledged acknowledged;
      const FaultResult result =
          run_with_fault(fault, [&] { return journal_a_run(folder, acknowledged); });
      EXPECT_TRUE(WIFEXITED(result.status)) << "call " << index;
      expect_whole(folder, *acknowledged, index);
      if (result.reached) continue;
      EXPECT_EQ(result.status, 0);
      EXPECT_GT(index, 20);
      return;
    }
  }

  MemoryFolder original_;
  MemoryFolder copies_;
  std::size_t before_ = 0;
};

TEST_F(JournalFaults, KilledAtEachCallOfTheFirstRunOfAll) { kill_at_each_call(); }

TEST_F(JournalFaults, KilledAtEachCallOfARunWithACheckpoint) {
  make_original(300);
  kill_at_each_call();
}

TEST_F(JournalFaults, DiskFullAtEachCallOfTheFirstRunOfAll) {
  fail_each_call({.error_number = ENOSPC});
}

TEST_F(JournalFaults, DiskFullAtEachCallOfARunWithACheckpoint) {
  make_original(300);
  fail_each_call({.error_number = ENOSPC});
}

TEST_F(JournalFaults, DiskFailsAtEachCallOfARunWithACheckpoint) {
  make_original(300);
  fail_each_call({.error_number = EIO, .reading_too = true});
}

TEST_F(JournalFaults, AFileSizeLimitIsAnErrorAndNoSignal) {
  make_original(100);
  const std::string folder = fresh_copy();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const struct rlimit limit = {50'000, 50'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto refused = append(folder, std::string(20'000, 'x'));
    ::_exit(refused ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  expect_whole(folder, 0, 0);
}

// In a user and mount namespace of its own; the exit status says what happened.
template <class Body>
int in_own_mounts(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const uid_t uid = ::geteuid();
    const gid_t gid = ::getegid();
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(77);
    write_bytes("/proc/self/setgroups", "deny");
    write_bytes("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
    write_bytes("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
    if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
    ::_exit(body());
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

TEST_F(JournalFaults, AReallyFullDiskIsAnErrorAndTheJournalGoesOnWhenThereIsRoom) {
  const std::string folder = fresh_copy();
  const int code = in_own_mounts([&] {
    if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=512k,mode=700") != 0) return 77;
    if (!append(folder, "one")) return 1;
    write_bytes(folder + "/filler", std::string(1 << 20, 'f'));
    Result<Appended> appended = append(folder, "two");
    for (int count = 0; appended && count < 200; ++count)
      appended = append(folder, std::string(20'000, 'x'));
    if (appended || appended.error().kind() != ErrorKind::exhausted) return 2;
    std::filesystem::remove(folder + "/filler");
    if (!append(folder, "three")) return 3;
    return verified(folder).sound() ? 0 : 4;
  });
  if (code == 77) GTEST_SKIP() << "needs user namespaces: no own tmpfs here";
  EXPECT_EQ(code, 0);
}

TEST_F(JournalFaults, AReadOnlyDiskIsAnErrorAndNothingIsSetAside) {
  make_original(20);
  const std::string folder = fresh_copy();
  const int code = in_own_mounts([&] {
    if (::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0) return 77;
    constexpr unsigned long kReadOnly = MS_REMOUNT | MS_BIND | MS_RDONLY;
    if (::mount("", folder.c_str(), nullptr, kReadOnly, nullptr) != 0) return 77;
    if (append(folder, "two")) return 1;
    return files(folder, "journal.damaged-").empty() ? 0 : 2;
  });
  if (code == 77) GTEST_SKIP() << "needs user namespaces: no own mounts here";
  EXPECT_EQ(code, 0);
  expect_whole(folder, 0, 0);
}

}  // namespace
}  // namespace ward::journal::test
