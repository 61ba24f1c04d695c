// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/take.h"

#include <algorithm>

#include "policy/keys.h"
#include "policy/network_decision.h"

namespace ward::policy::take {

namespace {

Error invalid(std::string message, std::string remedy) {
  return Error(ErrorKind::invalid, std::move(message)).with_remedy(std::move(remedy));
}

Origin place(const Node& value, const Document& document) {
  return {document.origin.file, value.line, document.origin.scope};
}

Result<std::string> text_of(const Node& value) {
  if (value.kind == Node::Kind::string) return value.text;
  const bool scalar = value.kind != Node::Kind::sequence && value.kind != Node::Kind::mapping;
  return fail(wrong(value, "text",
                    scalar && !value.text.empty() ? "put it in quotes: \"" + value.text + "\""
                                                  : "write one text here"));
}

Result<std::string> filled_text(const Node& value) {
  WARD_ASSIGN(std::string text, text_of(value));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7f; };
  if (text.empty())
    return fail(invalid("the text is empty", "write the text or leave the key out"));
  if (std::any_of(text.begin(), text.end(), is_control))
    return fail(invalid("the text holds a control character", "write it without"));
  return text;
}

// The place of the value in the row's list of choices.
Result<std::size_t> choice_of(std::string_view choices, const Node& value) {
  WARD_ASSIGN(const std::string written, text_of(value));
  std::size_t index = 0;
  std::string listed;
  for (std::size_t start = 0; start < choices.size(); ++index) {
    const std::size_t end = std::min(choices.find(' ', start), choices.size());
    if (choices.substr(start, end - start) == written) return index;
    listed += (listed.empty() ? "" : ", ") + std::string(choices.substr(start, end - start));
    start = end + 1;
  }
  const std::string nearest = nearest_word(choices, written);
  return fail(invalid("'" + written + "' is none of " + listed,
                      nearest.empty() ? "write one of them" : "did you mean '" + nearest + "'?"));
}

Result<std::size_t> choice_of_key(std::string_view key, const Node& value) {
  return choice_of(find_key(key)->choices, value);
}

Result<std::string> method_of(const Node& value) {
  WARD_ASSIGN(std::string text, filled_text(value));
  const auto is_upper = [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; };
  if (!std::all_of(text.begin(), text.end(), is_upper))
    return fail(
        invalid("'" + text + "' is not an HTTP method", "methods are written in capitals, as GET"));
  return text;
}

Result<std::string> url_path_of(const Node& value) {
  WARD_ASSIGN(std::string text, filled_text(value));
  if (!text.starts_with('/'))
    return fail(
        invalid("'" + text + "' is not the path of a URL", "a path starts with /, as /v1/**"));
  return text;
}

Result<std::string> portless_host_of(const Node& value, HostContext context) {
  WARD_ASSIGN(const std::string text, text_of(value));
  WARD_ASSIGN(HostPort parsed, parse_host_pattern(text, context));
  if (parsed.port)
    return fail(invalid("'" + text + "': a port has no meaning here", "write the host alone"));
  return std::move(parsed.host);
}

Result<std::uint16_t> port_of(const Node& value) {
  WARD_ASSIGN(const std::string digits, number_text(value));
  return parse_port(digits);
}

}  // namespace

Error wrong(const Node& value, std::string_view expected, std::string remedy) {
  return invalid("expected " + std::string(expected) + ", found " + describe(value),
                 std::move(remedy));
}

Result<std::string> number_text(const Node& value) {
  if (value.kind == Node::Kind::integer) return value.text;
  return fail(wrong(value, "a whole number", "write it without quotes or unit"));
}

Result<std::string> quantity_text(const Node& value) {
  if (value.kind == Node::Kind::string || value.kind == Node::Kind::integer ||
      value.kind == Node::Kind::number)
    return value.text;
  return fail(wrong(value, "a quantity", "write one value"));
}

Result<PathEntry> path_entry(const Node& value) {
  // YAML reads a bare ~ as null; in a list of paths it can only be the home folder.
  if (value.kind == Node::Kind::null && value.plain && value.text == "~")
    return parse_path_entry("~", Spelling::pattern);
  if (value.kind != Node::Kind::mapping) {
    WARD_ASSIGN(const std::string text, text_of(value));
    return parse_path_entry(text, Spelling::pattern);
  }
  const Node* path = nullptr;
  Spelling spelling = Spelling::pattern;
  for (const Member& member : value.members) {
    if (member.key == "path") {
      path = &member.value;
    } else if (member.key != "literal") {
      const std::string nearest = nearest_word("path literal", member.key);
      return fail(invalid("unknown key '" + member.key + "'",
                          nearest.empty() ? "the keys of a path are path and literal"
                                          : "did you mean '" + nearest + "'?"));
    } else if (member.value.kind != Node::Kind::boolean) {
      return fail(wrong(member.value, "true or false", "write literal: true"));
    } else {
      spelling = member.value.text[0] == 't' || member.value.text[0] == 'T' ? Spelling::literal
                                                                            : Spelling::pattern;
    }
  }
  if (path == nullptr)
    return fail(invalid("the key 'path' is missing", "write {path: ..., literal: true}"));
  WARD_ASSIGN(const std::string text, text_of(*path));
  return parse_path_entry(text, spelling);
}

Status version(std::string_view, const Node& value, Document&) {
  if (value.kind == Node::Kind::integer && value.text == "1") return {};
  return fail(wrong(value, "version 1", "this ward knows version 1: write version: 1"));
}

Status extends(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(document.extends, filled_text(value));
  document.extends_line = value.line;
  return {};
}

Status default_access(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::size_t index, choice_of_key("filesystem.default", value));
  document.default_access = static_cast<DefaultAccess>(index);
  return {};
}

Status protect(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::size_t index, choice_of_key("filesystem.protect", value));
  document.protect = static_cast<ProtectMechanism>(index);
  return {};
}

Status preset(std::string_view, const Node& value, Document& document) {
  WARD_TRY(choice_of(kPresets, value));
  document.presets.push_back(value.text);
  document.preset_origins.emplace(value.text, place(value, document));
  return {};
}

Status allow_host(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::string text, text_of(value));
  WARD_ASSIGN(HostPort host, parse_host_pattern(text, HostContext::allow));
  document.allow.push_back({std::move(host.host), host.port, place(value, document)});
  return {};
}

Status deny_host(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::string text, text_of(value));
  WARD_ASSIGN(HostPort host, parse_host_pattern(text, HostContext::deny));
  document.deny.push_back({std::move(host.host), host.port, place(value, document)});
  return {};
}

Status request_rule(std::string_view, const Node& value, Document& document) {
  document.request_rules.push_back({"", {}, {}, place(value, document)});
  return {};
}

Status request_rule_host(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(document.request_rules.back().host, portless_host_of(value, HostContext::allow));
  return {};
}

Status request_rule_method(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string method, method_of(value));
  document.request_rules.back().methods.push_back(std::move(method));
  return {};
}

Status request_rule_path(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string path, url_path_of(value));
  document.request_rules.back().paths.push_back(std::move(path));
  return {};
}

Status unix_socket(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(PathEntry entry, path_entry(value));
  if (!entry.literal)
    return fail(invalid("'" + entry.written + "': a socket is named without wildcards",
                        "write each socket's path"));
  document.unix_sockets.push_back({std::move(entry), value.line});
  return {};
}

Status host_port(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::uint16_t port, port_of(value));
  document.host_ports.push_back(port);
  return {};
}

Status secret(std::string_view, const Node& value, Document& document) {
  document.secrets.push_back({"", "", {}, "", "", place(value, document)});
  return {};
}

Status secret_name(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string name, text_of(value));
  WARD_TRY(check_variable_name(name));
  document.secrets.back().name = std::move(name);
  return {};
}

Status secret_from(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string from, filled_text(value));
  WARD_TRY(check_secret_source(from));
  document.secrets.back().from = std::move(from);
  return {};
}

Status secret_host(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string host, portless_host_of(value, HostContext::allow));
  document.secrets.back().hosts.push_back(std::move(host));
  return {};
}

Status secret_header(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string header, filled_text(value));
  const auto is_token = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  if (!std::all_of(header.begin(), header.end(), is_token))
    return fail(
        invalid("'" + header + "' is not the name of a header", "write it as Authorization"));
  document.secrets.back().header = std::move(header);
  return {};
}

Status secret_format(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string format, filled_text(value));
  const std::size_t hole = format.find("{}");
  if (hole == std::string::npos || format.find("{}", hole + 1) != std::string::npos)
    return fail(invalid("'" + format + "' does not hold {} exactly once",
                        "{} stands for the value, as in \"Bearer {}\""));
  document.secrets.back().format = std::move(format);
  return {};
}

Status ssh_agent_host(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string host, portless_host_of(value, HostContext::allow));
  document.ssh_agent_hosts.push_back(std::move(host));
  return {};
}

Status env_inherit(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::size_t index, choice_of_key("env.inherit", value));
  document.env_inherit = static_cast<EnvInherit>(index);
  return {};
}

Status env_allow(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string name, text_of(value));
  WARD_TRY(check_variable_name(name));
  document.env_allow.push_back(std::move(name));
  return {};
}

Status env_set(std::string_view key, const Node& value, Document& document) {
  WARD_TRY(check_variable_name(key));
  WARD_ASSIGN(std::string text, text_of(value));
  if (text.find('\0') != std::string::npos)
    return fail(invalid("the value holds a NUL character", "write it without"));
  document.env_set.insert_or_assign(std::string(key), std::move(text));
  return {};
}

Status publish(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::uint16_t port, port_of(value));
  document.publish.push_back(port);
  return {};
}

Status seccomp(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::size_t index, choice_of_key("process.seccomp", value));
  constexpr SyscallProfile kByChoice[] = {SyscallProfile::isolate, SyscallProfile::strict,
                                          SyscallProfile::standard, SyscallProfile::vmm,
                                          SyscallProfile::desktop};
  document.seccomp = kByChoice[index];
  return {};
}

Status nested_namespaces(std::string_view, const Node& value, Document& document) {
  if (value.kind != Node::Kind::boolean)
    return fail(wrong(value, "true or false", "write it without quotes"));
  document.nested_namespaces = value.text[0] == 't' || value.text[0] == 'T';
  return {};
}

Status pass_fd(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::string digits, number_text(value));
  WARD_ASSIGN(const std::uint64_t fd, parse_count(digits, 3, 65535));
  document.pass_fds.push_back(static_cast<int>(fd));
  return {};
}

Status container_image(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string image, filled_text(value));
  if (!document.container) document.container.emplace();
  document.container->image = std::move(image);
  return {};
}

Status container_runtime(std::string_view, const Node& value, Document& document) {
  WARD_TRY(choice_of_key("container.runtime", value));
  if (!document.container) document.container.emplace();
  document.container->runtime = value.text;
  return {};
}

Status gate(std::string_view, const Node& value, Document& document) {
  Gate gate;
  gate.origin = place(value, document);
  document.gates.push_back(std::move(gate));
  return {};
}

Status gate_when(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(const std::size_t index, choice_of_key("gates[].when", value));
  document.gates.back().when = static_cast<Gate::When>(index);
  return {};
}

Status gate_host(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(document.gates.back().host, portless_host_of(value, HostContext::deny));
  return {};
}

Status gate_name(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(document.gates.back().name, filled_text(value));
  return {};
}

Status gate_method(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string method, method_of(value));
  document.gates.back().methods.push_back(std::move(method));
  return {};
}

Status gate_path(std::string_view, const Node& value, Document& document) {
  WARD_ASSIGN(std::string path, url_path_of(value));
  document.gates.back().paths.push_back(std::move(path));
  return {};
}

Status override_finding(std::string_view, const Node& value, Document& document) {
  WARD_TRY(choice_of(kAcceptable, value));
  if (document.origin.scope == Scope::workspace)
    return fail(invalid("a workspace's file cannot accept findings about itself",
                        "write overrides into the user's file, ~/.config/ward/ward.yaml"));
  document.overrides.push_back({value.text, place(value, document)});
  return {};
}

}  // namespace ward::policy::take
