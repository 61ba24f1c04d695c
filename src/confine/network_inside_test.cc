// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/network_inside.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

#include "confine/launch.h"
#include "support/needs.h"
#include "support/temp_dir.h"
#include "sys/seccomp_notify.h"
#include "sys/socket.h"

namespace ward::confine {
namespace {

using testing::HasSubstr;

sys::Endpoint endpoint(const char* address, std::uint16_t port) {
  return {*sys::parse_inet_address(address), port};
}

// A sandbox with a network inside, whose command is a shell script. The kernel decides every
// connect.
class NetworkInsideTest : public testing::Test {
 protected:
  NetworkInsideTest() {
    confinement_.forbidden_write = "/var/lib";
    confinement_.network.routes = {*sys::parse_inet_block("198.18.0.0/15"),
                                   *sys::parse_inet_block("203.0.113.7"),
                                   *sys::parse_inet_block("fd57:6172:64::/48")};
    job_.environment = {"PATH=/usr/bin:/bin"};
    job_.working_directory = "/";
  }

  // Up to the point where init waits for `go`.
  void prepare_to_run(const std::string& script) {
    job_.argv = {"/bin/sh", "-c", script};
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader_ = UniqueFd(ends[0]);
    UniqueFd writer(ends[1]);
    job_.streams = {kNull, writer.get(), writer.get()};
    LaunchHooks hooks;
    hooks.connected = [this](SandboxHandles& handles) -> Result<int> {
      listener_ = std::move(handles.listener);
      return listener_.get();
    };
    hooks.serve = [this] { return serve(); };
    Result<SandboxHandles> handles = prepare(confinement_, job_, hooks);
    ASSERT_TRUE(handles) << handles.error().describe();
    handles_ = std::move(*handles);
  }

  Status serve() {
    if (auto call = sys::receive_notification(listener_.get()))
      (void)sys::answer_continue(listener_.get(), call->id).has_value();
    return {};
  }

  void send(const Command& command) {
    ASSERT_TRUE(sys::send_message(handles_.control.get(),
                                  {reinterpret_cast<const char*>(&command), sizeof command}));
  }

  // Serves the sandbox until `fd` is readable, or init has ended.
  bool serve_until(int fd) {
    for (;;) {
      struct pollfd fds[3] = {
          {fd, POLLIN, 0}, {listener_.get(), POLLIN, 0}, {handles_.pidfd.get(), POLLIN, 0}};
      if (::poll(fds, 3, -1) < 0) continue;
      if ((fds[1].revents & POLLIN) != 0) (void)serve().has_value();
      if (fds[0].revents != 0) return true;
      if (fds[2].revents != 0) return false;
    }
  }

  Report next_report(UniqueFd& carried) {
    Report report;
    auto message = sys::receive_message(handles_.control.get());
    if (!message || message->bytes.size() != sizeof report) return report;
    std::memcpy(static_cast<void*>(&report), message->bytes.data(), sizeof report);
    if (!message->fds.empty()) carried = std::move(message->fds.front());
    return report;
  }

  // What init answers to `command`.
  UniqueFd socket_for(const Command& command, int* error = nullptr) {
    send(command);
    UniqueFd carried;
    for (;;) {
      const Report report = next_report(carried);
      if (report.kind == Report::Kind::failed) return {};
      if (report.kind != Report::Kind::socket) continue;
      EXPECT_EQ(report.detail, command.value);
      if (error != nullptr) *error = report.value;
      return carried;
    }
  }

  std::string output_to_the_end() {
    std::string output;
    while (serve_until(reader_.get())) {
      char bytes[512];
      const ssize_t size = ::read(reader_.get(), bytes, sizeof bytes);
      if (size <= 0) break;
      output.append(bytes, static_cast<std::size_t>(size));
    }
    return output;
  }

  Confinement confinement_;
  Job job_;
  UniqueFd reader_, listener_;
  SandboxHandles handles_;
};

std::string connect_script(const std::string& host, const std::string& port) {
  return "python3 -c 'import socket; s = socket.create_connection((\"" + host + "\", " + port +
         ")); print(s.recv(9))'";
}

TEST_F(NetworkInsideTest, ListenersAreHandedOutInTheirOrderAndReachedFromInside) {
  NEEDS(user_namespaces, seccomp_notify, tool("python3"));
  for (const char* address : {"198.18.0.1", "fd57:6172:64::1", "198.18.1.0", "203.0.113.7",
                              "127.0.0.1", "::1", "198.18.2.1", "198.18.2.2", "198.18.2.3"})
    confinement_.network.listeners.push_back({endpoint(address, 443)});
  prepare_to_run(connect_script("203.0.113.7", "443"));
  ASSERT_EQ(handles_.listeners.size(), 9U);
  struct sockaddr_in bound = {};
  socklen_t size = sizeof bound;
  ASSERT_EQ(
      ::getsockname(handles_.listeners[8].get(), reinterpret_cast<struct sockaddr*>(&bound), &size),
      0);
  EXPECT_EQ(ntohl(bound.sin_addr.s_addr), 0xC6120203U);
  send({});
  ASSERT_TRUE(serve_until(handles_.listeners[3].get()));
  UniqueFd connection(::accept4(handles_.listeners[3].get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(connection.valid());
  EXPECT_EQ(::send(connection.get(), "hello", 5, 0), 5);
  EXPECT_THAT(output_to_the_end(), HasSubstr("hello"));
}

TEST_F(NetworkInsideTest, MoreSocketsAreMadeWhileTheCommandRuns) {
  NEEDS(user_namespaces, seccomp_notify, tool("python3"));
  prepare_to_run("read line < /dev/zero; true");
  send({});
  Command listen{Command::Kind::listen, 7, endpoint("fd57:6172:64::1:5", 22)};
  UniqueFd first = socket_for(listen);
  EXPECT_TRUE(first.valid());
  int error = 0;
  EXPECT_FALSE(socket_for(listen, &error).valid()) << "the address is taken";
  EXPECT_EQ(error, EADDRINUSE);
  listen.endpoint = endpoint("192.0.2.1", 22);
  EXPECT_FALSE(socket_for(listen, &error).valid()) << "no address of this namespace";
  EXPECT_EQ(error, EADDRNOTAVAIL);
  listen.endpoint = endpoint("198.18.1.9", 80);
  UniqueFd server = socket_for(listen);
  ASSERT_TRUE(server.valid());
  UniqueFd client = socket_for({Command::Kind::socket, 8, endpoint("127.0.0.1", 0)});
  ASSERT_TRUE(client.valid());
  ::fcntl(client.get(), F_SETFL, 0);
  const sys::SocketAddress address = sys::socket_address(endpoint("198.18.1.9", 80));
  EXPECT_EQ(::connect(client.get(), address.get(), address.size), 0)
      << "it belongs to the namespace of the sandbox";
}

TEST_F(NetworkInsideTest, FilesStandInTheHostsPlace) {
  NEEDS(user_namespaces, seccomp_notify);
  test::TempDir folder;
  const std::string file = folder.write("resolv.conf", "nameserver 10.0.0.1\n");
  confinement_.network.files = {{file, "nameserver 198.18.0.1\n"},
                                {"/run/systemd/resolve/stub.conf", "nameserver 198.18.0.1\n"}};
  prepare_to_run("cat '" + file + "' /run/systemd/resolve/stub.conf; echo x > '" + file +
                 "'; rm -f '" + file + "'; ls -l '" + file + "'");
  send({});
  const std::string output = output_to_the_end();
  EXPECT_THAT(output, HasSubstr("nameserver 198.18.0.1\nnameserver 198.18.0.1\n"));
  EXPECT_THAT(output, HasSubstr("-r--r--r--"));
  EXPECT_EQ(test::read_text(file), "nameserver 10.0.0.1\n");
}

TEST_F(NetworkInsideTest, WithoutOneAnInitMakesNoSocketAndNoAddressIsLocal) {
  NEEDS(user_namespaces, seccomp_notify, tool("python3"));
  confinement_.network = {};
  prepare_to_run(connect_script("198.18.0.1", "3128"));
  int error = 0;
  EXPECT_FALSE(
      socket_for({Command::Kind::listen, 1, endpoint("198.18.0.1", 3128)}, &error).valid());
  EXPECT_EQ(error, EADDRNOTAVAIL);
  EXPECT_FALSE(socket_for({Command::Kind::listen, 1, endpoint("127.0.0.1", 80)}, &error).valid());
  EXPECT_EQ(error, EACCES) << "it kept no capability";
  send({});
  EXPECT_THAT(output_to_the_end(), HasSubstr("Network is unreachable"));
}

}  // namespace
}  // namespace ward::confine
