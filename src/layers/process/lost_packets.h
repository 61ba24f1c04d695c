// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// LostPackets: how many packets a sandbox tried to send to addresses that no route leads to. Nobody
// is asked when a socket sends without being connected (a DNS client, QUIC), and the kernel refuses
// by itself; but it counts. Owned by one run; the files stay readable when the sandbox is gone.
// Source: proc(5), /proc/PID/net/snmp and snmp6, the counters OutNoRoutes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/unique_fd.h"

namespace ward::process {

class LostPackets {
 public:
  // Of the network namespace of `init`. Where the kernel tells nothing, the count stays 0.
  static LostPackets of(pid_t init);

  // Since the last call, or since of().
  std::uint64_t take();

 private:
  std::uint64_t total() const;

  UniqueFd v4_, v6_;
  std::uint64_t taken_ = 0;
};

// The value of `name` in a table of /proc/net/snmp: a line of names, then a line of values, both
// begun by `table`. 0 where it is not there.
std::uint64_t snmp_counter(std::string_view text, std::string_view table, std::string_view name);

}  // namespace ward::process
