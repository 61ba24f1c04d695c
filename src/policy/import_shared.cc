// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The keys that Claude Code's sandbox section and srt's settings share.
#include <algorithm>
#include <span>

#include "policy/import_writer.h"

namespace ward::policy {

namespace {

struct Reason {
  std::string_view name, why;
};

constexpr Reason kNetwork[] = {
    {"deniedDomainReasons", "a denial names its rule; a text of its own has no place"},
    {"strictAllowlist", "always so: what is not allowed is denied"},
    {"allowManagedDomainsOnly",
     "put network.deny into the managed file instead: it cannot be reopened"},
    {"allowLocalBinding", "always so: the sandbox has a loopback of its own"},
    {"allowMachLookup", "for macOS only"},
    {"httpProxyPort", "the egress gateway is Ward's own"},
    {"socksProxyPort", "the egress gateway is Ward's own"},
    {"mitmProxy", "the egress gateway is Ward's own"},
    {"filterRequest", "a callback; network.rules narrows a host to methods and paths"},
    {"allowPlaintextHeaderSet", "belongs to filterRequest"},
    {"stripResponseHeaders", "belongs to filterRequest"},
    {"refuseOpaqueTunnels",
     "network.rules makes the gateway look into a host's requests, or refuse them"},
    {"requireHostMatch", "belongs to filterRequest"},
    {"ambiguousRequestTarget", "belongs to filterRequest"},
    {"tlsTerminate", "network.rules and secrets turn it on for the hosts that need it"},
    {"parentProxy", "the egress gateway connects by itself"},
};

bool noted(std::span<const Reason> reasons, std::string_view name, const std::string& key,
           ImportWriter& writer) {
  const auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const Reason& reason) { return reason.name == name; });
  if (found == reasons.end()) return false;
  writer.note(key, std::string(found->why));
  return true;
}

// A path as these tools write it: `//x` is absolute, a leading name is relative to `base`.
std::string in_our_spelling(const std::string& written, const std::string& base) {
  if (written.starts_with("//")) return written.substr(1);
  const bool relative =
      !written.empty() && std::string_view("/~").find(written[0]) == std::string_view::npos;
  if (!relative || base.empty()) return written;
  return base + "/" + (written.starts_with("./") ? written.substr(2) : written);
}

bool is_private_temp(const std::string& path) {
  return path == "/tmp" || path == "/tmp/claude" || path.starts_with("/tmp/claude/") ||
         path == "$TMPDIR";
}

void import_paths(PathList list, const std::string& key, const Node& value, ImportWriter& writer,
                  const std::string& base) {
  if (value.kind != Node::Kind::sequence)
    return writer.note(key, "expected a list, found " + describe(value));
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Node& item = value.items[i];
    const std::string where = key + "[" + std::to_string(i) + "]";
    const Node* path = item.kind == Node::Kind::mapping ? item.find("path") : &item;
    if (path == nullptr || path->kind != Node::Kind::string) {
      writer.note(where, "expected a path, found " + describe(item));
      continue;
    }
    const Node* literal = item.find("literal");
    if (list == PathList::allow_write && is_private_temp(path->text)) {
      writer.note(where, "not needed: a private temporary folder is always there");
      continue;
    }
    writer.path(list, where, in_our_spelling(path->text, base),
                literal != nullptr && is_true(*literal) ? Spelling::literal : Spelling::pattern);
  }
}

void import_credential_file(const std::string& key, const Node& item, ImportWriter& writer) {
  const Node* path = item.find("path");
  if (path == nullptr || path->kind != Node::Kind::string)
    return writer.note(key, "the key 'path' is missing");
  writer.path(PathList::deny_read, key, in_our_spelling(path->text, ""), Spelling::pattern);
  const Node* mode = item.find("mode");
  if (mode != nullptr && mode->text == "mask")
    writer.note(
        key, "a file is not masked but denied; the gateway holds a secret of a variable (secrets)");
}

void import_credential_variable(const std::string& key, const Node& item, ImportWriter& writer) {
  const Node* name = item.find("name");
  const Node* mode = item.find("mode");
  if (name == nullptr || name->kind != Node::Kind::string)
    return writer.note(key, "the key 'name' is missing");
  if (mode == nullptr || mode->text != "mask")
    return writer.note(key, "not needed: a variable that is not listed in env.allow does not pass");
  const Node* hosts = item.find("injectHosts");
  writer.secret(
      key, name->text,
      hosts != nullptr ? texts_of(*hosts, key + ".injectHosts", writer) : writer.allowed_hosts());
  for (const Member& member : item.members)
    if (member.key != "name" && member.key != "mode" && member.key != "injectHosts")
      writer.note(key + "." + member.key, "the whole value is the secret");
}

}  // namespace

bool import_network_key(const std::string& key, std::string_view name, const Node& value,
                        ImportWriter& writer) {
  if (name == "allowedDomains" || name == "deniedDomains" || name == "deniedResolvedAddresses") {
    const HostContext context = name == "allowedDomains" ? HostContext::allow : HostContext::deny;
    for (const std::string& host : texts_of(value, key, writer)) writer.host(context, key, host);
    return true;
  }
  if (name == "allowUnixSockets") {
    for (const std::string& path : texts_of(value, key, writer)) writer.unix_socket(key, path);
    return true;
  }
  if (name == "allowAllUnixSockets") {
    if (is_true(value))
      writer.note(key,
                  "the host's sockets are named one by one in network.unixSockets; those made "
                  "inside always work");
    return true;
  }
  return noted(kNetwork, name, key, writer);
}

bool import_filesystem_key(const std::string& key, std::string_view name, const Node& value,
                           ImportWriter& writer, const std::string& relative_base) {
  constexpr std::pair<std::string_view, PathList> kLists[] = {
      {"denyRead", PathList::deny_read},
      {"denyWrite", PathList::deny_write},
      {"allowRead", PathList::allow_read},
      {"allowWrite", PathList::allow_write}};
  for (const auto& [written, list] : kLists) {
    if (name != written) continue;
    import_paths(list, key, value, writer, relative_base);
    return true;
  }
  if (name == "disabled") {
    if (is_true(value))
      writer.note(key, "there is no way to run unconfined; widen filesystem.allowWrite");
    return true;
  }
  if (name == "allowGitConfig") {
    if (is_true(value))
      writer.note(key, ".git/config is always protected: git executes what stands in it");
    return true;
  }
  if (name == "allowManagedReadPathsOnly") {
    writer.note(key,
                "put filesystem.denyRead into the managed file instead: it cannot be reopened");
    return true;
  }
  return false;
}

void import_credentials(const std::string& key, const Node& value, ImportWriter& writer) {
  for (const Member& member : value.members) {
    const std::string where = key + "." + member.key;
    if (member.key != "files" && member.key != "envVars") {
      writer.note(where, "the gateway replaces a placeholder in one header; it signs nothing");
      continue;
    }
    for (std::size_t i = 0; i < member.value.items.size(); ++i) {
      const std::string item = where + "[" + std::to_string(i) + "]";
      if (member.key == "files")
        import_credential_file(item, member.value.items[i], writer);
      else
        import_credential_variable(item, member.value.items[i], writer);
    }
  }
}

}  // namespace ward::policy
