// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/raw_inet.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>

#include "sys/raw.h"

namespace ward::sys::raw {

namespace {

// The loopback interface is the first of every network namespace.
constexpr int kLoopbackIndex = 1;
// Not less than net.core.somaxconn allows, which cuts it: connections wait here until the gateway
// is up.
constexpr int kBacklog = 4096;

struct RouteMessage {
  struct nlmsghdr header;
  struct rtmsg route;
  struct rtattr interface_attribute;
  int interface_index;
  struct rtattr destination_attribute;
  std::uint8_t destination[16];
};

// All but the last bytes of a short address.
std::uint32_t fill(RouteMessage& message, const InetBlock& block, std::uint32_t sequence) {
  const auto bytes = static_cast<std::uint16_t>(block.address.bits() / 8);
  message = {};
  message.header.nlmsg_type = RTM_NEWROUTE;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK;
  message.header.nlmsg_seq = sequence;
  message.route.rtm_family = static_cast<unsigned char>(block.address.family);
  message.route.rtm_dst_len = block.prefix;
  message.route.rtm_table = RT_TABLE_LOCAL;
  message.route.rtm_protocol = RTPROT_STATIC;
  message.route.rtm_scope = RT_SCOPE_HOST;
  message.route.rtm_type = RTN_LOCAL;
  message.interface_attribute = {RTA_LENGTH(sizeof(int)), RTA_OIF};
  message.interface_index = kLoopbackIndex;
  message.destination_attribute = {static_cast<unsigned short>(RTA_LENGTH(bytes)), RTA_DST};
  std::memcpy(message.destination, block.address.bytes.data(), bytes);
  message.header.nlmsg_len =
      static_cast<std::uint32_t>(offsetof(RouteMessage, destination)) + bytes;
  return message.header.nlmsg_len;
}

// The kernel answers a request before send() returns.
long answer(int netlink) {
  struct {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char rest[256];  // the request again, and what the kernel has to say about it
  } reply = {};
  const ssize_t size = ::recv(netlink, &reply, sizeof reply, 0);
  if (size < 0) return -errno;
  if (static_cast<std::size_t>(size) < sizeof reply.header + sizeof reply.error.error ||
      reply.header.nlmsg_type != NLMSG_ERROR)
    return -EBADMSG;
  return reply.error.error;
}

}  // namespace

long add_local_routes(std::span<const InetBlock> blocks, int family) {
  const int netlink = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (netlink < 0) return -errno;
  long status = 0;
  std::uint32_t sequence = 0;
  for (const InetBlock& block : blocks) {
    if (block.address.family != family) continue;
    RouteMessage message;
    const std::uint32_t size = fill(message, block, ++sequence);
    status = value_or_errno(::send(netlink, &message, size, 0));
    if (status >= 0) status = answer(netlink);
    if (status == -EEXIST) status = 0;  // two rules speak of one block
    if (status < 0) break;
  }
  ::close(netlink);
  return status;
}

long bound_socket(const Endpoint& endpoint, int type) {
  const int fd = ::socket(endpoint.address.family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  const int on = 1;
  long status = 0;
  if (endpoint.address.family == AF_INET6) {
    // An address that only a route makes local is no address of an interface, which IPv6 asks for.
    status = value_or_errno(::setsockopt(fd, SOL_IPV6, IPV6_FREEBIND, &on, sizeof on));
    if (status == 0)
      status = value_or_errno(::setsockopt(fd, SOL_IPV6, IPV6_V6ONLY, &on, sizeof on));
  }
  // On the host: what the last run served may still be closing.
  if (status == 0 && type == SOCK_STREAM)
    status = value_or_errno(::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  if (status == 0) {
    const SocketAddress address = socket_address(endpoint);
    status = value_or_errno(::bind(fd, address.get(), address.size));
  }
  if (status == 0 && type == SOCK_STREAM) status = value_or_errno(::listen(fd, kBacklog));
  if (status == 0) return fd;
  ::close(fd);
  return status;
}

}  // namespace ward::sys::raw
