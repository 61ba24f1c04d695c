// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/datagram.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace ward::sys {

Status send_datagram(const std::string& socket_path, std::string_view bytes) {
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path)
    return fail_errno(ENAMETOOLONG, "send to " + socket_path);
  socket_path.copy(address.sun_path, socket_path.size());
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return fail_errno(errno, "socket");
  const ssize_t sent =
      ::sendto(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const struct sockaddr*>(&address), sizeof address);
  if (sent < 0) return fail_errno(errno, "send to " + socket_path);
  return {};
}

}  // namespace ward::sys
