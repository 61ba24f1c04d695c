// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the name out of the first bytes of a TLS connection, without ending the TLS: the server
// name indication of the ClientHello, which may be cut into several records. Strict: what is
// ambiguous is bad, because a server might read it otherwise. Pure; safe from any thread. Sources:
// RFC 8446 (4.1.2, 5.1), RFC 6066 (3), RFC 9849 (encrypted ClientHello).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ward::egress {

// A hello with keys of several algorithms takes 2 KiB; more than this is not waited for.
inline constexpr std::size_t kMaxHelloBytes = 16384;

struct HelloVerdict {
  enum class State : std::uint8_t {
    more,      // so far right, and not complete
    not_tls,   // the first bytes are no handshake record
    bad,       // TLS, and not to be accepted: `problem` says why
    complete,  // `server_name` is filled in, empty where the client names no server
  };
  State state = State::more;
  std::string server_name;  // lower case, without a final dot
  std::string problem;
};

// `bytes` is all that the client has sent so far. What follows the ClientHello is not looked at.
HelloVerdict inspect_client_hello(std::string_view bytes);

}  // namespace ward::egress
