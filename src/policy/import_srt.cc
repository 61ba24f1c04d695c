// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/import_writer.h"

namespace ward::policy {

namespace {

struct Reason {
  std::string_view name, why;
};

constexpr Reason kReasons[] = {
    {"ignoreViolations", "a denial is always reported"},
    {"enableWeakerNestedSandbox", "there is no weaker form; what is missing is an error"},
    {"enableWeakerNetworkIsolation", "for macOS only"},
    {"allowAppleEvents", "for macOS only"},
    {"ripgrep", "no helper program is needed"},
    {"mandatoryDenySearchDepth", "not needed: the whole workspace is looked through"},
    {"allowPty", "always so: a command gets a terminal of its own"},
    {"seccomp", "no helper program is needed"},
    {"bwrapPath", "no helper program is needed"},
    {"socatPath", "no helper program is needed"},
    {"javaAgentJarPath", "no helper program is needed"},
    {"windows", "for Windows only"},
    {"git", "not needed: files keep their owner inside, so git trusts them"},
};

void root_key(const std::string& key, const Node& value, ImportWriter& writer) {
  if (key == "credentials") return import_credentials(key, value, writer);
  if (key == "allowNestedUserNamespaces") {
    if (is_true(value)) writer.nested_namespaces();
    return;
  }
  for (const Reason& reason : kReasons)
    if (reason.name == key) return writer.note(key, std::string(reason.why));
  writer.note(key, "unknown key; srt ignores it");
}

}  // namespace

Result<Imported> import_srt(std::string_view name, std::string_view text) {
  WARD_ASSIGN(const Node root, read_json(name, text));
  if (root.kind != Node::Kind::mapping)
    return fail(syntax_error(name, root.line, "expected a mapping, found " + describe(root)));
  ImportWriter writer("read-only");
  // Hosts first: credentials without hosts of their own take the allowed ones.
  for (const std::string_view section : {"network", "filesystem"}) {
    const Node* node = root.find(section);
    if (node == nullptr) continue;
    for (const Member& member : node->members) {
      const std::string key = std::string(section) + "." + member.key;
      const bool known = section == "network"
                             ? import_network_key(key, member.key, member.value, writer)
                             : import_filesystem_key(key, member.key, member.value, writer, "");
      if (!known) writer.note(key, "unknown key; srt ignores it");
    }
  }
  for (const Member& member : root.members)
    if (member.key != "network" && member.key != "filesystem")
      root_key(member.key, member.value, writer);
  writer.note("(environment)",
              "srt passes every variable; here the core ones pass, and those in env.allow");
  writer.note("(defaults)",
              "the profile read-only denies key stores and `.env` files, which srt lets be read");
  return std::move(writer).finish("srt settings " + std::string(name));
}

}  // namespace ward::policy
