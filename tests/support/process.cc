// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <stdexcept>

#include "support/paths.h"

namespace ward::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return {ends[0], ends[1]};
}

std::vector<std::string> environment(const RunOptions& options) {
  std::map<std::string, std::string> variables;
  for (const char* name : {"PATH", "HOME", "USER", "LANG", "TMPDIR"}) {
    if (const char* value = std::getenv(name); value != nullptr) variables[name] = value;
  }
  for (const auto& [name, value] : options.env) variables[name] = value;
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// One side of the program's input and output, moved on by poll(2).
class Exchange {
 public:
  Exchange(Pipe in, Pipe out, Pipe err, const std::string& input)
      : fds_{in.write, out.read, err.read}, input_(input) {
    fcntl(in.write, F_SETFL, O_NONBLOCK);
    if (input_.empty()) close_fd(0);
  }

  // False when the deadline passed with the program's output still open.
  bool until(Clock::time_point deadline, RunResult& result) {
    while (fds_[1] >= 0 || fds_[2] >= 0) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      std::array<pollfd, 3> polled{pollfd{fds_[0], POLLOUT, 0}, pollfd{fds_[1], POLLIN, 0},
                                   pollfd{fds_[2], POLLIN, 0}};
      if (poll(polled.data(), polled.size(), static_cast<int>(left)) < 0) continue;
      if (polled[0].revents != 0) feed();
      if (polled[1].revents != 0) drain(1, result.out);
      if (polled[2].revents != 0) drain(2, result.err);
    }
    return true;
  }

  ~Exchange() {
    for (std::size_t i = 0; i < fds_.size(); ++i) close_fd(i);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 private:
  void close_fd(std::size_t index) {
    if (fds_[index] >= 0) close(fds_[index]);
    fds_[index] = -1;
  }
  void feed() {
    ssize_t done = write(fds_[0], input_.data() + written_, input_.size() - written_);
    if (done > 0) written_ += static_cast<std::size_t>(done);
    if ((done < 0 && errno != EAGAIN) || written_ == input_.size()) close_fd(0);
  }
  void drain(std::size_t index, std::string& into) {
    std::array<char, 65536> buffer;
    ssize_t got = read(fds_[index], buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close_fd(index);
  }

  std::array<int, 3> fds_;
  const std::string& input_;
  std::size_t written_ = 0;
};

}  // namespace

void PrintTo(const RunResult& result, std::ostream* out) {
  *out << "status " << result.status << (result.hung ? " (hung)" : "") << "\nstdout: " << result.out
       << "\nstderr: " << result.err;
}

RunResult run(const std::vector<std::string>& command, const RunOptions& options) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environment(options);
  std::vector<char*> argv = pointers(arguments);
  std::vector<char*> envp = pointers(variables);
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  signal(SIGPIPE, SIG_IGN);

  pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) {
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) _exit(99);
    dup2(in.read, 0);
    dup2(out.write, 1);
    dup2(err.write, 2);
    execvpe(argv[0], argv.data(), envp.data());
    dprintf(2, "cannot execute %s: %s\n", argv[0], std::strerror(errno));
    _exit(127);
  }
  close(in.read);
  close(out.write);
  close(err.write);

  RunResult result;
  const Clock::time_point deadline = Clock::now() + options.deadline;
  Exchange exchange(in, out, err, options.stdin_text);
  result.hung = !exchange.until(deadline, result);
  int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (!result.hung && pidfd >= 0) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ended{pidfd, POLLIN, 0};
    result.hung = poll(&ended, 1, static_cast<int>(std::max<decltype(left)>(left, 0))) == 0;
  }
  if (pidfd >= 0) close(pidfd);
  if (result.hung) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

RunResult run_ward(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::vector<std::string> command{ward_binary()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, options);
}

}  // namespace ward::test
