// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What the filter and the notifier cost: creations, connects and ordinary calls, plain, under
// `guard` and under `emulate`, in one run. Prints microseconds a call (the median of several
// rounds), and how long it takes from a protected name's appearance until it is gone and the run is
// ended. Usage: notify_bench [FOLDER], a folder to create files in (default /dev/shm).
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "confine/notify_lab.h"
#include "confine/watch.h"

namespace ward::confine {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// Over several rounds, the mean cost of one call: the median round and the best.
struct Cost {
  double median = 0, best = 0;
};
template <class Act>
Cost cost_of(Act act) {
  constexpr int kRounds = 9, kCalls = 1500;
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    auto start = Clock::now();
    for (int i = 0; i < kCalls; ++i) act();
    rounds.push_back(microseconds(Clock::now() - start) / kCalls);
  }
  std::sort(rounds.begin(), rounds.end());
  return {rounds[kRounds / 2], rounds[0]};
}

void print(const char* what, Cost cost) {
  std::printf("  %-36s %8.2f us  best %8.2f\n", what, cost.median, cost.best);
}

std::string measure_creations() {
  print("open O_CREAT|O_EXCL, close, unlink", cost_of([] {
          ::close(::open("file", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
          ::unlink("file");
        }));
  print("open O_CREAT, close, unlink", cost_of([] {
          ::close(::open("file", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
          ::unlink("file");
        }));
  print("the same below two folders", cost_of([] {
          ::close(::open("sub/deep/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
          ::unlink("sub/deep/file");
        }));
  print("mkdir, rmdir", cost_of([] {
          ::mkdir("folder", 0755);
          ::rmdir("folder");
        }));
  std::fflush(stdout);
  return "";
}

std::string measure_connects() {
  int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<struct sockaddr*>(&address);
  if (::bind(server, plain, size) != 0 || ::listen(server, 4096) != 0) return "listen";
  ::getsockname(server, plain, &size);
  print("TCP socket, connect, accept, close", cost_of([&] {
          int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
          struct linger reset = {1, 0};
          ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
          if (::connect(fd, plain, size) != 0) std::perror("connect");
          ::close(::accept(server, nullptr, nullptr));
          ::close(fd);
        }));
  int own = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un path = {};
  path.sun_family = AF_UNIX;
  std::strcpy(path.sun_path, "own.sock");
  ::unlink(path.sun_path);
  if (::bind(own, reinterpret_cast<struct sockaddr*>(&path), sizeof path) != 0 ||
      ::listen(own, 64) != 0)
    return "listen on a unix socket";
  print("unix socket, connect, accept, close", cost_of([&] {
          int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
          if (::connect(fd, reinterpret_cast<struct sockaddr*>(&path), sizeof path) != 0)
            std::perror("connect");
          ::close(::accept(own, nullptr, nullptr));
          ::close(fd);
        }));
  ::unlink(path.sun_path);
  std::fflush(stdout);
  return "";
}

std::string measure_calls() {
  print("getppid", cost_of([] { ::syscall(SYS_getppid); }));
  print("ioctl", cost_of([] { ::syscall(SYS_ioctl, -1, TCGETS, nullptr); }));
  print("openat of a file, close", cost_of([] { ::close(::open("/etc/passwd", O_RDONLY)); }));
  std::fflush(stdout);
  return "";
}

PathPlan plan_in(const std::string& folder, policy::ProtectMechanism mechanism) {
  PathPlan plan;
  plan.protect = mechanism;
  auto object = sys::object_id(*sys::stat_at(AT_FDCWD, folder));
  // As many names as a real workspace has.
  for (const char* name :
       {".vscode", ".idea", ".claude", ".mcp.json", ".codex", ".cursor", "ward.yaml", "HEAD",
        "objects", "refs", "config", "hooks", ".bashrc", ".gitconfig", ".profile", ".zshrc"})
    plan.absent.push_back({folder, object, name, "protected"});
  return plan;
}

enum class Listen : bool { no, yes };

void run(const char* title, const std::string& folder, policy::ProtectMechanism mechanism,
         Listen listen, const std::function<std::string()>& inside) {
  std::printf("%s\n", title);
  std::fflush(stdout);
  LabOptions options;
  options.spec.plan = plan_in(folder, mechanism);
  options.deadline = std::chrono::seconds(120);
  bool asks = listen == Listen::yes;
  options.filter = {.creations = asks, .removals = false, .connections = asks};
  LabResult result = run_in_lab(std::move(options),
                                [&] { return ::chdir(folder.c_str()) == 0 ? inside() : "chdir"; });
  if (!result.report.empty()) std::printf("  failed: %s\n", result.report.c_str());
}

// From the appearance of a protected name to its removal and the end of the run.
void measure_breach(const std::string& folder) {
  std::vector<double> times;
  for (int round = 0; round < 21; ++round) {
    Clock::time_point ended;
    WatchSpec spec{.plan = plan_in(folder, policy::ProtectMechanism::guard),
                   .private_folders = {},
                   .roots = {},
                   .mask = LateMask(UniqueFd(), UniqueFd()),
                   .sandbox_creates = [] { return true; },
                   .breach = [&](const Denial&) { ended = Clock::now(); },
                   .on_denial = {},
                   .on_note = {}};
    auto watch = Watch::create(std::move(spec));
    if (!watch) return std::printf("  failed: %s\n", watch.error().message().c_str()), void();
    auto start = Clock::now();
    ::mkdir((folder + "/.vscode").c_str(), 0755);
    if (!watch->on_readable()) return;
    if (::access((folder + "/.vscode").c_str(), F_OK) == 0) std::printf("  it is still there\n");
    times.push_back(microseconds(Clock::now() - start));
  }
  std::sort(times.begin(), times.end());
  print("made, noticed and removed", {times[times.size() / 2], times.front()});
  print("the slowest of them", {times.back(), times.back()});
}

void measure_watch(const std::string& folder) {
  print("watch made and closed", cost_of([&] {
          WatchSpec spec{.plan = plan_in(folder, policy::ProtectMechanism::guard),
                         .private_folders = {},
                         .roots = {},
                         .mask = LateMask(UniqueFd(), UniqueFd()),
                         .sandbox_creates = {},
                         .breach = {},
                         .on_denial = {},
                         .on_note = {}};
          (void)Watch::create(std::move(spec)).has_value();
        }));
  print("filter compiled", cost_of([] {
          (void)compile_filter({.creations = true, .removals = true, .connections = true})
              .has_value();
        }));
}

}  // namespace
}  // namespace ward::confine

int main(int argc, char** argv) {
  using namespace ward::confine;
  using ward::policy::ProtectMechanism;
  std::string folder = std::string(argc > 1 ? argv[1] : "/dev/shm") + "/ward-notify-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return std::perror("mkdtemp"), 1;
  ::mkdir((folder + "/sub").c_str(), 0755);
  ::mkdir((folder + "/sub/deep").c_str(), 0755);
  std::printf("outside, no filter\n");
  if (::chdir(folder.c_str()) != 0) return 1;
  measure_creations();
  measure_connects();
  measure_calls();
  run("inside, filter without questions", folder, ProtectMechanism::guard, Listen::no,
      [] { return measure_creations() + measure_connects() + measure_calls(); });
  run("guard", folder, ProtectMechanism::guard, Listen::yes,
      [] { return measure_creations() + measure_connects() + measure_calls(); });
  run("emulate", folder, ProtectMechanism::emulate, Listen::yes,
      [] { return measure_creations() + measure_connects(); });
  std::printf("the watch\n");
  measure_watch(folder);
  measure_breach(folder);
  ::rmdir((folder + "/sub/deep").c_str());
  ::rmdir((folder + "/sub").c_str());
  ::rmdir(folder.c_str());
  return 0;
}
