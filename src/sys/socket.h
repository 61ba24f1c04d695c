// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Local sockets between Ward's own processes: pairs, and messages that carry descriptors. Safe from
// any thread. Sources: socketpair(2), unix(7), SCM_RIGHTS in cmsg(3).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sys/raw.h"

namespace ward::sys {

// AF_UNIX SOCK_SEQPACKET: message boundaries are kept, close of one end is seen at the other.
Result<std::pair<UniqueFd, UniqueFd>> socket_pair();

struct Message {
  std::string bytes;  // empty at end of file
  std::vector<UniqueFd> fds;
};

// One message with at most kMaxPassedFds descriptors. EAGAIN is an error of kind busy.
inline constexpr std::size_t kMaxPassedFds = raw::kMostSentFds;
Status send_message(int socket, std::string_view bytes, std::span<const int> fds = {});
Result<Message> receive_message(int socket, std::size_t max_bytes = 4096);

}  // namespace ward::sys
