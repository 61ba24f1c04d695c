// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/raw_inet.h"

#include <linux/if_addr.h>
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

// A request about the loopback interface: `Body`, and attributes behind it.
template <class Body>
struct Message {
  struct nlmsghdr header;
  Body body;
  char attributes[64];

  void begin(std::uint16_t type, std::uint32_t sequence) {
    *this = {};
    header.nlmsg_type = type;
    header.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK;
    header.nlmsg_seq = sequence;
    header.nlmsg_len = offsetof(Message, attributes);
  }
  void add(std::uint16_t type, const void* value, std::size_t size) {
    const struct rtattr attribute = {static_cast<unsigned short>(RTA_LENGTH(size)), type};
    char* at = reinterpret_cast<char*>(this) + header.nlmsg_len;
    std::memcpy(at, &attribute, sizeof attribute);
    std::memcpy(at + RTA_LENGTH(0), value, size);
    header.nlmsg_len += static_cast<std::uint32_t>(RTA_SPACE(size));
  }
};

std::size_t size_of(const InetAddress& address) {
  return static_cast<std::size_t>(address.bits() / 8);
}

Message<struct rtmsg> route_to(const InetBlock& block, std::uint32_t sequence) {
  Message<struct rtmsg> message;
  message.begin(RTM_NEWROUTE, sequence);
  message.body.rtm_family = static_cast<unsigned char>(block.address.family);
  message.body.rtm_dst_len = block.prefix;
  message.body.rtm_table = RT_TABLE_LOCAL;
  message.body.rtm_protocol = RTPROT_STATIC;
  message.body.rtm_scope = RT_SCOPE_HOST;
  message.body.rtm_type = RTN_LOCAL;
  message.add(RTA_OIF, &kLoopbackIndex, sizeof kLoopbackIndex);
  message.add(RTA_DST, block.address.bytes.data(), size_of(block.address));
  return message;
}

Message<struct ifaddrmsg> own_address(const InetAddress& address, std::uint32_t sequence) {
  Message<struct ifaddrmsg> message;
  message.begin(RTM_NEWADDR, sequence);
  message.body.ifa_family = static_cast<unsigned char>(address.family);
  message.body.ifa_prefixlen = static_cast<unsigned char>(address.bits());
  message.body.ifa_flags = IFA_F_NODAD;
  message.body.ifa_index = kLoopbackIndex;
  message.add(IFA_LOCAL, address.bytes.data(), size_of(address));
  message.add(IFA_ADDRESS, address.bytes.data(), size_of(address));
  return message;
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
  return reply.error.error == -EEXIST ? 0 : reply.error.error;  // two rules speak of one block
}

template <class Body>
long request(int netlink, const Message<Body>& message) {
  const ssize_t sent = ::send(netlink, &message, message.header.nlmsg_len, 0);
  return sent < 0 ? -errno : answer(netlink);
}

}  // namespace

long add_local_addresses(const LocalAddresses& local, int family) {
  const int netlink = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (netlink < 0) return -errno;
  long status = 0;
  std::uint32_t sequence = 0;
  for (const InetAddress& address : local.own)
    if (status == 0 && address.family == family)
      status = request(netlink, own_address(address, ++sequence));
  for (const InetBlock& block : local.blocks)
    if (status == 0 && block.address.family == family)
      status = request(netlink, route_to(block, ++sequence));
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
