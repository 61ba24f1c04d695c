// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Address: an IPv4 or IPv6 address, its canonical form, and what kind of place it leads to. Several
// spellings reach one machine (::ffff:127.0.0.1, 64:ff9b::7f00:1 and 2002:7f00:1:: all hold
// 127.0.0.1), so a check that looks at one spelling alone is no check. Pure; a value; safe from any
// thread. Sources: RFC 6890 and IANA's special-purpose registries, RFC 6052 (NAT64), RFC 3056
// (6to4).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ward::egress {

struct Address {
  enum class Family : std::uint8_t { v4, v6 };
  Family family = Family::v4;
  std::array<std::uint8_t, 16> bytes = {};  // network order; IPv4 in the first four
  auto operator<=>(const Address&) const = default;
};

// "10.0.0.1" or "fd00::1"; no zone, no brackets, no octal, hexadecimal, decimal or short spelling.
std::optional<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);

// The IPv4 address inside an IPv6 one that only carries it (mapped, compatible, NAT64, 6to4), else
// the address itself. What is dialled stays what was resolved; what is checked is both.
Address canonical(const Address& address);

enum class AddressClass : std::uint8_t {
  global,       // the public internet
  unspecified,  // 0.0.0.0/8 and ::, which reach the host itself
  loopback,
  link_local,
  metadata,  // where clouds hand out credentials
  private_use,
  shared,  // carriers' 100.64.0.0/10
  multicast,
  reserved,
};

// Of the canonical form.
AddressClass classify(const Address& address);
// "a loopback address".
std::string_view describe(AddressClass kind);

// The n-th after it.
Address advance(const Address& address, std::uint32_t n);

}  // namespace ward::egress
