// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Limits on this machine's real kernel: in whichever cgroup this user can have here. Each limit has
// a control: the same act passes without it.
#include "confine/resource_limits.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

#include "confine/cgroup.h"
#include "support/needs.h"

namespace ward::confine {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMebi = 1U << 20U;
const LimitTarget kTarget = {.run_id = "test", .io_path = "/"};

policy::Limits memory_limit(std::uint64_t bytes) {
  policy::Limits limits;
  limits.memory_bytes = bytes;
  return limits;
}

const test::Need own_cgroup = {"own_cgroup", [] {
                                 const auto limits =
                                     ResourceLimits::prepare(memory_limit(64 * kMebi), kTarget);
                                 return limits ? "" : limits.error().describe();
                               }};

const LimitTarget kDiskTarget = {.run_id = "test", .io_path = "/var/tmp"};
const test::Need own_disk_cgroup = {"own_disk_cgroup", [] {
                                      policy::Limits wanted;
                                      wanted.disk_bandwidth = kMebi;
                                      const auto limits =
                                          ResourceLimits::prepare(wanted, kDiskTarget);
                                      return limits ? "" : limits.error().describe();
                                    }};

// A process that waits to be let go, as a sandbox's init does, then does `act`.
class Waiting {
 public:
  explicit Waiting(const std::function<int()>& act) {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    gate_ = UniqueFd(ends[1]);
    const UniqueFd waiting(ends[0]);
    pid_ = ::fork();
    if (pid_ != 0) return;
    gate_.reset();
    char byte = 0;
    if (::read(waiting.get(), &byte, 1) != 1) ::_exit(99);
    ::_exit(act());
  }
  pid_t pid() const { return pid_; }
  // The wait status.
  int go() {
    if (::write(gate_.get(), "g", 1) != 1) return -1;
    return wait();
  }
  int wait() {
    int status = -1;
    ::waitpid(pid_, &status, 0);
    return status;
  }

 private:
  UniqueFd gate_;
  pid_t pid_ = -1;
};

int touch_memory(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 98;
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
  return 0;
}

// How many processes could be made beside this one, of `wanted`.
int make_processes(int wanted) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return 99;
  int made = 0;
  for (; made < wanted; ++made) {
    const pid_t pid = ::fork();
    if (pid < 0) break;
    if (pid == 0) {
      ::close(ends[1]);
      char byte = 0;
      (void)!::read(ends[0], &byte, 1);
      ::_exit(0);
    }
  }
  ::close(ends[1]);
  while (::wait(nullptr) > 0) {
  }
  return made;
}

int burn_cpu() {
  timespec used = {};
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  } while (used.tv_sec == 0 && used.tv_nsec < 100'000'000);
  return 0;
}

// The directories in describe(): "cgroup v1 /a /b".
std::vector<std::string> dirs_of(const ResourceLimits& limits) {
  std::vector<std::string> dirs;
  for (const std::string& word : sys::words_of(limits.describe()))
    if (word.starts_with("/")) dirs.push_back(word);
  return dirs;
}

TEST(ResourceLimits, WithoutLimitsNothingIsMadeAndNothingNeedsToBeAttached) {
  auto limits = ResourceLimits::prepare({}, kTarget);
  ASSERT_TRUE(limits);
  EXPECT_TRUE(limits->rlimits().empty());
  EXPECT_FALSE(limits->needs_attach());
  EXPECT_TRUE(limits->attach(::getpid()));
  EXPECT_FALSE(limits->out_of_memory());
  EXPECT_TRUE(limits->kill_all());
  EXPECT_TRUE(limits->remove());
}

TEST(ResourceLimits, AFileCannotGrowOverItsLimit) {
  policy::Limits wanted;
  wanted.file_size_bytes = 4096;
  const auto limits = ResourceLimits::prepare(wanted, kTarget);
  ASSERT_TRUE(limits);
  const auto write_two_pages = [] {
    ::signal(SIGXFSZ, SIG_DFL);
    std::string name = ::testing::TempDir() + "/ward-fsize-XXXXXX";
    const UniqueFd fd(::mkstemp(name.data()));
    ::unlink(name.c_str());
    const std::string page(4096, 'x');
    for (int i = 0; i < 2; ++i)
      if (::write(fd.get(), page.data(), page.size()) != 4096) return 1;
    return 0;
  };
  Waiting limited([&] {
    for (const sys::Rlimit& one : limits->rlimits())
      if (sys::set_rlimit(one) != 0) return 97;
    return write_two_pages();
  });
  const int status = limited.go();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
  Waiting control(write_two_pages);
  EXPECT_EQ(control.go(), 0);
}

TEST(ResourceLimits, NoMoreFilesCanBeOpenedThanTheLimit) {
  policy::Limits wanted;
  wanted.open_files = 8;
  const auto limits = ResourceLimits::prepare(wanted, kTarget);
  ASSERT_TRUE(limits);
  const auto open_twenty = [] {
    for (int i = 0; i < 20; ++i)
      if (::open("/", O_RDONLY | O_CLOEXEC) < 0) return errno == EMFILE ? 24 : 1;
    return 0;
  };
  Waiting limited([&] {
    for (const sys::Rlimit& one : limits->rlimits())
      if (sys::set_rlimit(one) != 0) return 97;
    return open_twenty();
  });
  EXPECT_EQ(WEXITSTATUS(limited.go()), 24);
  Waiting control(open_twenty);
  EXPECT_EQ(control.go(), 0);
}

TEST(ResourceLimits, ARlimitIsNeverRaisedOverTheCallersHardLimit) {
  Waiting process([] {
    const struct rlimit low = {16, 16};
    ::setrlimit(RLIMIT_NOFILE, &low);
    if (sys::set_rlimit({RLIMIT_NOFILE, 1024}) != 0) return 1;
    struct rlimit now = {};
    ::getrlimit(RLIMIT_NOFILE, &now);
    return now.rlim_cur == 16 && now.rlim_max == 16 ? 0 : 2;
  });
  EXPECT_EQ(process.go(), 0);
}

TEST(ResourceLimits, MemoryOverTheLimitEndsTheRunAsOutOfMemory) {
  NEEDS(own_cgroup);
  auto limits = ResourceLimits::prepare(memory_limit(32 * kMebi), kTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  Waiting process([] { return touch_memory(64 * kMebi); });
  ASSERT_TRUE(limits->needs_attach());
  const Status attached = limits->attach(process.pid());
  ASSERT_TRUE(attached) << attached.error().describe();
  EXPECT_FALSE(limits->out_of_memory());
  const int status = process.go();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(limits->out_of_memory());
  if (limits->out_of_memory_fd() >= 0) {  // v1: the caller is told to end the rest
    pollfd event = {limits->out_of_memory_fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&event, 1, 0), 1);
  }
  const Usage usage = limits->usage({});
  EXPECT_EQ(usage.source, Usage::Source::cgroup);
  EXPECT_GT(usage.peak_memory_bytes.value_or(32 * kMebi), 16 * kMebi);

  Waiting control([] { return touch_memory(64 * kMebi); });
  EXPECT_EQ(control.go(), 0);
}

TEST(ResourceLimits, MemoryBelowTheLimitIsNoOutOfMemory) {
  NEEDS(own_cgroup);
  auto limits = ResourceLimits::prepare(memory_limit(64 * kMebi), kTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  Waiting process([] { return touch_memory(8 * kMebi); });
  ASSERT_TRUE(limits->attach(process.pid()));
  EXPECT_EQ(process.go(), 0);
  EXPECT_FALSE(limits->out_of_memory());
}

TEST(ResourceLimits, AProcessOverTheGroupsLimitIsRefusedAndCounted) {
  NEEDS(own_cgroup);
  policy::Limits wanted = memory_limit(256 * kMebi);
  wanted.pids = 3;
  auto limits = ResourceLimits::prepare(wanted, kTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  Waiting process([] { return make_processes(6); });
  ASSERT_TRUE(limits->attach(process.pid()));
  EXPECT_EQ(WEXITSTATUS(process.go()), 3);
  EXPECT_GE(limits->refused_processes().value_or(0), 1U);

  Waiting control([] { return make_processes(6); });
  EXPECT_EQ(WEXITSTATUS(control.go()), 6);
}

TEST(ResourceLimits, ACommandOverItsShareOfACpuIsThrottled) {
  NEEDS(own_cgroup);
  policy::Limits wanted;
  wanted.cpus = 0.2;
  auto limits = ResourceLimits::prepare(wanted, kTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  Waiting process(burn_cpu);
  ASSERT_TRUE(limits->attach(process.pid()));
  EXPECT_EQ(process.go(), 0);
  const std::string dir = dirs_of(*limits).at(0);
  std::ifstream file(dir + "/cpu.stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  EXPECT_GE(sys::keyed_value(stat, "nr_throttled"), 1U) << stat;
}

// A lower bound only: what the kernel lets through sooner is over the limit, however slow the disk.
TEST(ResourceLimits, WritingIsHeldToTheDiskLimit) {
  NEEDS(own_disk_cgroup);
  constexpr std::uint64_t kBytesPerSecond = kMebi;
  const auto write_three_mebibytes = [] {
    std::string name = "/var/tmp/ward-disk-XXXXXX";
    const UniqueFd fd(::mkstemp(name.data()));
    ::unlink(name.c_str());
    const std::string chunk(kMebi, 'x');
    for (int i = 0; i < 3; ++i)
      if (::write(fd.get(), chunk.data(), chunk.size()) != static_cast<ssize_t>(kMebi)) return 1;
    return ::fsync(fd.get()) == 0 ? 0 : 2;
  };
  policy::Limits wanted;
  wanted.disk_bandwidth = kBytesPerSecond;
  auto limits = ResourceLimits::prepare(wanted, kDiskTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  Waiting process(write_three_mebibytes);
  const Status attached = limits->attach(process.pid());
  ASSERT_TRUE(attached) << attached.error().describe();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(process.go(), 0);
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_GE(limits->usage({}).written_bytes.value_or(0), 3 * kMebi);
}

TEST(ResourceLimits, AnOrdinaryUsersProcessesAreCountedByTheSandboxsUserNamespace) {
  NEEDS(ordinary_user, user_namespaces);
  policy::Limits wanted;
  wanted.pids = 3;
  const auto limits = ResourceLimits::prepare(wanted, kTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  EXPECT_FALSE(limits->needs_attach());
  ASSERT_EQ(limits->rlimits().size(), 1U);
  const auto as_command = [](std::span<const sys::Rlimit> rlimits) {
    // Init, in the sandbox's namespace, then the command beside it.
    if (::unshare(CLONE_NEWUSER) != 0) return 96;
    const pid_t command = ::fork();
    if (command == 0) {
      for (const sys::Rlimit& one : rlimits)
        if (sys::set_rlimit(one) != 0) ::_exit(97);
      ::_exit(make_processes(6));
    }
    int status = 0;
    ::waitpid(command, &status, 0);
    return WEXITSTATUS(status);
  };
  // The command is one of the three.
  Waiting limited([&] { return as_command(limits->rlimits()); });
  EXPECT_EQ(WEXITSTATUS(limited.go()), 2);
  Waiting control([&] { return as_command({}); });
  EXPECT_EQ(WEXITSTATUS(control.go()), 6);
}

TEST(ResourceLimits, WhatThisUserCannotHaveIsRefusedWithTheWayToGetIt) {
  NEEDS(ordinary_user);
  const auto limits = ResourceLimits::prepare(memory_limit(64 * kMebi), kTarget);
  if (limits) GTEST_SKIP() << "needs no_own_cgroup: this user can have one";
  EXPECT_EQ(limits.error().kind(), ErrorKind::unsupported);
  EXPECT_THAT(limits.error().message(), HasSubstr("limits.memory needs an own cgroup"));
  EXPECT_FALSE(limits.error().remedy().empty());
}

TEST(ResourceLimits, LimitsThatNoProcessLayerCanHoldAreRefused) {
  policy::Limits disk;
  disk.disk_bytes = 1;
  EXPECT_THAT(ResourceLimits::prepare(disk, kTarget).error().message(), HasSubstr("limits.disk"));
  policy::Limits net;
  net.net_bandwidth = 1;
  EXPECT_THAT(ResourceLimits::prepare(net, kTarget).error().message(),
              HasSubstr("limits.netBandwidth"));
}

TEST(ResourceLimits, ADiskLimitWithoutASingleDiskIsRefused) {
  policy::Limits wanted;
  wanted.disk_ops = 100;
  const auto limits = ResourceLimits::prepare(wanted, {.run_id = "test", .io_path = "/proc"});
  ASSERT_FALSE(limits);
  EXPECT_THAT(limits.error().message(), HasSubstr("no single disk"));
}

TEST(ResourceLimits, RemovingKillsWhatIsLeftAndCanBeRepeated) {
  NEEDS(own_cgroup);
  auto limits = ResourceLimits::prepare(memory_limit(64 * kMebi), kTarget);
  ASSERT_TRUE(limits) << limits.error().describe();
  Waiting process([] {
    for (;;) ::pause();
    return 0;
  });
  ASSERT_TRUE(limits->attach(process.pid()));
  const std::vector<std::string> dirs = dirs_of(*limits);
  ASSERT_FALSE(dirs.empty());
  for (const std::string& dir : dirs) EXPECT_TRUE(std::filesystem::exists(dir));
  const Status removed = limits->remove();
  EXPECT_TRUE(removed) << removed.error().describe();
  EXPECT_TRUE(limits->remove());
  for (const std::string& dir : dirs) EXPECT_FALSE(std::filesystem::exists(dir));
  EXPECT_TRUE(WIFSIGNALED(process.wait()));
}

TEST(ResourceLimits, WhatAKilledRunLeavesIsRemovedByTheNext) {
  NEEDS(own_cgroup);
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    auto limits = ResourceLimits::prepare(memory_limit(64 * kMebi), kTarget);
    const std::string dirs = limits ? limits->describe() : "";
    (void)!::write(ends[1], dirs.data(), dirs.size());
    ::raise(SIGKILL);
  }
  ::waitpid(owner, nullptr, 0);
  std::array<char, 4096> buffer;
  const ssize_t size = ::read(ends[0], buffer.data(), buffer.size());
  ASSERT_GT(size, 0);
  std::vector<std::string> left;
  for (const std::string& word : sys::words_of({buffer.data(), static_cast<std::size_t>(size)}))
    if (word.starts_with("/")) left.push_back(word);
  if (left.empty()) GTEST_SKIP() << "needs direct_cgroup: here systemd removes what is left";
  for (const std::string& dir : left) EXPECT_TRUE(std::filesystem::exists(dir));

  const auto next = ResourceLimits::prepare(memory_limit(64 * kMebi), kTarget);
  ASSERT_TRUE(next) << next.error().describe();
  for (const std::string& dir : left) EXPECT_FALSE(std::filesystem::exists(dir)) << dir;
}

TEST(ResourceLimits, AGroupBelongsToTheProcessInItsName) {
  const Result<std::string> name = group_name("run");
  ASSERT_TRUE(name);
  EXPECT_FALSE(is_stale_group(*name));
  EXPECT_FALSE(is_stale_group("ward"));
  EXPECT_FALSE(is_stale_group("ward-1-2-3"));
  EXPECT_FALSE(is_stale_group("ward-0-2-3-of-another-pid-namespace"));
  // The same process number, started at another time: an owner that is gone.
  const std::size_t run = name->rfind('-');
  const std::size_t start = name->rfind('-', run - 1);
  EXPECT_TRUE(is_stale_group(name->substr(0, start) + "-1-run"));
}

TEST(ResourceLimits, AFailedSetUpLeavesNoGroupBehind) {
  NEEDS(own_cgroup);
  const auto count = [] {
    std::size_t groups = 0;
    const Result<CgroupMachine> machine = CgroupMachine::here();
    for (const std::string& parent : group_parents(*machine))
      for (const auto& entry : std::filesystem::directory_iterator(parent))
        if (entry.path().filename().string().find("-leaves-nothing") != std::string::npos) ++groups;
    return groups;
  };
  // No process has this number: attaching fails after everything else has been made.
  {
    auto limits = ResourceLimits::prepare(memory_limit(64 * kMebi),
                                          {.run_id = "leaves-nothing", .io_path = "/"});
    ASSERT_TRUE(limits);
    EXPECT_FALSE(limits->attach(0x3ffffff));
  }
  EXPECT_EQ(count(), 0U);
}

}  // namespace
}  // namespace ward::confine
