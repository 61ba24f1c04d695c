// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/decide.h"

#include <algorithm>

#include "policy/explain.h"
#include "policy/network_decision.h"

namespace ward::egress {

namespace {

Ruling refused(std::string_view host, std::uint16_t port, std::string reason, std::string remedy) {
  policy::Explanation explanation;
  explanation.subject = host;
  policy::Explanation::Line line;
  line.act = "connect to port " + std::to_string(port);
  line.rule = "the check of addresses";
  line.why = reason;
  line.remedy = std::move(remedy);
  explanation.lines.push_back(line);
  return {false, false, line.rule, std::move(reason), explanation.text()};
}

// How the policy speaks of an address, if it does.
enum class Listed : std::uint8_t { no, in_block, exactly, denied };

Listed how_listed(const policy::Network& network, const std::string& address, std::uint16_t port) {
  const policy::HostVerdict verdict = policy::NetworkDecider(network).decide(address, port);
  if (verdict.rule == nullptr) return Listed::no;
  if (!verdict.allowed) return Listed::denied;
  return verdict.rule->host.find('/') == std::string::npos ? Listed::exactly : Listed::in_block;
}

}  // namespace

Ruling decide(const policy::Network& network, std::string_view host, std::uint16_t port) {
  const policy::HostVerdict verdict = policy::NetworkDecider(network).decide(host, port);
  const auto explanation = policy::explain_host(network, host_and_port(host, port));
  Ruling ruling;
  if (!explanation) {  // no name and no address: nothing can allow it
    ruling.rule = "the default: no host can be reached";
    ruling.reason = explanation.error().message();
    ruling.text = explanation.error().describe() + "\n";
    return ruling;
  }
  ruling.allowed = verdict.allowed;
  ruling.names_port = verdict.allowed && verdict.rule->port.has_value();
  ruling.rule = explanation->lines.front().rule;
  ruling.reason = explanation->lines.front().why;
  ruling.text = explanation->text();
  return ruling;
}

Ruling check_address(const policy::Network& network, std::string_view host, const Address& address,
                     std::uint16_t port, Ownership ownership) {
  const Address plain = canonical(address);
  const std::string text = to_text(plain);
  const AddressClass kind = classify(plain);
  const std::string leads = text == host
                                ? "it is "
                                : "it leads to " + to_text(address) +
                                      (plain == address ? "" : " (" + text + ")") + ", which is ";
  const Listed listed =
      std::max(how_listed(network, text, port), how_listed(network, to_text(address), port));
  if (listed == Listed::denied) {
    Ruling ruling = decide(network, text, port);
    if (ruling.allowed) ruling = decide(network, to_text(address), port);
    return ruling;
  }
  const std::string add = "add \"" + host_and_port(text, port) + "\" to network.allow";
  if (kind == AddressClass::unspecified || kind == AddressClass::multicast)
    return refused(host, port, leads + std::string(describe(kind)), "");
  if (kind == AddressClass::metadata && listed != Listed::exactly)
    return refused(host, port, leads + std::string(describe(kind)), add);
  if (ownership == Ownership::own && kind != AddressClass::loopback && listed != Listed::exactly)
    return refused(host, port, leads + "this machine's own address", add);
  if (kind != AddressClass::global && listed == Listed::no)
    return refused(host, port, leads + std::string(describe(kind)), add);
  Ruling ruling;
  ruling.allowed = true;
  return ruling;
}

std::vector<std::uint16_t> allowed_ports(const policy::Network& network, std::string_view host) {
  std::vector<std::uint16_t> ports;
  for (const policy::HostRule& rule : network.allow) {
    if (!policy::host_matches(rule.host, host)) continue;
    if (rule.port) {
      ports.push_back(*rule.port);
    } else {
      ports.insert(ports.end(), {80, 443});
    }
  }
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  const policy::NetworkDecider decider(network);
  std::erase_if(ports, [&](std::uint16_t port) { return !decider.decide(host, port).allowed; });
  return ports;
}

std::optional<std::string> normalise_host(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    const auto address = parse_address(text.substr(1, text.size() - 2));
    if (!address || address->family != Address::Family::v6) return std::nullopt;
    return to_text(canonical(*address));
  }
  if (const auto address = parse_address(text)) return to_text(canonical(*address));
  if (text.find_first_of(":/*[]") != std::string_view::npos) return std::nullopt;
  const auto host = policy::parse_host(text);
  if (!host) return std::nullopt;
  return host->host;
}

std::string host_and_port(std::string_view host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return (v6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + std::to_string(port);
}

}  // namespace ward::egress
