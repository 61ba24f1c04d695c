// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace ward::egress {

namespace {

struct Block {
  std::string_view prefix;
  int bits;
  AddressClass kind;
};

// The first row that holds an address decides: single addresses stand before the blocks they are
// in. What no row holds is the public internet.
constexpr Block kBlocksV4[] = {
    {"169.254.169.254", 32, AddressClass::metadata},  // AWS, Azure, Google, OpenStack and others
    {"169.254.170.2", 32, AddressClass::metadata},    // AWS ECS credentials
    {"169.254.170.23", 32, AddressClass::metadata},   // AWS EKS pod identity
    {"100.100.100.200", 32, AddressClass::metadata},  // Alibaba
    {"192.0.0.192", 32, AddressClass::metadata},      // Oracle
    {"168.63.129.16", 32, AddressClass::metadata},    // Azure's host, a public address otherwise
    {"0.0.0.0", 8, AddressClass::unspecified},       {"10.0.0.0", 8, AddressClass::private_use},
    {"100.64.0.0", 10, AddressClass::shared},        {"127.0.0.0", 8, AddressClass::loopback},
    {"169.254.0.0", 16, AddressClass::link_local},   {"172.16.0.0", 12, AddressClass::private_use},
    {"192.0.0.0", 24, AddressClass::reserved},       {"192.0.2.0", 24, AddressClass::reserved},
    {"192.88.99.0", 24, AddressClass::reserved},     {"192.168.0.0", 16, AddressClass::private_use},
    {"198.18.0.0", 15, AddressClass::reserved},  // benchmarks; inside a sandbox the gateway
    {"198.51.100.0", 24, AddressClass::reserved},    {"203.0.113.0", 24, AddressClass::reserved},
    {"224.0.0.0", 4, AddressClass::multicast},       {"240.0.0.0", 4, AddressClass::reserved},
};
constexpr Block kBlocksV6[] = {
    {"fd00:ec2::254", 128, AddressClass::metadata},      // AWS
    {"fd20:ce::254", 128, AddressClass::metadata},       // Google
    {"fd00:42::42", 128, AddressClass::metadata},        // Scaleway
    {"fd00:a9fe:a9fe::1", 128, AddressClass::metadata},  // Akamai
    {"::", 128, AddressClass::unspecified},
    {"::1", 128, AddressClass::loopback},
    {"::", 8, AddressClass::reserved},           // what canonical() does not know of ::/8
    {"64:ff9b::", 32, AddressClass::reserved},   // NAT64 with a local prefix, 64:ff9b:1::/48
    {"100::", 64, AddressClass::reserved},       // discard
    {"2001::", 23, AddressClass::reserved},      // Teredo, ORCHID and others of the IETF's
    {"2001:db8::", 32, AddressClass::reserved},  // documentation
    {"3fff::", 20, AddressClass::reserved},      // documentation
    {"5f00::", 16, AddressClass::reserved},      // segment routing
    {"fc00::", 7, AddressClass::private_use},
    {"fe80::", 10, AddressClass::link_local},
    {"fec0::", 10, AddressClass::private_use},  // site-local, once
    {"ff00::", 8, AddressClass::multicast},
};

bool same_prefix(const Address& a, const Address& b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(a.bytes.begin(), a.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  b.bytes.begin()))
    return false;
  const int rest = bits % 8;
  if (rest == 0) return true;
  const unsigned mask = 0xffU << static_cast<unsigned>(8 - rest);
  return ((a.bytes[whole] ^ b.bytes[whole]) & mask & 0xffU) == 0;
}

Address v4_at(const Address& address, std::size_t offset) {
  Address inner;
  std::copy_n(address.bytes.begin() + static_cast<std::ptrdiff_t>(offset), 4, inner.bytes.begin());
  return inner;
}

bool in_block(const Address& address, std::string_view prefix, int bits) {
  const std::optional<Address> block = parse_address(prefix);
  return block && block->family == address.family && same_prefix(address, *block, bits);
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const std::string copy(text);
  if (copy.find('\0') != std::string::npos) return std::nullopt;
  Address address;
  if (::inet_pton(AF_INET, copy.c_str(), address.bytes.data()) == 1) return address;
  address.family = Address::Family::v6;
  if (::inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::string to_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const int family = address.family == Address::Family::v4 ? AF_INET : AF_INET6;
  ::inet_ntop(family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

Address canonical(const Address& address) {
  if (address.family == Address::Family::v4) return address;
  for (const std::string_view carrier : {"::ffff:0:0", "::ffff:0:0:0", "64:ff9b::"})
    if (in_block(address, carrier, 96)) return v4_at(address, 12);
  if (in_block(address, "2002::", 16)) return v4_at(address, 2);
  // IPv4-compatible; :: and ::1 are addresses of their own.
  if (in_block(address, "::", 96) && !in_block(address, "::", 127)) return v4_at(address, 12);
  return address;
}

AddressClass classify(const Address& address) {
  const Address plain = canonical(address);
  if (plain.family == Address::Family::v4) {
    for (const Block& block : kBlocksV4)
      if (in_block(plain, block.prefix, block.bits)) return block.kind;
  } else {
    for (const Block& block : kBlocksV6)
      if (in_block(plain, block.prefix, block.bits)) return block.kind;
  }
  return AddressClass::global;
}

std::string_view describe(AddressClass kind) {
  switch (kind) {
    case AddressClass::global: return "a public address";
    case AddressClass::unspecified: return "the unspecified address, which is the host itself";
    case AddressClass::loopback: return "a loopback address";
    case AddressClass::link_local: return "a link-local address";
    case AddressClass::metadata: return "a cloud's metadata address";
    case AddressClass::private_use: return "a private address";
    case AddressClass::shared: return "an address of a carrier's shared block";
    case AddressClass::multicast: return "a multicast address";
    case AddressClass::reserved: return "a reserved address";
  }
  return "a reserved address";
}

Address advance(const Address& address, std::uint32_t n) {
  Address result = address;
  std::uint64_t carry = n;
  for (std::size_t i = address.family == Address::Family::v4 ? 4 : 16; i > 0 && carry != 0; --i) {
    carry += result.bytes[i - 1];
    result.bytes[i - 1] = static_cast<std::uint8_t>(carry & 0xffU);
    carry >>= 8U;
  }
  return result;
}

}  // namespace ward::egress
