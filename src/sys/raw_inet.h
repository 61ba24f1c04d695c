// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The network namespace of a sandbox, from its own init: routes that lead to the namespace itself,
// and sockets bound to what they cover. Like sys/raw.h: no allocation, no locks, no errno; the
// kernel's value or the negative errno. Sources: rtnetlink(7), ip(7), ipv6(7).
#pragma once

#include <span>

#include "sys/inet.h"

namespace ward::sys::raw {

struct LocalAddresses {
  std::span<InetAddress> own;   // of the loopback interface
  std::span<InetBlock> blocks;  // local by a route: nothing has them
};
// Gives the namespace these addresses, of one family. Needs CAP_NET_ADMIN there. A namespace with
// no address of its own but loopback's has no resolver: getaddrinfo(3) with AI_ADDRCONFIG asks for
// no name then.
long add_local_addresses(const LocalAddresses& local, int family);

// A socket of `type` (SOCK_STREAM or SOCK_DGRAM) bound to `endpoint`, which a local route covers; a
// stream socket listens. Close-on-exec and non-blocking. Below port 1024 needs
// CAP_NET_BIND_SERVICE.
long bound_socket(const Endpoint& endpoint, int type);

}  // namespace ward::sys::raw
