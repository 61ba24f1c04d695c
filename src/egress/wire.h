// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The messages between the supervisor and the gateway of one sandbox, over a SOCK_SEQPACKET pair.
// The gateway parses hostile bytes, so the supervisor treats what it says as hostile too: the
// Reader's bounds hold, texts are escaped before they are printed, and nothing in a message makes
// the supervisor do more than bind an address of the sandbox's own reserved blocks or write a
// record. When the channel closes, the gateway ends. Values only; safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "egress/record.h"

namespace ward::egress {

inline constexpr std::size_t kMaxMessageBytes = 64U << 10U;

// What a listening socket is for.
enum class ListenerRole : std::uint8_t {
  dns,          // a UDP socket
  dns_stream,   // DNS over TCP
  http_proxy,   // absolute-form and CONNECT
  socks,        // SOCKS5
  transparent,  // the own address of an allowed name, at one of its ports
  literal,      // an allowed address itself, at an allowed port
  host_port,    // what connects here reaches `port` on the host's loopback
  publish,      // bound on the host: what connects here reaches `port` inside (NeedConnection)
};

// --- From the supervisor to the gateway ---

// With one descriptor: sealed memory that holds a serialised GatewaySpec. The first message.
struct Configure {};
// The same, on a running gateway; answered by Reconfigured.
struct Reconfigure {};
// With one descriptor: a bound, listening socket (a bound one for `dns`). `name` for transparent
// ones; `address` and `port` are what it is bound to, for host_port and publish where it leads.
struct ListenerOffer {
  ListenerRole role = ListenerRole::http_proxy;
  std::string name;
  std::string address;
  std::uint16_t port = 0;
};
// Answers NeedListener where there is none.
struct ListenerRefused {
  std::string address;
  std::uint16_t port = 0;
  std::string reason;
};
// Answers NeedConnection, with one descriptor: a connected socket. Without one: it failed.
struct ConnectionOffer {
  std::uint64_t id = 0;
  std::string reason;
};
// Answers Ask.
struct Decision {
  std::uint64_t id = 0;
  std::uint8_t allow = 0;
  std::string reason;  // who decided, or that the deadline passed
};
// Close every connection, send the last records, then Ended, and exit.
struct End {};

using ToGateway = std::variant<Configure, Reconfigure, ListenerOffer, ListenerRefused,
                               ConnectionOffer, Decision, End>;

// --- From the gateway to the supervisor ---

// Confined, and accepting. The certificate is empty where nothing is intercepted.
struct Ready {
  std::string ca_certificate_pem;
};
// A listening socket inside is needed; answered by ListenerOffer (role transparent) or
// ListenerRefused.
struct NeedListener {
  std::string name;
  std::string address;
  std::uint16_t port = 0;
};
// A socket connected to `port` on the sandbox's own loopback is needed (for `publish`).
struct NeedConnection {
  std::uint64_t id = 0;
  std::uint16_t port = 0;
};
// A request is held until a Decision comes.
struct Ask {
  std::uint64_t id = 0;
  std::string method;
  std::string url;
  std::string gate;  // where the gate is written: "ward.yaml:12"
};
// `error` is empty where the new rules are in force, else the old ones still are.
struct Reconfigured {
  std::string error;
};
// The gateway cannot go on, and ends.
struct Failed {
  std::string error;
};
// The last message after End.
struct Ended {};

using FromGateway =
    std::variant<Ready, NeedListener, NeedConnection, Record, Ask, Reconfigured, Failed, Ended>;

std::string encode(const ToGateway& message);
std::string encode(const FromGateway& message);
// Refuse (invalid) what encode() did not write.
Result<ToGateway> decode_to_gateway(std::string_view bytes);
Result<FromGateway> decode_from_gateway(std::string_view bytes);

}  // namespace ward::egress
