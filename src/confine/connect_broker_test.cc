// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/connect_broker.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "confine/notify_lab.h"
#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::confine {
namespace {

using policy::ProtectMechanism;

// Connects are performed in the same way whatever protects names; binds are not.
class Connects : public ::testing::TestWithParam<ProtectMechanism> {
 protected:
  LabResult run(const std::function<std::string()>& inside) {
    LabOptions options;
    options.spec.plan.protect = GetParam();
    options.spec.allowed_sockets = allowed_sockets;
    return run_in_lab(std::move(options),
                      [&] { return ::chdir(dir.path().c_str()) == 0 ? inside() : "chdir"; });
  }
  std::string at(const std::string& name) const { return dir / name; }

  test::TempDir dir;
  std::vector<std::string> allowed_sockets;
};

INSTANTIATE_TEST_SUITE_P(Mechanisms, Connects,
                         ::testing::Values(ProtectMechanism::guard, ProtectMechanism::emulate),
                         [](const auto& instance) {
                           return instance.param == ProtectMechanism::guard ? "guard" : "emulate";
                         });

TEST_P(Connects, SocketsOfTheHostAreOutOfReachUnlessListed) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  dir.write("plain", "");
  UniqueFd host(bind_unix(at("host.sock")));
  UniqueFd listed(bind_unix(at("listed.sock")));
  ASSERT_EQ(::listen(host.get(), 8), 0);
  ASSERT_EQ(::listen(listed.get(), 8), 0);
  ASSERT_EQ(::symlink("host.sock", at("link.sock").c_str()), 0);
  UniqueFd control(connect_unix(at("host.sock")));
  EXPECT_TRUE(control.valid()) << "the control: outside it works";
  allowed_sockets = {at("listed.sock")};
  LabResult result = run([&] {
    Findings found;
    found.expect(connect_unix("host.sock"), EACCES, "a host socket");
    found.expect(connect_unix(at("host.sock")), EACCES, "by its full path");
    found.expect(connect_unix("link.sock"), EACCES, "by a link");
    found.expect(connect_unix("/proc/self/cwd/host.sock"), EACCES, "by /proc");
    found.expect(connect_unix("listed.sock"), 0, "a listed socket");
    found.expect(connect_unix("missing.sock"), ENOENT, "no socket");
    found.expect(connect_unix("plain"), ECONNREFUSED, "a file");
    int own = bind_unix("own.sock");
    found.expect(connect_unix("own.sock"), ECONNREFUSED, "an own socket before listen");
    found.expect(::listen(own, 4), 0, "listen");
    found.expect(connect_unix("own.sock"), 0, "an own socket");
    ::unlink("own.sock");
    // A hard link, or a rename, of the host's socket makes it no own one.
    found.expect(::link("host.sock", "hard.sock"), 0, "link");
    found.expect(connect_unix("hard.sock"), EACCES, "a hard link");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  ASSERT_FALSE(result.denials.empty());
  EXPECT_EQ(result.denials[0].act, Denial::Act::connect);
  EXPECT_EQ(result.denials[0].target, at("host.sock"));
}

// A file system with subvolumes, mounted in a mount namespace of this process's own.
std::string mount_btrfs(const test::TempDir& dir) {
  if (::unshare(CLONE_NEWNS) != 0) return "unshare";
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "private";
  const std::string image = dir / "image", at = dir.make_dir("mounted");
  for (const std::string& command :
       {"truncate -s 128M " + image, "mkfs.btrfs -q " + image + " > " + (dir / "log") + " 2>&1",
        "mount -o loop " + image + " " + at, "btrfs -q subvolume create " + at + "/own",
        "btrfs -q subvolume create " + at + "/other"})
    if (std::system(command.c_str()) != 0) return command;
  return "";
}

// Until files are stamped later than the lab began.
void wait_for_next_tick() {
  struct timespec now = {}, ticks = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  do ::clock_gettime(CLOCK_REALTIME_COARSE, &ticks);
  while (ticks.tv_sec < now.tv_sec || (ticks.tv_sec == now.tv_sec && ticks.tv_nsec <= now.tv_nsec));
}

// Each subvolume has a device of its own for stat, and numbers its inodes from the same on: the
// host's socket and the sandbox's first have one number, and one superblock.
TEST_P(Connects, InASubvolumeAnOwnSocketWorksAndTheHostsOfTheSameNumberDoesNot) {
  NEEDS(root, user_namespaces, seccomp_notify, unix_diag, tool("mkfs.btrfs"), btrfs_image);
  ASSERT_EQ(mount_btrfs(dir), "");
  UniqueFd host(bind_unix(at("mounted/other/host.sock")));
  ASSERT_EQ(::listen(host.get(), 8), 0);
  EXPECT_TRUE(UniqueFd(connect_unix(at("mounted/other/host.sock"))).valid()) << "the control";
  LabResult result = run([&] {
    Findings found;
    wait_for_next_tick();
    int own = bind_unix("mounted/own/own.sock");
    found.expect(::listen(own, 4), 0, "listen");
    found.expect(connect_unix("mounted/own/own.sock"), 0, "an own socket");
    struct stat here = {}, there = {};
    ::stat("mounted/own/own.sock", &here);
    ::stat("mounted/other/host.sock", &there);
    found.check(here.st_ino == there.st_ino && here.st_dev != there.st_dev, "not the same number");
    found.expect(connect_unix("mounted/other/host.sock"), EACCES, "the host's socket");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

// As the run does it: an address gets its socket at the first connect to it.
TEST_P(Connects, AConnectWaitsUntilItsAddressHasASocket) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabOptions options;
  options.spec.plan.protect = GetParam();
  std::optional<sys::Endpoint> waiting;
  int asked = 0;
  options.spec.network.before = [&](const sys::Endpoint& endpoint, int type) {
    using Answer = NetworkJudge::Answer;
    if (type != SOCK_STREAM) return Answer::go_on;
    if (endpoint.port == 9) return Answer::refuse;
    if (endpoint.address.family != AF_INET) return Answer::go_on;
    ++asked;
    waiting = endpoint;
    return Answer::wait;
  };
  options.spec.network.refused = [](const sys::Endpoint& endpoint, int, int error) {
    return std::optional(
        ConnectRefusal{sys::to_string(endpoint), "rule " + std::to_string(error), "remedy"});
  };
  options.on_round = [&](Notifier& notifier) {
    if (waiting) notifier.resume_connects(*std::exchange(waiting, std::nullopt));
  };
  LabResult result = run_in_lab(std::move(options), [&] {
    Findings found;
    int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(server, reinterpret_cast<struct sockaddr*>(&address), size);
    ::listen(server, 4);
    ::getsockname(server, reinterpret_cast<struct sockaddr*>(&address), &size);
    auto connect = [&](struct sockaddr_in to) {
      int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      int done = ::connect(fd, reinterpret_cast<struct sockaddr*>(&to), sizeof to);
      int error = errno;
      ::close(fd);
      errno = error;
      return done;
    };
    found.expect(connect(address), 0, "a connect that waits");
    address.sin_port = htons(1);
    found.expect(connect(address), ECONNREFUSED, "one whose socket could not be made");
    address.sin_port = htons(9);
    found.expect(connect(address), ECONNREFUSED, "one that is refused");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  EXPECT_EQ(asked, 2);
  ASSERT_EQ(result.denials.size(), 1U);
  EXPECT_EQ(result.denials[0].target, "127.0.0.1:9");
  EXPECT_EQ(result.denials[0].rule, "rule " + std::to_string(ECONNREFUSED));
  EXPECT_EQ(result.denials[0].remedy, "remedy");
}

TEST_P(Connects, ConnectsOfTheOwnNetworkBehaveAsWithoutASupervisor) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    found.expect(::bind(server, reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0,
                 "bind");
    socklen_t size = sizeof address;
    ::getsockname(server, reinterpret_cast<struct sockaddr*>(&address), &size);
    auto connect = [&](int type, socklen_t length = sizeof(struct sockaddr_in)) {
      int fd = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
      int done = ::connect(fd, reinterpret_cast<struct sockaddr*>(&address), length);
      int error = errno;
      found.check((::fcntl(fd, F_GETFL) & O_NONBLOCK) == (type & SOCK_NONBLOCK), "the flags");
      ::close(fd);
      errno = error;
      return done;
    };
    found.expect(connect(SOCK_STREAM), ECONNREFUSED, "nobody listens");
    found.expect(::listen(server, 8), 0, "listen");
    found.expect(connect(SOCK_STREAM), 0, "a stream");
    found.expect(connect(SOCK_STREAM | SOCK_NONBLOCK), EINPROGRESS, "a non-blocking stream");
    found.expect(connect(SOCK_DGRAM), 0, "datagrams");
    found.expect(connect(SOCK_STREAM, 4), EINVAL, "a short address");
    found.expect(connect(SOCK_STREAM, 1000), EINVAL, "a long address");
    int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr nowhere = {};
    nowhere.sa_family = AF_UNSPEC;
    found.expect(::connect(fd, &nowhere, sizeof nowhere), 0, "disconnect");
    found.expect(::connect(fd, reinterpret_cast<struct sockaddr*>(8), 16), EFAULT, "bad pointer");
    found.expect(::connect(0, &nowhere, sizeof nowhere), ENOTSOCK, "no socket");
    found.expect(::connect(99, &nowhere, sizeof nowhere), EBADF, "no descriptor");
    address.sin_addr.s_addr = htonl(0xC0000201);
    found.expect(connect(SOCK_STREAM), ENETUNREACH, "the world");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Connects, AbstractSocketsAreTheSandboxesOwn) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::string name = "ward-test-" + std::to_string(::getpid());
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  auto size = static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + 1 + name.size());
  UniqueFd host(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(host.get(), reinterpret_cast<struct sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(host.get(), 4), 0);
  LabResult result = run([&] {
    Findings found;
    auto connect = [&] {
      int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
      return ::connect(fd, reinterpret_cast<struct sockaddr*>(&address), size);
    };
    found.expect(connect(), ECONNREFUSED, "the host's name");
    int own = ::socket(AF_UNIX, SOCK_STREAM, 0);
    found.expect(::bind(own, reinterpret_cast<struct sockaddr*>(&address), size), 0, "bind");
    found.expect(::listen(own, 4), 0, "listen");
    found.expect(connect(), 0, "the own name");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Connects, AConnectToAFullQueueStallsNobody) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run([&] {
    Findings found;
    int own = bind_unix("full.sock");
    ::listen(own, 0);
    std::atomic<int> done = 0;
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
      callers.emplace_back([&] {
        if (connect_unix("full.sock") >= 0) ++done;
      });
    for (int i = 0; i < 20; ++i) {
      found.expect(::mkdir("meanwhile", 0755), 0, "mkdir");
      ::rmdir("meanwhile");
    }
    for (int i = 0; i < 4; ++i) found.check(::accept(own, nullptr, nullptr) >= 0, "accept");
    for (std::thread& caller : callers) caller.join();
    found.check(done == 4, "all are connected in the end");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST_P(Connects, ASocketExchangedUnderTheCallReachesNothingOfTheHost) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  UniqueFd host(bind_unix(at("host.sock")));
  ASSERT_EQ(::listen(host.get(), 4096), 0);
  LabResult result = run([&] {
    Findings found;
    int own = bind_unix("own.sock");
    ::listen(own, 4096);
    static struct sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::atomic<bool> over = false;
    int stream = ::socket(AF_UNIX, SOCK_STREAM, 0);
    int inet = ::socket(AF_INET, SOCK_STREAM, 0);
    const int kTarget = 50;
    ::dup2(inet, kTarget);
    std::thread racer([&] {
      while (!over) {
        ::dup2(inet, kTarget);
        std::strcpy(address.sun_path, "host.sock");
        ::dup2(stream, kTarget);
        std::strcpy(address.sun_path, "own.sock");
      }
    });
    for (int i = 0; i < 3000; ++i) {
      if (::connect(kTarget, reinterpret_cast<struct sockaddr*>(&address), sizeof address) == 0) {
        struct sockaddr_un peer = {};
        socklen_t size = sizeof peer;
        if (::getpeername(stream, reinterpret_cast<struct sockaddr*>(&peer), &size) == 0)
          found.check(std::strstr(peer.sun_path, "host.sock") == nullptr, "it reached the host");
        break;
      }
    }
    over = true;
    racer.join();
    return found.text();
  });
  EXPECT_EQ(result.report, "");
  int flags = ::fcntl(host.get(), F_GETFL);
  ::fcntl(host.get(), F_SETFL, flags | O_NONBLOCK);
  EXPECT_EQ(::accept(host.get(), nullptr, nullptr), -1) << "a connection arrived outside";
}

}  // namespace
}  // namespace ward::confine
