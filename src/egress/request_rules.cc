// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/request_rules.h"

#include <algorithm>
#include <utility>

#include "egress/encoding.h"
#include "egress/url_path.h"
#include "policy/network_decision.h"

namespace ward::egress {

namespace {

using Texts = std::vector<std::string>;

bool has_method(const Texts& methods, std::string_view method) {
  return methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
}
// In any case of letters: servers write what a header names in capitals.
bool gate_has_method(const Texts& methods, std::string_view method) {
  return methods.empty() || std::any_of(methods.begin(), methods.end(), [&](const auto& one) {
           return equal_ignoring_case(one, method);
         });
}

// The methods that a server may take the request for.
std::vector<std::string_view> methods_of(const RequestLine& line) {
  std::vector<std::string_view> methods = {line.method};
  methods.insert(methods.end(), line.method_overrides.begin(), line.method_overrides.end());
  return methods;
}

bool path_permitted(const Texts& patterns, const std::string& path) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const auto& one) {
           return url_path_matches(one, path);
         });
}

bool permits(const policy::RequestRule& rule, const RequestLine& line, const Texts& readings) {
  const auto methods = methods_of(line);
  return std::all_of(methods.begin(), methods.end(),
                     [&](std::string_view one) { return has_method(rule.methods, one); }) &&
         std::all_of(readings.begin(), readings.end(),
                     [&](const std::string& path) { return path_permitted(rule.paths, path); });
}

// A trailing slash and the case of letters are no way around a gate: many servers ignore both.
bool gate_names(const policy::Gate& gate, const std::string& path) {
  if (gate.paths.empty()) return true;
  std::string_view shorter = path;
  while (shorter.size() > 1 && shorter.ends_with('/')) shorter.remove_suffix(1);
  return std::any_of(gate.paths.begin(), gate.paths.end(), [&](const std::string& pattern) {
    return url_path_matches(pattern, path, Letters::any_case) ||
           url_path_matches(pattern, shorter, Letters::any_case);
  });
}

bool holds(const policy::Gate& gate, const RequestLine& line, const Texts& readings) {
  const auto methods = methods_of(line);
  return std::any_of(methods.begin(), methods.end(),
                     [&](std::string_view one) { return gate_has_method(gate.methods, one); }) &&
         std::any_of(readings.begin(), readings.end(),
                     [&](const std::string& path) { return gate_names(gate, path); });
}

bool speaks_of(const policy::RequestRule& rule, std::string_view host) {
  return policy::host_matches(rule.host, host);
}
bool speaks_of(const policy::Gate& gate, std::string_view host) {
  return gate.host.empty() || policy::host_matches(gate.host, host);
}

std::string listed(const Texts& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + text;
  return result;
}

std::string print(const policy::RequestRule& rule) {
  std::string text = rule.host;
  if (!rule.methods.empty()) text += " methods " + listed(rule.methods);
  if (!rule.paths.empty()) text += " paths " + listed(rule.paths);
  return text + " (" + rule.origin.describe() + ")";
}

RequestVerdict refused(std::string rule, std::string reason, std::string remedy) {
  return {false, std::move(rule), std::move(reason), std::move(remedy), nullptr};
}

}  // namespace

RequestRules::RequestRules(std::vector<policy::RequestRule> rules, std::vector<policy::Gate> gates)
    : rules_(std::move(rules)), gates_(std::move(gates)) {
  gates_.erase(
      std::remove_if(gates_.begin(), gates_.end(),
                     [](const auto& gate) { return gate.when != policy::Gate::When::request; }),
      gates_.end());
}

bool RequestRules::speak_of(std::string_view host) const {
  const auto covers = [&](const auto& one) { return speaks_of(one, host); };
  return std::any_of(rules_.begin(), rules_.end(), covers) ||
         std::any_of(gates_.begin(), gates_.end(), covers);
}

RequestVerdict RequestRules::decide(const RequestLine& line) const {
  if (!speak_of(line.host)) return {};
  Texts readings = {"*"};
  if (line.target != "*") {
    auto read = path_readings(line.target);
    if (!read) return refused("network.rules", read.error().message(), read.error().remedy());
    readings = std::move(*read);
  }
  RequestVerdict verdict;
  for (const policy::RequestRule& first : rules_) {
    if (!speaks_of(first, line.host)) continue;
    const auto same_file = [&](const policy::RequestRule& rule) {
      return rule.origin.file == first.origin.file && speaks_of(rule, line.host);
    };
    // Decided where the file's first rule for the host stands.
    const auto begin = std::find_if(rules_.begin(), rules_.end(), same_file);
    if (&*begin != &first) continue;
    const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const auto& rule) {
      return same_file(rule) && permits(rule, line, readings);
    });
    if (found == rules_.end())
      return refused("network.rules " + print(first),
                     "no rule of " + first.origin.file + " permits " + std::string(line.method) +
                         " of this path on " + std::string(line.host),
                     "add the method and the path to network.rules");
    if (verdict.rule.empty()) verdict.rule = "network.rules " + print(*found);
  }
  for (const policy::Gate& gate : gates_)
    if (speaks_of(gate, line.host) && holds(gate, line, readings)) {
      verdict.gate = &gate;
      break;
    }
  return verdict;
}

}  // namespace ward::egress
