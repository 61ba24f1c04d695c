// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/unique_fd.h"

namespace ward::sys {
namespace {

constexpr std::size_t kMaxOutput = 64U << 10U;

std::vector<char*> pointers(std::span<const std::string> words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// A program to be started with a clean slate of signals. What its descriptors are to be is added to
// `actions`.
class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  Result<pid_t> start(std::span<const std::string> argv, std::span<const std::string> env,
                      int more_flags = 0) {
    posix_spawnattr_setflags(&attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK |
                                                              POSIX_SPAWN_SETSIGDEF | more_flags));
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, argv[0].c_str(), &actions, &attributes_,
                                    pointers(argv).data(), pointers(env).data());
    if (error != 0) return fail_errno(error, "run " + argv[0]);
    return pid;
  }

  posix_spawn_file_actions_t actions;

 private:
  posix_spawnattr_t attributes_;
};

Result<pid_t> spawn(const ProgramRun& run, int output) {
  Spawn spawn;
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&spawn.actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, output, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&spawn.actions, STDERR_FILENO + 1);
  if (run.folder != nullptr) posix_spawn_file_actions_addchdir_np(&spawn.actions, run.folder);
  return spawn.start(run.argv, run.env);
}

// Reads to the end of file; false when the patience ended first.
bool read_output(int fd, std::chrono::milliseconds patience, std::string& output) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting = {fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    if (output.size() < kMaxOutput) output.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

Result<ProgramEnd> run_program(const ProgramRun& run) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  WARD_ASSIGN(const pid_t pid, spawn(run, writing.get()));
  writing.reset();
  ProgramEnd end;
  const bool ended = read_output(reading.get(), run.patience, end.output);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return fail_errno(errno, "wait for " + run.argv[0]);
  if (!ended) return fail(ErrorKind::io, run.argv[0] + " did not end in time");
  end.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

Result<StartedProgram> start_program(std::span<const std::string> argv, int channel, int as) {
  Spawn spawn;
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&spawn.actions, STDIN_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, channel, as);
  posix_spawn_file_actions_addclosefrom_np(&spawn.actions, as + 1);
  StartedProgram started;
  WARD_ASSIGN(started.pid, spawn.start(argv, {}, POSIX_SPAWN_SETSID));
  started.process = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  if (!started.process.valid()) {
    const int cause = errno;
    (void)end_program(started.pid, -1, std::chrono::milliseconds(0));
    return fail_errno(cause, "pidfd_open " + argv[0]);
  }
  return started;
}

int end_program(pid_t pid, int process, std::chrono::milliseconds patience) {
  pollfd waiting = {process, POLLIN, 0};
  if (process < 0 || ::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0)
    ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace ward::sys
