// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/head_note.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/unique_fd.h"
#include "journal/helpers_test.h"

namespace ward::journal {
namespace {

HeadNote a_note(std::int64_t seq) {
  HeadNote note = {.head = {.seq = seq},
                   .chain = "0123456789abcdef",
                   .path = "/home/u/with space\n/journal.db",
                   .uid = 1000};
  note.head.hash[0] = 0xab;
  return note;
}

LogSource source_of(const HeadNote& note) {
  return {.name = "syslog", .database_path = note.path, .uid = note.uid};
}

TEST(HeadNote, IsOneLineOfPrintableAscii) {
  EXPECT_EQ(to_line(a_note(7)),
            "ward-head chain=0123456789abcdef seq=7 "
            "hash=ab00000000000000000000000000000000000000000000000000000000000000 "
            "uid=1000 path=/home/u/with%20space%0a/journal.db");
}

TEST(HeadNote, IsFoundInALogAmongOtherLines) {
  HeadNote elsewhere = a_note(9);
  elsewhere.path = "/home/v/journal.db";
  HeadNote of_another = a_note(9);
  of_another.uid = 1001;
  const std::string log =
      "Nov 30 04:00:01 host cron[1]: job\n"
      "Nov 30 04:00:02 host ward[77]: " +
      to_line(a_note(7)) + "\n" + "Nov 30 04:00:02 host ward[77]: " + to_line(elsewhere) + "\n" +
      "Nov 30 04:00:02 host ward[77]: " + to_line(of_another) + "\r\n" +
      "2026-11-30T04:00:03Z host ward[78]: " + to_line(a_note(8)) + " \r\n";
  const auto notes = notes_in_log(log, source_of(a_note(7)));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].head, a_note(7).head);
  EXPECT_EQ(notes[0].where, "syslog line 2");
  EXPECT_EQ(notes[1].head, a_note(8).head);
  EXPECT_EQ(notes[1].chain, "0123456789abcdef");
  EXPECT_EQ(notes[1].where, "syslog line 5");
}

TEST(HeadNote, BrokenLinesArePassedOver) {
  const std::string line = to_line(a_note(7));
  for (std::size_t size = 0; size < line.size() - 1; ++size)
    EXPECT_TRUE(notes_in_log(line.substr(0, size), source_of(a_note(7))).empty()) << size;
  EXPECT_EQ(notes_in_log(line, source_of(a_note(7))).size(), 1U);
}

TEST(HeadNote, ReachesALogSocketAsOneDatagram) {
  const test::TempFolder folder;
  const std::string path = folder / "log";
  const UniqueFd log(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(log.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  ASSERT_TRUE(send_to_syslog(a_note(7), path));
  char buffer[1024];
  const ssize_t size = ::recv(log.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  ASSERT_GT(size, 0);
  const std::string datagram(buffer, static_cast<std::size_t>(size));
  EXPECT_EQ(datagram, "<86>ward[" + std::to_string(::getpid()) + "]: " + to_line(a_note(7)));
}

TEST(HeadNote, NeverWaitsForALogThatDoesNotRead) {
  const test::TempFolder folder;
  const std::string path = folder / "log";
  EXPECT_FALSE(send_to_syslog(a_note(1), path));  // nobody there
  const UniqueFd log(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(log.get(), reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  Status sent;
  for (int count = 0; sent && count < 100'000; ++count) sent = send_to_syslog(a_note(1), path);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind(), ErrorKind::busy);
}

}  // namespace
}  // namespace ward::journal
