// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/unix_diag.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace ward::sys {

namespace {

struct Request {
  struct nlmsghdr header;
  struct unix_diag_req body;
};

// The kernel tells a device in its own coding (12 bits major, 20 bits minor), not in stat's.
std::uint64_t device_of_kernel(std::uint32_t coded) {
  return makedev(coded >> 20U, coded & 0xfffffU);
}

// Tells this query's answers from what a broken off one left in the socket.
std::uint32_t fresh_sequence() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint32_t>(now.tv_nsec) ^ static_cast<std::uint32_t>(now.tv_sec << 20);
}

bool is_bound_to(const struct nlmsghdr* message, ObjectId object) {
  const auto* body = static_cast<const struct unix_diag_msg*>(NLMSG_DATA(message));
  std::size_t left = message->nlmsg_len - NLMSG_LENGTH(sizeof *body);
  const char* at = reinterpret_cast<const char*>(body) + NLMSG_ALIGN(sizeof *body);
  while (left >= sizeof(struct rtattr)) {
    struct rtattr attribute;
    std::memcpy(&attribute, at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > left) return false;
    if (attribute.rta_type == UNIX_DIAG_VFS) {
      struct unix_diag_vfs vfs;
      std::memcpy(&vfs, at + RTA_LENGTH(0), sizeof vfs);
      // 32 bits of the inode are all that is told; the device narrows it.
      if (vfs.udiag_vfs_ino == static_cast<std::uint32_t>(object.inode) &&
          device_of_kernel(vfs.udiag_vfs_dev) == object.device)
        return true;
    }
    std::size_t step = RTA_ALIGN(attribute.rta_len);
    if (step >= left) return false;
    at += step;
    left -= step;
  }
  return false;
}

}  // namespace

int open_unix_diagnostics() noexcept {
  int fd = ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  return fd < 0 ? -errno : fd;
}

Result<bool> socket_bound_in_namespace(int diagnostics, ObjectId object) {
  Request request = {};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = fresh_sequence();
  request.body.sdiag_family = AF_UNIX;
  request.body.udiag_states = ~0U;
  request.body.udiag_show = UDIAG_SHOW_VFS;
  if (::send(diagnostics, &request, sizeof request, 0) < 0)
    return fail_errno(errno, "ask for unix sockets");
  bool found = false;
  alignas(struct nlmsghdr) std::array<char, 16384> buffer;
  for (;;) {
    ssize_t size = ::recv(diagnostics, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail_errno(errno, "receive unix sockets");
    auto left = static_cast<std::size_t>(size);
    const auto* message = reinterpret_cast<const struct nlmsghdr*>(buffer.data());
    for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_seq != request.header.nlmsg_seq) continue;
      if (message->nlmsg_type == NLMSG_DONE) return found;
      if (message->nlmsg_type == NLMSG_ERROR) {
        const auto* error = static_cast<const struct nlmsgerr*>(NLMSG_DATA(message));
        return fail_errno(-error->error, "list unix sockets");
      }
      if (!found) found = is_bound_to(message, object);
    }
  }
}

}  // namespace ward::sys
