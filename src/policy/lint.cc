// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/lint.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "policy/explain.h"
#include "policy/network_decision.h"
#include "policy/path_decision.h"
#include "policy/path_entry.h"

namespace ward::policy {

namespace {

using enum Severity;

// Sorted by id.
constexpr FindingKind kKinds[] = {
    {"broad-env", note, "every variable of the caller reaches the command, API keys too"},
    {"command-folder-in-workspace", note,
     "a folder of PATH can be written: what is put there runs outside later"},
    {"credentials-with-network", refused, "a key store can be read while hosts can be reached"},
    {"nested-namespaces", note,
     "the command may make namespaces, which opens more of the kernel to it"},
    {"powerful-socket", refused, "a socket of the host that gives more than the policy does"},
    {"readable-credentials", note, "a key store can be read"},
    {"rule-without-host", mistake, "a rule or a secret speaks of a host that nothing allows"},
    {"shadowed-rule", mistake, "a rule that can never decide anything"},
    {"wide-network", refused, "a block of addresses that is larger than an organisation"},
    {"workspace-is-home", refused, "the workspace is the home folder or holds it"},
    {"workspace-is-root", refused, "the workspace is /"},
    {"writable-command-folder", refused,
     "a folder of programs can be written: what is put there runs outside later"},
    {"writable-home", refused, "the whole home folder can be written"},
    {"writable-root", refused, "everything can be written"},
    {"writable-startup-file", refused,
     "a file that a shell or a tool executes later, outside, can be written"},
    {"writable-system", refused, "a folder of the system can be written"},
    {"writable-temp", refused,
     "the host's temporary folder, which other programs use, can be written"},
};

constexpr std::string_view kSystemFolders[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/boot", "/opt",
    "/var", "/run", "/proc", "/sys", "/dev",   "/home",  "/srv",    "/mnt", "/media"};
// Below these nothing is anybody's work either.
constexpr std::string_view kSystemTrees[] = {"/usr",   "/bin",   "/sbin",   "/lib",
                                             "/lib32", "/lib64", "/libx32", "/etc",
                                             "/boot",  "/proc",  "/sys",    "/dev"};
constexpr std::string_view kTemporary[] = {"/tmp", "/var/tmp", "/dev/shm"};
constexpr std::string_view kCommandFolders[] = {
    "bin",    ".local/bin", ".cargo/bin", "go/bin",   ".npm-global/bin",   ".nvm",
    ".pyenv", ".rustup",    ".rbenv",     ".sdkman",  ".local/share/mise", ".asdf",
    ".volta", ".deno/bin",  ".bun/bin",   ".npm/_npx"};
constexpr std::string_view kStartupFiles[] = {".bashrc",
                                              ".bash_profile",
                                              ".bash_login",
                                              ".bash_logout",
                                              ".bash_aliases",
                                              ".profile",
                                              ".zshrc",
                                              ".zshenv",
                                              ".zprofile",
                                              ".zlogin",
                                              ".zlogout",
                                              ".inputrc",
                                              ".config/fish/config.fish",
                                              ".config/nushell/config.nu",
                                              ".gitconfig",
                                              ".config/git/config",
                                              ".config/git/hooks",
                                              ".ssh/authorized_keys",
                                              ".ssh/config",
                                              ".ssh/rc",
                                              ".config/autostart/x.desktop",
                                              ".config/systemd/user/x.service",
                                              ".config/environment.d/x.conf",
                                              ".pam_environment",
                                              ".xinitrc",
                                              ".xprofile",
                                              ".xsessionrc",
                                              ".vimrc",
                                              ".config/nvim/init.lua",
                                              ".emacs",
                                              ".tmux.conf",
                                              ".npmrc",
                                              ".config/pip/pip.conf",
                                              ".cargo/config.toml",
                                              ".claude/settings.json",
                                              ".codex/config.toml",
                                              ".local/share/applications/x.desktop"};
constexpr std::string_view kKeyStores[] = {".ssh/id_rsa",
                                           ".ssh/id_ed25519",
                                           ".gnupg/private-keys-v1.d",
                                           ".aws/credentials",
                                           ".azure",
                                           ".config/gcloud",
                                           ".kube/config",
                                           ".docker/config.json",
                                           ".config/gh/hosts.yml",
                                           ".netrc",
                                           ".git-credentials",
                                           ".config/git/credentials",
                                           ".npmrc",
                                           ".pypirc",
                                           ".cargo/credentials.toml",
                                           ".password-store",
                                           ".local/share/keyrings",
                                           ".mozilla",
                                           ".config/google-chrome",
                                           ".config/chromium",
                                           ".claude/.credentials.json",
                                           ".codex/auth.json",
                                           ".vault-token"};
constexpr std::string_view kPowerfulSockets[] = {"docker.sock",
                                                 "podman.sock",
                                                 "containerd.sock",
                                                 "crio.sock",
                                                 "buildkitd.sock",
                                                 "libvirt-sock",
                                                 "system_bus_socket",
                                                 "bus",
                                                 "private",
                                                 "snapd.socket",
                                                 "lxd/unix.socket",
                                                 "incus/unix.socket",
                                                 "S.gpg-agent",
                                                 "S.gpg-agent.extra",
                                                 "S.gpg-agent.ssh",
                                                 "wayland-0",
                                                 "wayland-1",
                                                 "X0",
                                                 "X1"};

class Linter {
 public:
  Linter(const Policy& policy, const Place& place)
      : policy_(policy), place_(place), decider_(policy.filesystem) {}

  std::vector<Finding> run() {
    workspaces();
    for (const PathRule& rule : policy_.filesystem.rules)
      if (rule.list == PathList::allow_write) writable(rule);
    home_files();
    key_stores();
    shadowed_paths();
    network();
    sockets();
    others();
    return std::move(findings_);
  }

 private:
  void add(std::string_view id, const Origin& origin, std::string message, std::string remedy) {
    const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                          [&](const FindingKind& k) { return k.id == id; });
    Finding finding{std::string(id),    kind->severity,    origin,
                    std::move(message), std::move(remedy), nullptr};
    if (finding.severity == refused)
      for (const Override& accepted : policy_.overrides)
        if (accepted.finding == id && accepted.origin.scope != Scope::workspace)
          finding.accepted_by = &accepted;
    findings_.push_back(std::move(finding));
  }

  Verdict write_of(const std::string& path) const { return decider_.decide(path).write; }
  std::string in_home(std::string_view name) const { return place_.home + "/" + std::string(name); }
  bool is_workspace(std::string_view path) const {
    return std::find(place_.workspaces.begin(), place_.workspaces.end(), path) !=
           place_.workspaces.end();
  }

  void workspaces() {
    constexpr const char* kRemedy =
        "start ward in the project's own folder, or name it with --workspace";
    for (const std::string& workspace : place_.workspaces) {
      const Origin origin{"workspace " + workspace, 0, Scope::user};
      if (workspace == "/")
        add("workspace-is-root", origin, "the workspace is /", kRemedy);
      else if (is_within(place_.home, workspace))
        add("workspace-is-home", origin, "the workspace " + workspace + " holds the home folder",
            kRemedy);
    }
  }

  // The workspace's own rule says nothing that workspaces() has not said.
  void writable(const PathRule& rule) {
    if (is_workspace(rule.pattern) || !reaches(rule)) return;
    const std::string text = describe(rule);
    const std::string_view path = rule.pattern;
    if (rule.literal && path == "/")
      return add("writable-root", rule.origin, text, "name the folders that are needed");
    if (is_within(place_.home, path) || covers_all_of(rule, place_.home))
      return add("writable-home", rule.origin, text, "name the folders below it that are needed");
    if (path == place_.temp ||
        std::find(std::begin(kTemporary), std::end(kTemporary), path) != std::end(kTemporary))
      return add("writable-temp", rule.origin, text,
                 "leave it out: a private temporary folder is always there");
    for (const std::string_view folder : kSystemFolders)
      if (path == folder || covers_all_of(rule, std::string(folder)))
        return add("writable-system", rule.origin, text, "name the folder below it that is needed");
    for (const std::string_view tree : kSystemTrees)
      if (is_within(path, tree)) return add("writable-system", rule.origin, text, "leave it out");
  }

  // Whether the rule decides anywhere: a deny on the same path may have undone it.
  bool reaches(const PathRule& rule) const {
    return !rule.literal || write_of(rule.pattern).allowed;
  }

  // A wildcard that matches any new name in `folder`.
  static bool covers_all_of(const PathRule& rule, const std::string& folder) {
    return !rule.literal &&
           match_depth(rule, (folder == "/" ? "" : folder) + "/.ward-any-name").has_value();
  }

  bool home_is_writable() const { return write_of(place_.home).allowed; }

  void home_files() {
    if (home_is_writable()) return;  // said already
    for (const std::string_view name : kStartupFiles)
      writable_file("writable-startup-file", in_home(name), "is executed outside later");
    std::vector<std::string> folders;
    for (const std::string_view name : kCommandFolders) folders.push_back(in_home(name));
    for (const std::string& folder : place_.command_folders)
      if (std::find(folders.begin(), folders.end(), folder) == folders.end())
        folders.push_back(folder);
    for (const std::string& folder : folders) {
      const auto holds = [&](const std::string& workspace) { return is_within(folder, workspace); };
      const bool inside = std::any_of(place_.workspaces.begin(), place_.workspaces.end(), holds);
      const auto* const listed =
          std::find(place_.command_folders.data(),
                    place_.command_folders.data() + place_.command_folders.size(), folder);
      const bool in_path = listed != place_.command_folders.data() + place_.command_folders.size();
      if (!inside)
        writable_file("writable-command-folder", folder, "holds programs that run outside");
      else if (in_path)
        writable_file("command-folder-in-workspace", folder,
                      "is in PATH, so what is put there runs outside");
    }
  }

  // Quickly, for the many files that no rule could make writable.
  bool may_be_writable(std::string_view path) const {
    const std::vector<PathRule>& rules = policy_.filesystem.rules;
    return std::any_of(rules.begin(), rules.end(), [&](const PathRule& rule) {
      return rule.list == PathList::allow_write && (!rule.literal || is_within(path, rule.pattern));
    });
  }

  void writable_file(std::string_view id, const std::string& path, const char* why) {
    if (!may_be_writable(path)) return;
    const Verdict verdict = write_of(path);
    if (!verdict.allowed || verdict.rule == nullptr) return;
    add(id, verdict.rule->origin,
        describe(*verdict.rule) + " lets " + path + " be written, which " + why,
        "add denyWrite for it, or name what is needed more narrowly");
  }

  void key_stores() {
    const bool reaches_hosts = policy_.network.allows_anything();
    for (const std::string_view name : kKeyStores) {
      // What is not there has no rule of its own in the profile, either.
      if (place_.home_names && !place_.home_names->may_exist(name)) continue;
      const std::string path = in_home(name);
      const Verdict verdict = decider_.decide(path).read;
      if (!verdict.allowed) continue;
      const Origin origin =
          verdict.rule != nullptr ? verdict.rule->origin : Origin{"the default", 0, Scope::user};
      add(reaches_hosts ? "credentials-with-network" : "readable-credentials", origin,
          path + " can be read" + (reaches_hosts ? " while hosts can be reached" : ""),
          "add denyRead for it, or let the gateway hold the secret (secrets, sshAgent)");
    }
  }

  // A literal rule that does not decide about its own path: the rule that does is as specific or
  // final, so it decides below as well.
  void shadowed_paths() {
    for (const PathRule& rule : policy_.filesystem.rules) {
      if (!rule.literal || is_built_in(rule)) continue;
      const PathVerdict verdict = decider_.decide(rule.pattern);
      const bool write = rule.list == PathList::allow_write || rule.list == PathList::deny_write;
      const Verdict& own = write ? verdict.write : verdict.read;
      const bool allows = rule.list == PathList::allow_read || rule.list == PathList::allow_write;
      if (own.allowed == allows || own.rule == nullptr) continue;
      add("shadowed-rule", rule.origin,
          describe(rule) + " never decides: " + describe(*own.rule) + " does",
          own.rule->origin.scope > rule.origin.scope
              ? "remove it; a deny of a higher scope is final"
              : "name a path below it, where the more specific rule wins");
    }
  }

  void network() {
    const NetworkDecider decider(policy_.network);
    for (const HostRule& rule : policy_.network.allow) {
      if (wide_block(rule.host))
        add("wide-network", rule.origin, "network.allow " + rule.host,
            "name smaller blocks or hosts");
      for (const HostRule& deny : policy_.network.deny)
        if ((!deny.port || deny.port == rule.port) && covers(deny.host, rule.host)) {
          add("shadowed-rule", rule.origin,
              "network.allow " + rule.host + " never decides: deny " + deny.host + " (" +
                  deny.origin.describe() + ") does",
              "remove one of the two");
          break;
        }
    }
    for (const RequestRule& rule : policy_.network.rules)
      if (!is_allowed(rule.host))
        add("rule-without-host", rule.origin,
            "network.rules narrows " + rule.host + ", which nothing allows",
            "add the host to network.allow");
    for (const Secret& secret : policy_.secrets)
      for (const std::string& host : secret.hosts)
        if (!is_allowed(host))
          add("rule-without-host", secret.origin,
              "the secret " + secret.name + " is for " + host + ", which nothing allows",
              "add the host to network.allow");
  }

  // Whether everything that `inner` matches, `outer` matches too.
  static bool covers(std::string_view outer, std::string_view inner) {
    if (outer == inner || outer == "*") return true;
    if (inner.starts_with("**."))
      return outer.starts_with("**.") && host_matches(outer, inner.substr(3));
    if (inner.starts_with("*."))  // any name below it stands for all
      return outer.starts_with('*') && host_matches(outer, "x" + std::string(inner.substr(1)));
    return inner.find('/') == std::string_view::npos && host_matches(outer, inner);
  }

  bool is_allowed(std::string_view host) const {
    if (!policy_.network.presets.empty()) return true;  // they may add it at run time
    const auto meets = [&](const HostRule& rule) {
      return covers(rule.host, host) || covers(host, rule.host);
    };
    return std::any_of(policy_.network.allow.begin(), policy_.network.allow.end(), meets);
  }

  static bool wide_block(std::string_view host) {
    const std::size_t slash = host.find('/');
    if (slash == std::string_view::npos) return false;
    unsigned prefix = 0;
    std::from_chars(host.data() + slash + 1, host.data() + host.size(), prefix);
    return prefix < (host.find(':') == std::string_view::npos ? 8U : 16U);
  }

  void sockets() {
    for (const UnixSocketRule& rule : policy_.network.unix_sockets)
      for (const std::string_view name : kPowerfulSockets)
        if (rule.path.ends_with("/" + std::string(name)))
          add("powerful-socket", rule.origin, "unixSockets " + rule.path,
              "leave it out: whoever can talk to it is not confined by this policy");
  }

  void others() {
    const Origin origin = policy_.sources.empty() ? Origin{} : policy_.sources.front();
    if (policy_.env.inherit == EnvInherit::all)
      add("broad-env", origin, "env.inherit: all", "name the variables in env.allow");
    if (policy_.process.nested_namespaces)
      add("nested-namespaces", origin, "process.nestedNamespaces: true",
          "leave it out if nothing needs it");
  }

  const Policy& policy_;
  const Place& place_;
  PathDecider decider_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case note: return "note";
    case mistake: return "mistake";
    case refused: return "refused";
  }
  return "refused";
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

std::vector<Finding> lint(const Policy& policy, const Place& place) {
  return Linter(policy, place).run();
}

Status refuse(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    if (finding.severity == Severity::refused && finding.accepted_by == nullptr)
      return fail(Error(ErrorKind::invalid,
                        finding.origin.describe() + ": " + finding.id + ": " + finding.message)
                      .with_remedy(finding.remedy + "; or accept it with overrides: [" +
                                   finding.id + "] in ~/.config/ward/ward.yaml"));
  return {};
}

}  // namespace ward::policy
