// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Sockets: no service of the host is reached by any family, name or race.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/unique_fd.h"
#include "support/attack.h"
#include "support/needs.h"

namespace ward::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A listener of the host's. Nobody accepts: a connection succeeds by its queue.
class HostSocket {
 public:
  HostSocket(const std::string& path, int type) : fd_(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {
    struct sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (path[0] == '@') address.sun_path[0] = '\0';
    auto size = static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + path.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<struct sockaddr*>(&address), size), 0);
    if (type != SOCK_DGRAM) {
      EXPECT_EQ(::listen(fd_.get(), 128), 0);
    }
    ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
  }
  // Has anybody connected to it, or sent to it?
  bool was_reached() const {
    char byte = 0;
    if (::recv(fd_.get(), &byte, 1, MSG_DONTWAIT) >= 0) return true;
    return UniqueFd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)).valid();
  }

 private:
  UniqueFd fd_;
};

TEST(EscapeSockets, AHostsUnixSocketIsReachedByNoName) {
  AttackSandbox sandbox;
  std::string path = sandbox.workspace() + "/s";  // in the workspace itself: all names are open
  HostSocket stream(path, SOCK_STREAM);
  HostSocket packets(path + "p", SOCK_SEQPACKET);
  SandboxResult result = sandbox.run(
      "ln -s s link; ln s hard; mkdir d; mv s d/s; for n in s link hard d/s ./d/../s "
      "/proc/self/cwd/s /proc/self/cwd/hard $PWD/d/s; do ./attack connect $n; done; mv d/s s; "
      "./attack connect-packets sp; ./attack connect s");
  EXPECT_THAT(result.out, Not(HasSubstr("done")));
  EXPECT_THAT(result.err, HasSubstr("EACCES"));
  EXPECT_FALSE(stream.was_reached());
  EXPECT_FALSE(packets.was_reached());
  EXPECT_THAT(result.report["denials"].dump(), HasSubstr("connect"));
  EXPECT_EQ(sandbox.outside("./attack connect hard").status, 0);
  EXPECT_TRUE(stream.was_reached());
}

TEST(EscapeSockets, AnAddressThatIsExchangedDuringTheCallReachesNothing) {
  AttackSandbox sandbox;
  HostSocket host(sandbox.workspace() + "/host.sock", SOCK_STREAM);
  SandboxResult result = sandbox.run("./attack race-connect host.sock");
  EXPECT_THAT(result.err, HasSubstr("EACCES"))
      << result.status << (result.hung ? ", hung: " : ": ") << result.out;
  EXPECT_FALSE(host.was_reached());
}

TEST(EscapeSockets, DatagramsAreNotSentToTheHost) {
  AttackSandbox sandbox;
  HostSocket host(sandbox.workspace() + "/log", SOCK_DGRAM);
  SandboxResult result = sandbox.run("./attack connect-datagram log");
  EXPECT_EQ(result.status, 1);
  EXPECT_FALSE(host.was_reached());
  EXPECT_EQ(sandbox.outside("./attack connect-datagram log").status, 0);
}

TEST(EscapeSockets, AbstractNamesAreItsOwn) {
  NEEDS(tool("python3"));
  AttackSandbox sandbox;
  std::string name = "@ward-escape-" + std::to_string(::getpid());
  HostSocket host(name, SOCK_STREAM);
  std::string attack =
      "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); "
      "s.connect(\"\\0" +
      name.substr(1) + "\")'";
  EXPECT_NE(sandbox.run(attack).status, 0);
  EXPECT_FALSE(host.was_reached());
  EXPECT_EQ(sandbox.outside(attack).status, 0);
}

TEST(EscapeSockets, TheHostsLoopbackIsNotReached) {
  NEEDS(tool("python3"));
  AttackSandbox sandbox;
  UniqueFd host(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(host.get(), reinterpret_cast<struct sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(host.get(), 8), 0);
  ::getsockname(host.get(), reinterpret_cast<struct sockaddr*>(&address), &size);
  std::string attack = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", " +
                       std::to_string(ntohs(address.sin_port)) + "))'";
  EXPECT_NE(sandbox.run(attack).status, 0);
  EXPECT_EQ(sandbox.outside(attack).status, 0);
}

TEST(EscapeSockets, NoFamilyLeadsPastTheNetworkNamespace) {
  AttackSandbox sandbox;
  struct Kind {
    const char* name;
    int family, type, protocol;
  };
  const Kind kinds[] = {
      {"unix datagram", AF_UNIX, SOCK_DGRAM, 0},
      {"unix raw", AF_UNIX, SOCK_RAW, 0},
      {"packet", AF_PACKET, SOCK_RAW, 0},
      {"vsock", 40, SOCK_STREAM, 0},
      {"raw", AF_INET, SOCK_RAW, IPPROTO_ICMP},
      {"mptcp", AF_INET, SOCK_STREAM, 262},
      {"sctp", AF_INET, SOCK_STREAM, 132},
      {"audit", AF_NETLINK, SOCK_RAW, 9},
      {"uevents", AF_NETLINK, SOCK_RAW, 15},
      {"netfilter", AF_NETLINK, SOCK_RAW, 12},
      {"crypto", 38, SOCK_SEQPACKET, 0},
      {"bluetooth", 31, SOCK_RAW, 1},
      {"xdp", 44, SOCK_RAW, 0},
      {"udplite", AF_INET, SOCK_DGRAM, 136},
      {"tipc", 30, SOCK_STREAM, 0},
      {"smc", 43, SOCK_STREAM, 0},
  };
  std::string script;
  for (const Kind& kind : kinds)
    script += "./attack socket " + std::to_string(kind.family) + " " + std::to_string(kind.type) +
              " " + std::to_string(kind.protocol) + " 2>/dev/null && echo '" + kind.name + "'; ";
  EXPECT_EQ(sandbox.run(script).out, "");
  EXPECT_EQ(sandbox.outside("./attack socket 1 2 0").status, 0);
}

}  // namespace
}  // namespace ward::test
