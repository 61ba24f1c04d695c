// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ward::sys {

namespace {
constexpr std::size_t kControlBytes = CMSG_SPACE(kMaxPassedFds * sizeof(int));
}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> socket_pair() {
  std::array<int, 2> fds = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()) != 0)
    return fail_errno(errno, "socketpair");
  return std::pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

Status send_message(int socket, std::string_view bytes, std::span<const int> fds) {
  if (fds.size() > kMaxPassedFds) return fail(ErrorKind::bug, "too many descriptors in a message");
  long sent = 0;
  do {
    sent = raw::send_with_fds(socket, bytes.data(), bytes.size(), fds);
  } while (sent == -EINTR);
  if (sent < 0) return fail_errno(static_cast<int>(-sent), "sendmsg");
  return {};
}

Result<Message> receive_message(int socket, std::size_t max_bytes) {
  Message message;
  message.bytes.resize(max_bytes);
  struct iovec part = {message.bytes.data(), max_bytes};
  alignas(struct cmsghdr) std::array<char, kControlBytes> control = {};
  struct msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t size = -1;
  do {
    size = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return fail_errno(errno, "recvmsg");
  message.bytes.resize(static_cast<std::size_t>(size));
  for (struct cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr;
       item = CMSG_NXTHDR(&header, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(item) + i * sizeof(int), sizeof fd);
      message.fds.emplace_back(fd);
    }
  }
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return fail(ErrorKind::bug, "a message was cut");
  return message;
}

}  // namespace ward::sys
