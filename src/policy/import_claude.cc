// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/import_writer.h"

namespace ward::policy {

namespace {

struct Reason {
  std::string_view name, why;
};

constexpr Reason kReasons[] = {
    {"failIfUnavailable", "always so: without its boundary nothing runs"},
    {"autoAllowBashIfSandboxed", "is about prompts, not about what a command can touch"},
    {"excludedCommands", "there is no way to run a command unconfined"},
    {"allowUnsandboxedCommands", "there is no way to run a command unconfined"},
    {"ignoreViolations", "a denial is always reported"},
    {"enableWeakerNestedSandbox", "there is no weaker form; what is missing is an error"},
    {"enableWeakerNetworkIsolation", "for macOS only"},
    {"allowAppleEvents", "for macOS only"},
    {"ripgrep", "no helper program is needed"},
    {"bwrapPath", "no helper program is needed"},
    {"socatPath", "no helper program is needed"},
};

class Importer {
 public:
  explicit Importer(ClaudeSettings kind) : base_(kind == ClaudeSettings::user ? "~/.claude" : "") {}

  Result<Imported> run(std::string_view name, const Node& root) {
    if (const Node* sandbox = root.find("sandbox")) section("sandbox", *sandbox);
    if (const Node* permissions = root.find("permissions"))
      for (const Member& member : permissions->members) rules(member.key, member.value);
    for (const Member& member : root.members)
      if (member.key != "sandbox" && member.key != "permissions" && member.key != "$schema")
        writer_.note(member.key, "is not about what a command can touch");
    writer_.note(
        "(environment)",
        "Claude Code passes every variable; here the core ones pass, and those in env.allow");
    return std::move(writer_).finish("Claude Code settings " + std::string(name));
  }

 private:
  void section(const std::string& prefix, const Node& node) {
    // Hosts first: credentials without hosts of their own take the allowed ones.
    for (const Member& member : node.members)
      if (member.key == "network")
        for (const Member& inner : member.value.members)
          if (!import_network_key(prefix + ".network." + inner.key, inner.key, inner.value,
                                  writer_))
            writer_.note(prefix + ".network." + inner.key, "unknown key");
    for (const Member& member : node.members)
      if (member.key != "network") sandbox_key(prefix + "." + member.key, member);
  }

  void sandbox_key(const std::string& key, const Member& member) {
    if (member.key == "filesystem") {
      for (const Member& inner : member.value.members)
        if (!import_filesystem_key(key + "." + inner.key, inner.key, inner.value, writer_, base_))
          writer_.note(key + "." + inner.key, "unknown key");
      return;
    }
    if (member.key == "credentials") return import_credentials(key, member.value, writer_);
    if (member.key == "enabled") {
      if (!is_true(member.value)) writer_.note(key, "there is no way to run a command unconfined");
      return;
    }
    for (const Reason& reason : kReasons)
      if (reason.name == member.key) return writer_.note(key, std::string(reason.why));
    writer_.note(key, "unknown key");
  }

  void rules(const std::string& verdict, const Node& value) {
    const std::string key = "permissions." + verdict;
    if (verdict != "allow" && verdict != "deny")
      return writer_.note(key, verdict == "ask"
                                   ? "nobody is asked while a command runs"
                                   : "is about prompts, not about what a command can touch");
    for (const std::string& rule : texts_of(value, key, writer_))
      one_rule(key + " " + rule, verdict == "allow", rule);
  }

  // "Tool(specifier)".
  void one_rule(const std::string& key, bool allow, const std::string& rule) {
    const std::size_t open = rule.find('(');
    const bool whole = open != std::string::npos && rule.ends_with(')');
    const std::string tool = rule.substr(0, open);
    const std::string inner = whole ? rule.substr(open + 1, rule.size() - open - 2) : "";
    if (tool == "WebFetch" && inner.starts_with("domain:"))
      return writer_.host(allow ? HostContext::allow : HostContext::deny, key, inner.substr(7));
    const bool edit = tool == "Edit" || tool == "Write" || tool == "MultiEdit";
    if (whole && !inner.empty() && (edit || (tool == "Read" && !allow)))
      return writer_.path(!edit   ? PathList::deny_read
                          : allow ? PathList::allow_write
                                  : PathList::deny_write,
                          key, path_of(inner), Spelling::pattern);
    if (tool == "Read") return writer_.note(key, "not needed: what nothing denies can be read");
    writer_.note(key, "is about prompts, not about what a command can touch");
  }

  // The spelling of permission rules: `//x` is absolute, `/x` starts at the settings' own folder, a
  // name without a slash is meant at any depth, as in a .gitignore.
  std::string path_of(const std::string& written) const {
    const std::string base = base_.empty() ? "" : base_ + "/";
    if (written.starts_with("//")) return written.substr(1);
    if (written.starts_with('/')) return base + written.substr(1);
    if (written.starts_with("~")) return written;
    if (written.starts_with("./")) return base + written.substr(2);
    const std::size_t slash = written.find('/');
    const bool name_only = slash == std::string::npos || slash + 1 == written.size();
    return base + (name_only ? "**/" + written : written);
  }

  std::string base_;
  ImportWriter writer_{"workspace"};
};

}  // namespace

Result<Imported> import_claude(std::string_view name, std::string_view text, ClaudeSettings kind) {
  WARD_ASSIGN(const Node root, read_json(name, text));
  if (root.kind != Node::Kind::mapping)
    return fail(syntax_error(name, root.line, "expected a mapping, found " + describe(root)));
  return Importer(kind).run(name, root);
}

}  // namespace ward::policy
