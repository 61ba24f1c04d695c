// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "confine/setup.h"
#include "support/temp_dir.h"
#include "sys/seccomp_notify.h"
#include "sys/socket.h"

namespace ward::confine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Answers the filter's questions as the simplest supervisor does: no connection, every creation.
struct Supervisor {
  UniqueFd listener;

  LaunchHooks hooks() {
    LaunchHooks hooks;
    hooks.connected = [this](SandboxHandles& handles) -> Result<int> {
      listener = std::move(handles.listener);
      return listener.get();
    };
    hooks.serve = [this] { return serve(); };
    return hooks;
  }

  Status serve() {
    auto call = sys::receive_notification(listener.get());
    if (!call) return {};
    if (call->data.nr == SYS_connect)
      (void)sys::answer_error(listener.get(), call->id, EACCES).has_value();
    else
      (void)sys::answer_continue(listener.get(), call->id).has_value();
    return {};
  }
};

struct Ended {
  int status = -1;  // a wait status
  std::string output;
};

class Launch : public testing::Test {
 protected:
  Launch() {
    std::string pattern = fs::temp_directory_path() / "ward-launch-XXXXXX";
    root_ = fs::canonical(::mkdtemp(pattern.data()));
    fs::create_directories(root_ / "workspace");
    fs::create_directories(root_ / "secret");
    std::ofstream(root_ / "secret" / "key") << "the key";
    confinement_.paths.rows.push_back(row(root_ / "secret", Action::hidden));
    confinement_.paths.rows.push_back(row(root_ / "workspace", Action::writable));
    confinement_.forbidden_write = "/var/lib";
    job_.working_directory = root_ / "workspace";
    job_.environment = {"PATH=/usr/bin:/bin", "HOME=/"};
  }
  ~Launch() override { fs::remove_all(root_); }

  static PathRow row(const fs::path& path, Action action) {
    PathRow row;
    row.path = path;
    row.action = action;
    row.directory = fs::is_directory(path);
    row.below_private = path.string().rfind("/tmp/", 0) == 0;
    row.object = sys::object_id(*sys::stat_at(AT_FDCWD, path));
    return row;
  }

  // Runs `script` to its end and returns what it printed.
  Ended run(const std::string& script) {
    job_.argv = {"/bin/sh", "-c", script};
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    UniqueFd reader(ends[0]), writer(ends[1]);
    job_.streams = {kNull, writer.get(), writer.get()};
    Supervisor supervisor;
    auto handles = prepare(confinement_, job_, supervisor.hooks());
    writer.reset();
    if (!handles) {
      ADD_FAILURE() << handles.error().describe();
      return {};
    }
    Command go;
    EXPECT_TRUE(
        sys::send_message(handles->control.get(), {reinterpret_cast<const char*>(&go), sizeof go}));
    return follow(*handles, supervisor, reader);
  }

  static Ended follow(SandboxHandles& handles, Supervisor& supervisor, UniqueFd& reader) {
    Ended ended;
    for (bool over = false; !over;) {
      struct pollfd fds[3] = {{handles.control.get(), POLLIN, 0},
                              {supervisor.listener.get(), POLLIN, 0},
                              {reader.get(), POLLIN, 0}};
      if (::poll(fds, 3, -1) < 0) continue;
      if ((fds[1].revents & POLLIN) != 0) (void)supervisor.serve().has_value();
      if (fds[0].revents != 0) {
        auto message = sys::receive_message(handles.control.get());
        Report report;
        if (!message || message->bytes.size() != sizeof report) break;
        std::memcpy(&report, message->bytes.data(), sizeof report);
        over = report.kind == Report::Kind::ended || report.kind == Report::Kind::failed;
        if (over) ended.status = report.value;
      }
      if ((fds[2].revents & POLLIN) != 0) read_some(reader, ended.output);
    }
    while (read_some(reader, ended.output)) {
    }
    handles.control.reset();  // init exits when nobody listens any longer
    siginfo_t info = {};
    EXPECT_EQ(::waitid(P_PIDFD, static_cast<id_t>(handles.pidfd.get()), &info, WEXITED), 0);
    return ended;
  }

  static bool read_some(UniqueFd& reader, std::string& output) {
    char buffer[4096];
    ssize_t size = ::read(reader.get(), buffer, sizeof buffer);
    if (size > 0) output.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  }

  fs::path root_;
  Confinement confinement_;
  Job job_;
};

TEST_F(Launch, ACommandRunsAndItsStatusAndOutputComeBack) {
  Ended ended = run("echo out; echo err >&2; exit 37");
  EXPECT_EQ(ended.output, "out\nerr\n");
  ASSERT_TRUE(WIFEXITED(ended.status));
  EXPECT_EQ(WEXITSTATUS(ended.status), 37);
}

TEST_F(Launch, AShellThatTerminatesItselfIsSeenAsSignalled) {
  Ended ended = run("kill -TERM $$; echo still here");
  ASSERT_TRUE(WIFSIGNALED(ended.status));
  EXPECT_EQ(WTERMSIG(ended.status), SIGTERM);
}

TEST_F(Launch, TheWorkspaceIsWritableAndNothingElse) {
  std::string outside = root_ / "outside";
  Ended ended = run("echo hi > file && cat file; echo x > " + outside + "; touch /usr/x");
  EXPECT_THAT(ended.output, HasSubstr("hi\n"));
  EXPECT_TRUE(fs::exists(root_ / "workspace" / "file"));
  EXPECT_FALSE(fs::exists(outside));
  EXPECT_FALSE(fs::exists("/usr/x"));
  std::ofstream(outside) << "control";
  EXPECT_TRUE(fs::exists(outside));
}

TEST_F(Launch, AHiddenFolderAnswersPermissionDenied) {
  std::string key = root_ / "secret" / "key";
  EXPECT_THAT(run("cat " + key).output, HasSubstr("Permission denied"));
  EXPECT_THAT(run("ls " + key + "; ls " + (root_ / "secret").string()).output,
              HasSubstr("Permission denied"));
  EXPECT_EQ(*sys::read_file(key), "the key");
}

// Nothing is left to mask, or to read; the watch masks the name when it comes back (watch_test.cc).
TEST_F(Launch, AHiddenObjectThatWentAfterThePlanStopsNothing) {
  test::TempDir home;  // not in a private folder, where the mount point would be made
  home.write("secret/key", "the key");
  confinement_.paths.rows.push_back(row(home / "secret", Action::hidden));
  const std::string script = "cat " + (home / "secret/key") + "; echo went on";
  EXPECT_THAT(run(script).output, HasSubstr("Permission denied"));
  fs::remove_all(home / "secret");
  const std::string output = run(script).output;
  EXPECT_THAT(output, HasSubstr("No such file"));
  EXPECT_THAT(output, HasSubstr("went on"));
}

TEST_F(Launch, NoCapabilityAndNoPrivilegeIsLeft) {
  std::string status = run("cat /proc/self/status").output;
  EXPECT_THAT(status, HasSubstr("CapBnd:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("CapAmb:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2"));
}

TEST_F(Launch, DevicesWorkAndNothingElseOfTheHostsIsThere) {
  EXPECT_EQ(
      run("echo x > /dev/null; head -c 3 /dev/zero | wc -c; ls /dev; test -c /dev/null").output,
      "3\nfd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n");
}

TEST_F(Launch, OnlyItsOwnProcessesAreSeen) {
  std::string output = run("ls -d /proc/[0-9]*; hostname; ls /run /dev; tty").output;
  EXPECT_THAT(output, testing::StartsWith("/proc/1\n/proc/2\n"));
  EXPECT_THAT(output, HasSubstr("ward\n"));
}

TEST_F(Launch, EveryStepThatFailsLeavesNothingAndRunsNothing) {
  std::string marker = root_ / "workspace" / "ran";
  job_.argv = {"/bin/touch", marker};
  job_.streams = {kTerminal, kTerminal, kNull};
  for (std::uint32_t step = 0; step < static_cast<std::uint32_t>(Step::exec); ++step) {
    SCOPED_TRACE(to_string(static_cast<Step>(step)));
    if (static_cast<Step>(step) == Step::fork) continue;  // has no function of its own
    Supervisor supervisor;
    auto handles = prepare(confinement_, job_, supervisor.hooks(), step);
    ASSERT_FALSE(handles);
    EXPECT_FALSE(fs::exists(marker));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(errno, ECHILD);
  }
}

}  // namespace
}  // namespace ward::confine
