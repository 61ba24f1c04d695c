// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Document: what one file says, before it is merged with the others. Every value is checked; tokens
// are not expanded. `said` lists the keys that stand in it, so that a key which may not count (a
// workspace widening without trust) is reported by its line. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/keys.h"
#include "policy/node.h"
#include "policy/path_entry.h"
#include "policy/policy.h"

namespace ward::policy {

// A list entry and its place, where Policy has no place for it.
template <class T>
struct Placed {
  T value;
  int line = 0;
};

struct PathRow {
  PathList list = PathList::deny_read;
  PathEntry entry;
  int line = 0;
};

struct SaidKey {
  const KeyRow* row = nullptr;
  int line = 0;
};

struct Document {
  Origin origin;  // file and scope; line 0
  std::string extends;
  int extends_line = 0;
  std::optional<DefaultAccess> default_access;
  std::optional<ProtectMechanism> protect;
  std::vector<PathRow> paths;
  std::vector<HostRule> allow, deny;
  std::vector<std::string> presets;
  std::map<std::string, Origin> preset_origins;
  std::vector<RequestRule> request_rules;
  std::vector<Placed<PathEntry>> unix_sockets;
  std::vector<std::uint16_t> host_ports;
  std::vector<Secret> secrets;
  std::vector<std::string> ssh_agent_hosts;
  std::optional<EnvInherit> env_inherit;
  std::vector<std::string> env_allow;
  std::map<std::string, std::string> env_set;
  Limits limits;
  std::vector<std::uint16_t> publish;
  Lifetime lifetime;
  std::optional<SyscallProfile> seccomp;
  std::optional<bool> nested_namespaces;
  std::vector<int> pass_fds;
  std::optional<Container> container;
  std::vector<Gate> gates;
  std::vector<Override> overrides;
  std::vector<SaidKey> said;
};

// Reads one document of version 1. Errors read "file:line: path: message".
Result<Document> parse_document(const Origin& origin, std::string_view text);
Result<Document> parse_document(const Origin& origin, const Node& root);

}  // namespace ward::policy
