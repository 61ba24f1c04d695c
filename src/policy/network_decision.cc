// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/network_decision.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "policy/quantities.h"

namespace ward::policy {

namespace {

constexpr std::size_t kMaxName = 253, kMaxLabel = 63;

tl::unexpected<Error> bad(std::string message, std::string remedy) {
  return fail(Error(ErrorKind::invalid, std::move(message)).with_remedy(std::move(remedy)));
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// An address in network order; IPv4 as the first four bytes.
struct Address {
  int family = 0;
  std::array<unsigned char, 16> bytes = {};
  int bits() const { return family == AF_INET ? 32 : 128; }
};

std::optional<Address> parse_address(std::string_view text) {
  const std::string copy(text);
  Address address;
  for (const int family : {AF_INET, AF_INET6}) {
    address.family = family;
    if (inet_pton(family, copy.c_str(), address.bytes.data()) == 1) return address;
  }
  return std::nullopt;
}

std::string print(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(address.family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

struct Block {
  Address address;
  int prefix = 0;
};

void clear_host_bits(Address& address, int prefix) {
  for (int bit = prefix; bit < address.bits(); ++bit) {
    unsigned char& byte = address.bytes[static_cast<std::size_t>(bit / 8)];
    byte = static_cast<unsigned char>(byte & ~(0x80U >> static_cast<unsigned>(bit % 8)));
  }
}

std::optional<Block> parse_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<Address> address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Block{*address, address->bits()};
  const auto prefix =
      parse_count(text.substr(slash + 1), 0, static_cast<std::uint64_t>(address->bits()));
  if (!prefix) return std::nullopt;
  return Block{*address, static_cast<int>(*prefix)};
}

bool contains(const Block& block, const Address& address) {
  if (block.address.family != address.family) return false;
  Address masked = address;
  clear_host_bits(masked, block.prefix);
  return masked.bytes == block.address.bytes;
}

// An IPv4 address in IPv6's clothes (::ffff:a.b.c.d) reaches the same machine.
Address unmapped(const Address& address) {
  constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (address.family != AF_INET6 ||
      !std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin()))
    return address;
  Address v4;
  v4.family = AF_INET;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), v4.bytes.begin());
  return v4;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabel || label.front() == '-' || label.back() == '-')
    return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// A plain name, lower case, without wildcard.
Status check_name(std::string_view name) {
  constexpr const char* kRemedy =
      "write a name such as api.example.com, *.example.com, an address "
      "or a block such as 10.0.0.0/8";
  if (name.empty()) return bad("the host is empty", kRemedy);
  if (name.size() > kMaxName) return bad("the host name is longer than 253 characters", kRemedy);
  if (name.find('*') != std::string_view::npos)
    return bad(quoted(name) + ": * stands only in front, as *.example.com or **.example.com",
               kRemedy);
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= 0x80U)
      return bad(quoted(name) + " holds letters outside ASCII", "write its xn-- form");
  std::string_view last;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('.', start), name.size());
    last = name.substr(start, end - start);
    if (!is_label(last)) return bad(quoted(name) + " is not a host name", kRemedy);
    start = end + 1;
  }
  // What ends in a number is read as an address by resolvers, in forms that no rule would match.
  const bool numeric =
      std::all_of(last.begin(), last.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (numeric || last.starts_with("0x"))
    return bad(quoted(name) + " looks like an address and is none", "write all four numbers");
  return {};
}

Result<std::string> check_block(std::string_view text, HostContext context) {
  const std::optional<Block> block = parse_block(text);
  if (!block)
    return bad(quoted(text) + " is not an address or a block of addresses",
               "write it as 10.0.0.0/8 or fd00::/8");
  Address base = block->address;
  clear_host_bits(base, block->prefix);
  if (base.bytes != block->address.bytes)
    return bad(quoted(text) + " has bits set behind its prefix",
               "write " + print(base) + "/" + std::to_string(block->prefix));
  if (block->prefix == 0 && context == HostContext::allow)
    return bad(quoted(text) + " is every address", "name the hosts that are needed");
  if (block->prefix == base.bits()) return print(base);
  return print(base) + "/" + std::to_string(block->prefix);
}

Result<std::string> check_wildcard(std::string_view host, HostContext context) {
  if (host == "*" || host == "**") {
    if (context == HostContext::deny) return std::string("*");
    return bad(quoted(host) + " is every host", "name the hosts that are needed");
  }
  if (!host.starts_with("*.") && !host.starts_with("**.")) return fail(check_name(host).error());
  const std::size_t stars = host.starts_with("**.") ? 3 : 2;
  const std::string_view suffix = host.substr(stars);
  WARD_TRY(check_name(suffix));
  if (context == HostContext::allow && suffix.find('.') == std::string_view::npos)
    return bad(quoted(host) + " is a whole top-level domain", "name the hosts that are needed");
  return std::string(host);
}

struct Parts {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
};

// "HOST", "HOST:PORT", "[V6]", "[V6]:PORT", "[V6]/8:PORT", "[V6/8]:PORT", bare "V6".
Result<Parts> split_port(std::string_view text, std::string& unbracketed) {
  Parts parts;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos)
      return bad(quoted(text) + ": ] is missing", "write [::1]:443");
    unbracketed = text.substr(1, close - 1);
    std::string_view rest = text.substr(close + 1);
    const std::size_t colon = rest.find(':');
    unbracketed += rest.substr(0, colon);
    parts.host = unbracketed;
    parts.has_port = colon != std::string_view::npos;
    if (parts.has_port) parts.port = rest.substr(colon + 1);
    if (parts.host.find(':') == std::string_view::npos)
      return bad(quoted(text) + ": brackets are for IPv6 addresses", "write it without them");
    return parts;
  }
  const std::size_t colon = text.find(':');
  parts.host = text.substr(0, colon);
  if (colon == std::string_view::npos) return parts;
  if (text.find(':', colon + 1) != std::string_view::npos) {
    parts.host = text;  // an IPv6 address without brackets has no port
    return parts;
  }
  parts.has_port = true;
  parts.port = text.substr(colon + 1);
  return parts;
}

}  // namespace

Result<HostPort> parse_host_pattern(std::string_view text, HostContext context) {
  if (text.find("://") != std::string_view::npos)
    return bad(quoted(text) + " is a URL", "write the host alone, as api.example.com:443");
  const std::string lowered = lower(text);
  std::string unbracketed;
  WARD_ASSIGN(Parts parts, split_port(lowered, unbracketed));
  HostPort result;
  if (parts.has_port) {
    WARD_ASSIGN(result.port, parse_port(parts.port));
  }
  std::string_view host = parts.host;
  if (host.find('/') != std::string_view::npos || host.find(':') != std::string_view::npos ||
      parse_address(host)) {
    WARD_ASSIGN(result.host, check_block(host, context));
    return result;
  }
  if (host.ends_with('.')) host.remove_suffix(1);  // the root's dot
  if (host == "*" || host.starts_with("*.") || host.starts_with("**")) {
    WARD_ASSIGN(result.host, check_wildcard(host, context));
    return result;
  }
  WARD_TRY(check_name(host));
  result.host = host;
  return result;
}

Result<HostPort> parse_host(std::string_view text) {
  if (text.find_first_of("*/") != std::string_view::npos)
    return bad(quoted(text) + " is not one host", "ask about one host, as api.example.com:443");
  return parse_host_pattern(text, HostContext::deny);
}

bool host_matches(std::string_view pattern, std::string_view host) {
  if (pattern == "*") return true;
  if (const std::optional<Address> address = parse_address(host)) {
    const std::optional<Block> block = parse_block(pattern);
    return block && (contains(*block, *address) || contains(*block, unmapped(*address)));
  }
  if (pattern.starts_with("**.")) {
    if (host == pattern.substr(3)) return true;
    pattern.remove_prefix(1);
  }
  if (pattern.starts_with("*."))
    return host.size() > pattern.size() - 1 && host.ends_with(pattern.substr(1));
  return pattern == host;
}

HostVerdict NetworkDecider::decide(std::string_view host, std::uint16_t port) const {
  const std::string name = lower(host.ends_with('.') ? host.substr(0, host.size() - 1) : host);
  HostVerdict verdict;
  // A deny without a port denies every port; an allow without one allows the web's two.
  for (const HostRule& rule : network_.deny)
    if ((!rule.port || *rule.port == port) && host_matches(rule.host, name))
      return {false, &rule, {}};
  for (const HostRule& rule : network_.allow) {
    const bool covers = rule.port ? *rule.port == port : port == 80 || port == 443;
    if (!covers || !host_matches(rule.host, name)) continue;
    verdict = {true, &rule, {}};
    break;
  }
  if (!verdict.allowed) return verdict;
  for (const RequestRule& rule : network_.rules)
    if (host_matches(rule.host, name)) verdict.narrowed_by.push_back(&rule);
  return verdict;
}

}  // namespace ward::policy
