// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Where things are inside a sandbox that may reach something: the addresses of the gateway and the
// block from which each allowed name gets one of its own. Both blocks are reserved (RFC 2544's
// benchmarking block, and a unique local prefix that spells "ward"), are routed locally inside, and
// mean nothing outside. Constants only.
#pragma once

#include <cstdint>

namespace ward::egress {

// Routed locally inside (the sandbox's own 127.0.0.0/8 and ::1 stay free for it).
inline constexpr const char* kInsideBlockV4 = "198.18.0.0/15";
inline constexpr const char* kInsideBlockV6 = "fd57:6172:64::/48";

// The gateway itself: DNS on port 53 (UDP and TCP), an HTTP proxy, a SOCKS5 proxy.
inline constexpr const char* kGatewayV4 = "198.18.0.1";
inline constexpr const char* kGatewayV6 = "fd57:6172:64::1";
inline constexpr std::uint16_t kDnsPort = 53;
inline constexpr std::uint16_t kHttpProxyPort = 3128;
inline constexpr std::uint16_t kSocksPort = 1080;

// The address of the n-th name is this plus n, in either family (fd57:6172:64::1:0 plus n).
inline constexpr const char* kFirstNameV4 = "198.18.1.0";
inline constexpr const char* kFirstNameV6 = "fd57:6172:64::1:0";

}  // namespace ward::egress
