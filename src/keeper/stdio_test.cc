// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/stdio.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "sys/file.h"
#include "sys/stream.h"
#include "sys/tty.h"

namespace ward::keeper {
namespace {

std::string refusal(int fd) {
  std::array<int, 1> fds = {fd};
  Status checked = check_passed_fds(fds);
  return checked ? "" : checked.error().describe();
}

UniqueFd socket_of(int domain, int type) { return UniqueFd(::socket(domain, type, 0)); }

TEST(PassedFds, PipesFilesAndStreamSocketsPass) {
  auto pipe = sys::make_pipe();
  auto file = sys::open_path("/proc/self/exe", O_RDONLY);
  std::array<int, 3> fds = {pipe->first.get(), file->get(), -1};
  UniqueFd stream = socket_of(AF_UNIX, SOCK_STREAM);
  fds[2] = stream.get();
  EXPECT_TRUE(check_passed_fds(fds));
}

TEST(PassedFds, WaysOutAreRefusedByNumberWithARemedy) {
  auto folder = sys::open_path("/", O_RDONLY | O_DIRECTORY);
  auto path_only = sys::open_path("/proc/self/exe", O_PATH);
  auto pty = sys::open_pty();
  UniqueFd datagram = socket_of(AF_UNIX, SOCK_DGRAM);
  UniqueFd tcp = socket_of(AF_INET, SOCK_STREAM);
  EXPECT_NE(refusal(folder->get()).find("is a directory"), std::string::npos);
  EXPECT_NE(refusal(path_only->get()).find("O_PATH"), std::string::npos);
  EXPECT_NE(refusal(pty->slave.get()).find("terminal"), std::string::npos);
  EXPECT_NE(refusal(datagram.get()).find("datagram"), std::string::npos);
  EXPECT_NE(refusal(tcp.get()).find("host's network"), std::string::npos);
  EXPECT_NE(refusal(folder->get()).find(std::to_string(folder->get())), std::string::npos);
}

TEST(PassedFds, StandardAndClosedDescriptorsAreRefused) {
  EXPECT_NE(refusal(0), "");
  EXPECT_NE(refusal(1023), "");
}

TEST(StdioPlan, NoDescriptorOfTheCallerIsGivenToTheCommand) {
  auto pipe = sys::make_pipe();
  auto file = sys::open_path("/proc/self/exe", O_RDONLY);
  auto stdio = Stdio::plan({file->get(), pipe->second.get(), pipe->second.get()});
  ASSERT_TRUE(stdio);
  for (int fd : stdio->child().fds) {
    EXPECT_NE(fd, file->get());
    EXPECT_NE(fd, pipe->second.get());
    EXPECT_GE(fd, 0);
  }
  EXPECT_TRUE(stdio->merged_error());
  EXPECT_EQ(stdio->child().fds[1], stdio->child().fds[2]);
  EXPECT_FALSE(stdio->child().needs_pty());
}

TEST(StdioPlan, ATerminalAsksForAPtyAndNullStaysNull) {
  auto pty = sys::open_pty();
  auto null = sys::open_path("/dev/null", O_RDWR);
  auto stdio = Stdio::plan({pty->slave.get(), null->get(), -1});
  ASSERT_TRUE(stdio);
  EXPECT_EQ(stdio->child().fds, (std::array<int, 3>{kPty, kNull, kNull}));
  EXPECT_TRUE(stdio->child().needs_pty());
}

TEST(StdioPlan, TwoOpenFilesOfOneObjectAreNotMerged) {
  auto file = sys::open_path("/proc/self/comm", O_WRONLY);
  auto again = sys::open_path("/proc/self/comm", O_WRONLY);
  auto stdio = Stdio::plan({-1, file->get(), again->get()});
  ASSERT_TRUE(stdio);
  EXPECT_FALSE(stdio->merged_error());
}

TEST(StdioPlan, ADatagramSocketIsRefused) {
  UniqueFd datagram = socket_of(AF_UNIX, SOCK_DGRAM);
  auto stdio = Stdio::plan({datagram.get(), -1, -1});
  ASSERT_FALSE(stdio);
  EXPECT_NE(stdio.error().remedy(), "");
}

}  // namespace
}  // namespace ward::keeper
