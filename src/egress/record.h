// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Record: one line of the egress log: a connection, a request (where the gateway reads them), or a
// question for a name that was refused. It never holds a secret's value, and its texts come from
// inside the sandbox: print them only through base/escape.h. A value; safe from any thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ward::egress {

enum class RecordKind : std::uint8_t { connection, request, question };

// How the sandbox asked.
enum class Protocol : std::uint8_t { dns, http, connect, socks5, transparent, host_port, publish };

enum class RecordVerdict : std::uint8_t {
  allowed,
  denied,  // a rule or a check of the gateway refused it
  failed,  // allowed, but it could not be done: no such name, no answer, a broken connection
};

struct Record {
  RecordKind kind = RecordKind::connection;
  Protocol protocol = Protocol::transparent;
  RecordVerdict verdict = RecordVerdict::denied;
  std::string host;     // the name or literal address that was asked for; "" where none was told
  std::string address;  // the checked address that was dialled; "" where none was
  std::uint16_t port = 0;
  std::string method;  // of a request
  std::string path;    // of a request, without its query
  std::string rule;    // "allow example.org:443 (ward.yaml:7)", or the check that refused
  std::string reason;  // one sentence; "" for what was allowed and went well
  std::vector<std::string> secrets;  // the names of those put in
  std::uint64_t bytes_up = 0;        // from the sandbox
  std::uint64_t bytes_down = 0;      // to the sandbox
  std::chrono::sys_time<std::chrono::milliseconds> started{};
  std::chrono::microseconds duration{0};
  auto operator<=>(const Record&) const = default;
};

// As the journal and `--json` write them: "connection", "connect", "denied".
std::string_view name_of(RecordKind kind);
std::string_view name_of(Protocol protocol);
std::string_view name_of(RecordVerdict verdict);

}  // namespace ward::egress
