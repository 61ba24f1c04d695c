// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Take functions: how the value of each key goes from a document's tree into a Document. Named by
// the rows of keys.cc only; templates over the member that a key fills, so that a row says where
// its value goes. An error is a message without place; the parser adds it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "policy/document.h"
#include "policy/quantities.h"

namespace ward::policy {

// The tools whose configuration names hosts.
inline constexpr std::string_view kPresets = "npm pip cargo go maven apt git";
// The findings of lint.h that an override may accept; a test holds them against finding_kinds().
inline constexpr std::string_view kAcceptable =
    "credentials-with-network powerful-socket wide-network workspace-is-home workspace-is-root "
    "writable-command-folder writable-home writable-root writable-startup-file writable-system "
    "writable-temp";

}  // namespace ward::policy

namespace ward::policy::take {

Error wrong(const Node& value, std::string_view expected, std::string remedy);
// The number's text, or a quantity's.
Result<std::string> number_text(const Node& value);
Result<std::string> quantity_text(const Node& value);
Result<PathEntry> path_entry(const Node& value);

template <auto Part, auto Member, auto Parse>
Status quantity(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::string text, quantity_text(value));
  WARD_ASSIGN(const auto parsed, Parse(text));
  auto& target = (document.*Part).*Member;
  using Target = typename std::remove_reference_t<decltype(target)>::value_type;
  if constexpr (std::is_same_v<Target, std::chrono::seconds>)
    target = std::chrono::ceil<std::chrono::seconds>(parsed);
  else
    target = parsed;
  return {};
}

template <auto Member, std::uint64_t Min, std::uint64_t Max>
Status count(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::string text, number_text(value));
  WARD_ASSIGN(document.limits.*Member, parse_count(text, Min, Max));
  return {};
}

template <PathList List>
Status path(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(PathEntry entry, path_entry(value));
  document.paths.push_back({List, std::move(entry), value.line});
  return {};
}

Status version(std::string_view, const Node&, Document&);
Status extends(std::string_view, const Node&, Document&);
Status default_access(std::string_view, const Node&, Document&);
Status protect(std::string_view, const Node&, Document&);
Status preset(std::string_view, const Node&, Document&);
Status allow_host(std::string_view, const Node&, Document&);
Status deny_host(std::string_view, const Node&, Document&);
Status request_rule(std::string_view, const Node&, Document&);
Status request_rule_host(std::string_view, const Node&, Document&);
Status request_rule_method(std::string_view, const Node&, Document&);
Status request_rule_path(std::string_view, const Node&, Document&);
Status unix_socket(std::string_view, const Node&, Document&);
Status host_port(std::string_view, const Node&, Document&);
Status secret(std::string_view, const Node&, Document&);
Status secret_name(std::string_view, const Node&, Document&);
Status secret_from(std::string_view, const Node&, Document&);
Status secret_host(std::string_view, const Node&, Document&);
Status secret_header(std::string_view, const Node&, Document&);
Status secret_format(std::string_view, const Node&, Document&);
Status ssh_agent_host(std::string_view, const Node&, Document&);
Status env_inherit(std::string_view, const Node&, Document&);
Status env_allow(std::string_view, const Node&, Document&);
Status env_set(std::string_view, const Node&, Document&);
Status publish(std::string_view, const Node&, Document&);
Status seccomp(std::string_view, const Node&, Document&);
Status nested_namespaces(std::string_view, const Node&, Document&);
Status pass_fd(std::string_view, const Node&, Document&);
Status container_image(std::string_view, const Node&, Document&);
Status container_runtime(std::string_view, const Node&, Document&);
Status gate(std::string_view, const Node&, Document&);
Status gate_when(std::string_view, const Node&, Document&);
Status gate_host(std::string_view, const Node&, Document&);
Status gate_name(std::string_view, const Node&, Document&);
Status gate_method(std::string_view, const Node&, Document&);
Status gate_path(std::string_view, const Node&, Document&);
Status override_finding(std::string_view, const Node&, Document&);

}  // namespace ward::policy::take
