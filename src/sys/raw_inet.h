// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The network namespace of a sandbox, from its own init: routes that lead to the namespace itself,
// and sockets bound to what they cover. Like sys/raw.h: no allocation, no locks, no errno; the
// kernel's value or the negative errno. Sources: rtnetlink(7), ip(7), ipv6(7).
#pragma once

#include <span>

#include "sys/inet.h"

namespace ward::sys::raw {

// Makes every address of these blocks a local one of this namespace, by routes of type `local` on
// the loopback interface. Needs CAP_NET_ADMIN there. With `family` only the blocks of that family.
long add_local_routes(std::span<const InetBlock> blocks, int family);

// A socket of `type` (SOCK_STREAM or SOCK_DGRAM) bound to `endpoint`, which a local route covers; a
// stream socket listens. Close-on-exec and non-blocking. Below port 1024 needs
// CAP_NET_BIND_SERVICE.
long bound_socket(const Endpoint& endpoint, int type);

}  // namespace ward::sys::raw
