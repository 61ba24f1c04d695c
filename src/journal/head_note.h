// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Heads of a journal kept where the journal's owner cannot rewrite them: lines in the system log.
// One line is one datagram to /dev/log, sent without waiting; a machine without a system log just
// has none. Reading takes a log file's text and finds the lines of one user's journal in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/chain.h"

namespace ward::journal {

struct HeadNote {
  Head head;
  std::string chain;
  std::string path;  // of the database
  std::uint32_t uid = 0;
  bool operator==(const HeadNote&) const = default;
};

// "ward-head chain=.. seq=.. hash=.. uid=.. path=..", one line of printable ASCII.
std::string to_line(const HeadNote& note);

// Never blocks; an error (no log daemon, its queue is full) loses this note only.
Status send_to_syslog(const HeadNote& note, const std::string& socket_path = "/dev/log");

struct LogSource {
  std::string name;           // for the reader
  std::string database_path;  // whose notes are wanted
  std::uint32_t uid = 0;
};
// The notes about that database in a log's text, in its order. Other lines are passed over. Anybody
// can write to a system log, so a line can raise a false alarm; it cannot hide a real one.
std::vector<NotedHead> notes_in_log(std::string_view log, const LogSource& source);

}  // namespace ward::journal
