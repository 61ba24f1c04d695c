// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/notifier.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "confine/notify_lab.h"
#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::confine {
namespace {

using policy::ProtectMechanism;

// A workspace with a repository: `.git` with `config` exists and may not be moved, `.git/hooks` and
// `.mcp.json` do not exist and may not come into being, `rc` is a protected link.
struct Workspace {
  test::TempDir dir;
  explicit Workspace() {
    dir.make_dir(".git");
    dir.make_dir("sub/deep");
    dir.make_dir("sub/repo/.git");
    dir.write(".git/config", "");
    dir.write("plain", "text");
    EXPECT_EQ(::symlink("plain", (dir / "rc").c_str()), 0);
  }
  sys::ObjectId id(const std::string& name) const {
    return sys::object_id(*sys::stat_at(AT_FDCWD, dir / name, AT_SYMLINK_NOFOLLOW));
  }
  PathPlan plan(ProtectMechanism mechanism) const {
    PathPlan plan;
    plan.protect = mechanism;
    plan.absent = {
        {dir / ".git", id(".git"), "hooks", "protected .git/hooks"},
        {dir.path(), id("."), ".mcp.json", "protected .mcp.json"},
        {dir / "sub/deep", id("sub/deep"), ".claude", "protected .claude"},
    };
    plan.frozen = {
        {dir.path(), id("."), ".git", id(".git"), "protected .git"},
        {dir.path(), id("."), "sub", id("sub"), "on the way to sub/deep/.claude"},
        {dir.path(), id("."), "rc", id("rc"), "protected link rc"},
    };
    return plan;
  }
};

class Notified : public ::testing::TestWithParam<ProtectMechanism> {
 protected:
  LabResult run(const std::function<std::string()>& inside) {
    LabOptions options;
    options.spec.plan = workspace.plan(GetParam());

    return run_in_lab(std::move(options), [&] {
      return ::chdir(workspace.dir.path().c_str()) == 0 ? inside() : "chdir";
    });
  }
  bool there(const std::string& name) const {
    struct stat status = {};
    return ::lstat((workspace.dir / name).c_str(), &status) == 0;
  }
  std::string at(const std::string& name) const { return workspace.dir / name; }

  Workspace workspace;
};

INSTANTIATE_TEST_SUITE_P(Mechanisms, Notified,
                         ::testing::Values(ProtectMechanism::guard, ProtectMechanism::emulate),
                         [](const auto& instance) {
                           return instance.param == ProtectMechanism::guard ? "guard" : "emulate";
                         });

// Every call that brings a name into being, on one name.
void try_every_creation(const std::string& name, int error, Findings& found) {
  auto gone = [&] {
    ::unlink(name.c_str());
    ::rmdir(name.c_str());
  };
  const char* n = name.c_str();
  found.expect(::open(n, O_CREAT | O_WRONLY, 0644), error, "open " + name), gone();
  found.expect(::open(n, O_CREAT | O_EXCL | O_RDWR, 0644), error, "open excl " + name), gone();
  found.expect(::open(n, O_CREAT | O_NOFOLLOW | O_RDWR, 0644), error, "open nofollow"), gone();
  found.expect(::syscall(SYS_open, n, O_CREAT | O_TRUNC | O_WRONLY, 0644), error, "old open"),
      gone();
  found.expect(::openat(AT_FDCWD, n, O_CREAT | O_APPEND | O_WRONLY, 0644), error, "append"), gone();
  found.expect(::creat(n, 0644), error, "creat " + name), gone();
  found.expect(::mkdir(n, 0755), error, "mkdir " + name), gone();
  found.expect(::mkdirat(AT_FDCWD, (name + "/").c_str(), 0755), error, "mkdirat " + name), gone();
  found.expect(::mknod(n, S_IFREG | 0644, 0), error, "mknod " + name), gone();
  found.expect(::mknodat(AT_FDCWD, n, S_IFIFO | 0644, 0), error, "mkfifo " + name), gone();
  found.expect(::mknod(n, S_IFSOCK | 0644, 0), error, "mknod socket " + name), gone();
  found.expect(::symlink("/etc", n), error, "symlink " + name), gone();
  found.expect(::symlinkat("plain", AT_FDCWD, n), error, "symlinkat " + name), gone();
  found.expect(::link("plain", n), error, "link " + name), gone();
  found.expect(::linkat(AT_FDCWD, "plain", AT_FDCWD, n, 0), error, "linkat " + name), gone();
  found.expect(bind_unix(name), error, "bind " + name), gone();
  int file = ::open(".", O_TMPFILE | O_RDWR, 0600);
  if (file >= 0) {
    std::string link = "/proc/self/fd/" + std::to_string(file);
    found.expect(::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, n, AT_SYMLINK_FOLLOW), error,
                 "link an unnamed file to " + name),
        gone();
    ::close(file);
  }
  for (unsigned flags : {0U, 1U /* RENAME_NOREPLACE */}) {
    ::close(::open("source", O_CREAT | O_WRONLY, 0644));
    found.expect(::syscall(SYS_renameat2, AT_FDCWD, "source", AT_FDCWD, n, flags), error,
                 "renameat2 onto " + name),
        gone();
  }
  ::close(::open("source", O_CREAT | O_WRONLY, 0644));
  found.expect(::rename("source", n), error, "rename onto " + name), gone();
  ::mkdir("tree", 0755);
  ::mkdir("tree/pre-commit", 0755);
  found.expect(::rename("tree", n), error, "rename a tree onto " + name);
  ::rmdir((name + "/pre-commit").c_str()), gone();
  ::rmdir("tree/pre-commit"), ::rmdir("tree"), ::unlink("source");
}

TEST_P(Notified, EveryCallThatCreatesIsRefusedOnAnAbsentProtectedName) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    for (const char* name : {".git/hooks", ".mcp.json", "sub/deep/.claude"})
      try_every_creation(name, EACCES, found);
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_FALSE(there(".git/hooks"));
  EXPECT_FALSE(there(".mcp.json"));
  ASSERT_FALSE(result.denials.empty());
  EXPECT_EQ(result.denials[0].target, at(".git/hooks"));
  EXPECT_EQ(result.denials[0].rule, "protected .git/hooks");
}

TEST_P(Notified, TheSameCallsSucceedOnOtherNames) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    for (const char* name : {"other", "sub/deep/other", ".git/hooks2"})
      try_every_creation(name, 0, found);
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.denials.empty());
}

TEST_P(Notified, NoWayOfWritingThePathLeadsToAProtectedName) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  std::string root = workspace.dir.path();
  ASSERT_EQ(::symlink(".git", at("alias").c_str()), 0);
  ASSERT_EQ(::symlink((root + "/.git").c_str(), at("sub/absolute").c_str()), 0);
  ASSERT_EQ(::symlink((root + "/.git/hooks").c_str(), at("dangling").c_str()), 0);
  ASSERT_EQ(::symlink("dangling", at("dangling2").c_str()), 0);
  LabResult result = run([&] {
    Findings found;
    int git = ::open(".git", O_PATH | O_DIRECTORY | O_CLOEXEC);
    std::string by_fd = "/proc/self/fd/" + std::to_string(git) + "/hooks";
    std::string pid = std::to_string(::getpid());
    for (const std::string& path :
         {root + "/.git/hooks", std::string("sub/../.git/./hooks"), std::string("alias/hooks"),
          std::string("sub/absolute/hooks"), std::string("/proc/self/cwd/.git/hooks"),
          std::string("/proc/thread-self/cwd/alias/hooks"), "/proc/" + pid + "/cwd/.git/hooks",
          "/proc/self/root" + root + "/.git/hooks", by_fd, "//" + root + "//.git//hooks//",
          std::string("../") + root.substr(root.rfind('/') + 1) + "/.git/hooks"}) {
      found.expect(::mkdir(path.c_str(), 0755), EACCES, "mkdir " + path);
    }
    found.expect(::mkdirat(git, "hooks", 0755), EACCES, "mkdirat a descriptor");
    found.expect(::mkdirat(git, "../.git/hooks", 0755), EACCES, "mkdirat .. of a descriptor");
    for (const char* link : {"dangling", "dangling2", "/proc/self/cwd/dangling2"})
      found.expect(::open(link, O_CREAT | O_WRONLY, 0644), EACCES, std::string("open ") + link);
    found.expect(::open("dangling", O_CREAT | O_EXCL | O_WRONLY, 0644), EEXIST, "open excl");
    found.expect(::open("dangling", O_CREAT | O_NOFOLLOW | O_WRONLY, 0644), ELOOP, "nofollow");
    found.expect(::fchdir(git), 0, "fchdir");
    found.expect(::mkdir("hooks", 0755), EACCES, "mkdir from within");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_FALSE(there(".git/hooks"));
}

TEST_P(Notified, WhatProtectedPathsGoThroughIsNeitherMovedNorReplaced) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    found.expect(::rename(".git", ".git2"), EACCES, "mv .git .git2");
    found.expect(::rename("sub", "sub2"), EACCES, "mv sub sub2");
    found.expect(::rename("sub/", "sub2"), EACCES, "mv sub/ sub2");
    found.expect(::rename("/proc/self/cwd/sub", "sub2"), EACCES, "mv by /proc");
    ::mkdir("empty", 0755);
    found.expect(::rename("empty", "sub"), EACCES, "mv onto sub");
    for (const char* name : {".git", "sub", "rc"}) {
      found.expect(::syscall(SYS_renameat2, AT_FDCWD, "empty", AT_FDCWD, name, 2), EACCES,
                   std::string("exchange with ") + name);
      found.expect(::syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, "empty", 2), EACCES,
                   std::string("exchange of ") + name);
    }
    ::close(::open("file", O_CREAT | O_WRONLY, 0644));
    found.expect(::rename("file", "rc"), EACCES, "mv onto the link");
    found.expect(::unlink("rc"), EACCES, "unlink the link");
    found.expect(::unlinkat(AT_FDCWD, "rc", 0), EACCES, "unlinkat the link");
    // Controls.
    found.expect(::unlink("file"), 0, "unlink a file");
    found.expect(::rename("empty", "renamed"), 0, "rename a folder");
    found.expect(::rename("sub/repo", "sub/repo2"), 0, "rename below");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(there(".git/config"));
  EXPECT_TRUE(there("sub/deep"));
}

TEST_P(Notified, AFolderThatWasRemovedAndMadeAnewIsStillProtected) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    found.expect(::rmdir("sub/deep"), 0, "rmdir");
    found.expect(::mkdir("sub/deep", 0755), 0, "mkdir");
    found.expect(::mkdir("sub/deep/.claude", 0755), EACCES, "in the new folder");
    found.expect(::rename("sub/deep", "sub/moved"), 0, "rename");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Notified, AMovedFolderTakesItsProtectedNamesAlong) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    found.expect(::rename("sub/deep", "elsewhere"), 0, "rename");
    found.expect(::mkdir("elsewhere/.claude", 0755), EACCES, "in the moved folder");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Notified, CallsAnswerWithTheErrorsOfTheKernel) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  auto inside = [&] {
    Findings found;
    std::string long_name(256, 'x');
    std::string long_path(5000, 'y');
    found.expect(::mkdir("plain", 0755), EEXIST, "mkdir on a file");
    found.expect(::mkdir(".", 0755), EEXIST, "mkdir .");
    found.expect(::mkdir("/", 0755), EEXIST, "mkdir /");
    found.expect(::mkdir("", 0755), ENOENT, "mkdir of nothing");
    found.expect(::mkdir("missing/x", 0755), ENOENT, "mkdir below nothing");
    found.expect(::mkdir("plain/x", 0755), ENOTDIR, "mkdir below a file");
    found.expect(::mkdir(long_name.c_str(), 0755), ENAMETOOLONG, "long name");
    found.expect(::mkdir(long_path.c_str(), 0755), ENAMETOOLONG, "long path");
    found.expect(::mkdirat(77, "x", 0755), EBADF, "bad descriptor");
    found.expect(::syscall(SYS_mkdir, 8, 0755), EFAULT, "bad pointer");
    found.expect(::open("plain", O_CREAT | O_EXCL, 0644), EEXIST, "excl on a file");
    found.expect(::open(".", O_CREAT | O_WRONLY, 0644), EISDIR, "create a folder");
    found.expect(::open("new/", O_CREAT | O_WRONLY, 0644), EISDIR, "trailing slash");
    found.expect(::rename("missing", "x"), ENOENT, "rename nothing");
    found.expect(::link("missing", "x"), ENOENT, "link nothing");
    found.expect(::link("sub", "x"), EPERM, "link a folder");
    found.expect(::rename("sub/deep", "sub/deep/x"), EINVAL, "into itself");
    found.expect(::symlink("", "x"), ENOENT, "an empty link");
    found.expect(::symlink("loop", "loop"), 0, "symlink");
    found.expect(::open("loop", O_CREAT | O_WRONLY, 0644), ELOOP, "a loop");
    ::mkdir("gone", 0755);
    if (::chdir("gone") == 0) ::rmdir("../gone");
    found.expect(::mkdir("x", 0755), ENOENT, "in a removed folder");
    found.expect(::open("x", O_CREAT | O_WRONLY, 0644), ENOENT, "open in a removed folder");
    return found.text();
  };
  EXPECT_EQ(run(inside).report, "");
}

TEST_P(Notified, WhatIsCreatedIsTheCallersOwn) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    struct stat status = {};
    ::umask(027);
    found.expect(::mkdir("folder", 0777), 0, "mkdir");
    ::stat("folder", &status);
    found.check((status.st_mode & 07777) == 0750, "the folder's mode");
    found.check(status.st_uid == ::getuid(), "the owner");
    ::umask(0);
    int fd = ::open("file", O_CREAT | O_EXCL | O_RDWR | O_APPEND, 0666);
    ::fstat(fd, &status);
    found.check((status.st_mode & 07777) == 0666, "the file's mode");
    found.check((::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0, "no close-on-exec");
    int flags = ::fcntl(fd, F_GETFL);
    found.check((flags & O_APPEND) != 0 && (flags & O_ACCMODE) == O_RDWR, "the flags");
    found.check((flags & O_NONBLOCK) == 0, "blocks");
    found.check(::write(fd, "1234", 4) == 4, "writes");
    int other = ::open("file", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    found.check((::fcntl(other, F_GETFD) & FD_CLOEXEC) != 0, "close-on-exec");
    ::fstat(fd, &status);
    found.check(status.st_size == 0, "truncated");
    int null = ::open("/dev/null", O_CREAT | O_WRONLY, 0666);
    found.check(null >= 0, "/dev/null");
    int again = ::open("/dev/stderr", O_CREAT | O_WRONLY, 0666);
    found.check(again >= 0 || errno == ENXIO || errno == EACCES, "/dev/stderr");
    int bound = bind_unix("s.sock");
    struct sockaddr_un name = {};
    socklen_t size = sizeof name;
    ::getsockname(bound, reinterpret_cast<struct sockaddr*>(&name), &size);
    found.check(std::string(name.sun_path) == "s.sock", "the socket's own name");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Notified, SignalledCallsAreNotPerformedTwice) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &action, nullptr);
    std::atomic<bool> over = false;
    pthread_t self = ::pthread_self();
    std::thread pest([&] {
      while (!over) ::pthread_kill(self, SIGUSR1);
    });
    int repeated = 0;
    for (int i = 0; i < 5000; ++i) {
      if (::mkdir("victim", 0755) != 0) ++repeated;
      if (::rmdir("victim") != 0) ++repeated;
    }
    over = true;
    pest.join();
    found.check(repeated == 0, std::to_string(repeated) + " calls failed");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Notified, AThreadHasItsOwnWorkingFolderAndDescriptors) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    std::thread other([&] {
      if (::unshare(CLONE_FS | CLONE_FILES) != 0 || ::chdir(".git") != 0)
        return found.check(false, "unshare");
      found.expect(::mkdir("hooks", 0755), EACCES, "mkdir in the thread's folder");
      int fd = ::open(".", O_PATH | O_DIRECTORY);
      found.expect(::mkdirat(fd, "hooks", 0755), EACCES, "by the thread's descriptor");
      found.expect(::mkdir("fine", 0755), 0, "another name");
    });
    other.join();
    found.expect(::mkdir("hooks", 0755), 0, "the same name in the other folder");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(there(".git/fine"));
  EXPECT_TRUE(there("hooks"));
}

TEST_P(Notified, CallersThatDieLeaveTheNotifierAlive) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    for (int i = 0; i < 50; ++i) {
      int ready[2] = {-1, -1};
      found.check(::pipe(ready) == 0, "pipe");
      pid_t child = ::fork();
      if (child == 0) {
        for (;;) {
          ::mkdir("y", 0755);
          ::rmdir("y");
          (void)!::write(ready[1], "x", 1);
        }
      }
      char byte = 0;
      found.check(::read(ready[0], &byte, 1) == 1, "it calls");
      ::close(ready[0]);
      ::close(ready[1]);
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    ::rmdir("y");
    found.expect(::mkdir("z", 0755), 0, "after all that");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Notified, AFifoThatNobodyReadsStallsNobody) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  LabResult result = run([&] {
    Findings found;
    std::atomic<int> writer = -2;
    std::thread blocked([&] { writer = ::open("fifo", O_CREAT | O_WRONLY, 0600); });
    // While it waits, others are answered.
    for (int i = 0; i < 20; ++i) {
      found.expect(::mkdir("meanwhile", 0755), 0, "mkdir");
      ::rmdir("meanwhile");
    }
    int reader = ::open("fifo", O_RDONLY);
    blocked.join();
    found.check(writer >= 0, "the writer's descriptor");
    found.check(::write(writer, "x", 1) == 1, "write");
    char byte = 0;
    found.check(::read(reader, &byte, 1) == 1 && byte == 'x', "read");
    // One that dies while it waits.
    pid_t child = ::fork();
    if (child == 0) ::_exit(::open("fifo", O_CREAT | O_WRONLY, 0600) >= 0);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Notified, AFullDescriptorTableIsToldAndNothingIsLeft) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    struct rlimit limit = {16, 16};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    while (::dup(0) >= 0) {
    }
    found.expect(::open("created", O_CREAT | O_WRONLY, 0644), EMFILE, "open");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_FALSE(there("created"));
}

// A thread exchanges the path between a harmless and a protected name as fast as it can.
std::string race(const char* path_a, const char* path_b, int rounds,
                 const std::function<void(const char*)>& act) {
  alignas(64) static char shared[64];
  std::strcpy(shared, path_a);
  std::atomic<bool> over = false;
  std::thread racer([&] {
    while (!over) {
      std::memcpy(shared, path_b, std::strlen(path_b) + 1);
      std::memcpy(shared, path_a, std::strlen(path_a) + 1);
    }
  });
  for (int i = 0; i < rounds; ++i) act(shared);
  over = true;
  racer.join();
  return "";
}

// The names that an inotify descriptor tells of.
std::vector<std::string> appeared(int watch) {
  std::vector<std::string> names;
  alignas(struct inotify_event) char events[65536];
  for (ssize_t size = 0; (size = ::read(watch, events, sizeof events)) > 0;)
    for (char* at = events; at < events + size;) {
      const auto* event = reinterpret_cast<const struct inotify_event*>(at);
      if (event->len > 0) names.emplace_back(event->name);
      at += sizeof *event + event->len;
    }
  return names;
}

TEST(EmulatedCreation, ARacingThreadNeverBringsAProtectedNameIntoBeing) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  Workspace workspace;
  int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(::inotify_add_watch(watch, (workspace.dir / ".git").c_str(), IN_CREATE | IN_MOVED_TO),
            0);
  LabOptions options;
  options.spec.plan = workspace.plan(ProtectMechanism::emulate);
  LabResult result = run_in_lab(std::move(options), [&] {
    if (::chdir(workspace.dir.path().c_str()) != 0) return std::string("chdir");
    return race("sub/hooks", ".git/hooks", 20000, [](const char* path) {
      if (::mkdir(path, 0755) == 0) ::rmdir("sub/hooks");
      int fd = ::open(path, O_CREAT | O_WRONLY, 0644);
      if (fd >= 0) ::close(fd), ::unlink("sub/hooks");
      if (::symlink("x", path) == 0) ::unlink("sub/hooks");
    });
  });
  EXPECT_EQ(result.report, "");
  EXPECT_FALSE(result.denials.empty()) << "the racer never hit: the test tests nothing";
  // A path read while it was being exchanged may be a mixture of both, another name.
  EXPECT_THAT(appeared(watch), ::testing::Not(::testing::Contains("hooks")))
      << "it appeared, if for a moment";
  ::close(watch);
}

TEST(GuardedCreation, ARacingThreadGetsThroughWhichIsWhatTheWatchIsFor) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  Workspace workspace;
  LabOptions options;
  options.spec.plan = workspace.plan(ProtectMechanism::guard);
  bool noted = false;
  options.on_round = [&](Notifier& notifier) { noted |= notifier.last_creation().has_value(); };
  LabResult result = run_in_lab(std::move(options), [&] {
    if (::chdir(workspace.dir.path().c_str()) != 0) return std::string("chdir");
    return race("sub/hooks", ".git/hooks", 20000, [](const char* path) {
      if (::mkdir(path, 0755) == 0) ::rmdir("sub/hooks");
    });
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(noted);
}

// A plan of the real planner: the folder is writable, but for `**/.env` (hidden), `**/*.lock` and
// `kept` (read-only).
PathPlan ruled_plan(const test::TempDir& dir, ProtectMechanism mechanism) {
  policy::Filesystem filesystem;
  filesystem.protect = mechanism;
  auto rule = [&](policy::PathList list, const std::string& pattern, bool literal) {
    filesystem.rules.push_back({list, pattern, literal, pattern, {"ward.yaml", 1, {}}});
  };
  rule(policy::PathList::allow_write, dir.path(), true);
  rule(policy::PathList::deny_read, dir / "**/.env", false);
  rule(policy::PathList::deny_write, dir / "**/*.lock", false);
  rule(policy::PathList::deny_write, dir / "kept", true);
  auto plan = plan_paths(filesystem, {.home = "/nonexistent",
                                      .cwd = dir.path(),
                                      .workspaces = {dir.path()},
                                      .private_folders = {},
                                      .ward_paths = {}});
  EXPECT_TRUE(plan.has_value()) << plan.error().message();
  return plan ? *plan : PathPlan();
}

TEST_P(Notified, NamesThatAWildcardDeniesAreNotCreated) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  dir.make_dir("sub");
  dir.write("plain", "");
  LabOptions options;
  options.spec.plan = ruled_plan(dir, GetParam());
  LabResult result = run_in_lab(std::move(options), [&] {
    if (::chdir(dir.path().c_str()) != 0) return std::string("chdir");
    Findings found;
    for (const char* name : {".env", "sub/.env", "x.lock", "sub/y.lock"})
      try_every_creation(name, EACCES, found);
    for (const char* name : {"env", "sub/.envx", "x.lock2"}) try_every_creation(name, 0, found);
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  ASSERT_FALSE(result.denials.empty());
  EXPECT_EQ(result.denials[0].target, dir / ".env");
  EXPECT_THAT(result.denials[0].rule, ::testing::HasSubstr("**/.env"));
}

TEST_P(Notified, ATraceNamesTheRuleOfEachRefusedReadAndWrite) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  dir.write("plain", "");
  dir.write("kept/file", "");
  dir.write(".env", "");
  ASSERT_EQ(::symlink(".env", (dir / "link").c_str()), 0);
  LabOptions options;
  options.spec.plan = ruled_plan(dir, GetParam());
  options.spec.trace = true;
  options.filter.trace = true;
  LabResult result = run_in_lab(std::move(options), [&] {
    if (::chdir(dir.path().c_str()) != 0) return std::string("chdir");
    ::close(::open("plain", O_RDWR));
    ::close(::open(".env", O_RDONLY));
    ::close(::open("link", O_RDONLY));
    ::close(::open("kept/file", O_RDONLY));
    ::close(::open("kept/file", O_WRONLY));
    ::close(::open("missing", O_RDONLY));
    (void)!::truncate("kept/file", 0);
    (void)!::chmod("kept", 0755);
    return std::string();
  });
  EXPECT_EQ(result.report, "");
  std::vector<std::string> told;
  for (const Denial& denial : result.denials)
    told.push_back(std::string(to_string(denial.act)) + " " +
                   denial.target.substr(dir.path().size() + 1));
  EXPECT_THAT(told, ::testing::ElementsAre("read .env", "read .env", "write kept/file",
                                           "write kept/file", "write kept"));
}

}  // namespace
}  // namespace ward::confine
