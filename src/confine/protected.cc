// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/protected.h"

#include <array>

namespace ward::confine {

namespace {

constexpr std::string_view kShell = "a shell executes it when it starts";
constexpr std::string_view kGit = "git takes commands from it";
constexpr std::string_view kEditor = "an editor takes commands from it";
constexpr std::string_view kAgent = "an agent takes commands and permissions from it";
constexpr std::string_view kWard = "it is Ward's own policy";
constexpr std::string_view kSession = "the login session executes it";

// Not here, on purpose: .gitmodules (git ignores commands in it, and branches differ in it), .envrc
// (direnv asks again when its content changes), .husky and its like (git executes a folder only
// where core.hooksPath names it, and then it is protected as named), CLAUDE.md and AGENTS.md (text
// that an agent writes as part of its work), and all that only runs when a person builds the
// project.
constexpr std::array kProject = {
    ProtectedName{".aider.conf.yml", kAgent},
    ProtectedName{".bash_aliases", kShell},
    ProtectedName{".bash_login", kShell},
    ProtectedName{".bash_logout", kShell},
    ProtectedName{".bash_profile", kShell},
    ProtectedName{".bashrc", kShell},
    ProtectedName{".claude", kAgent},
    ProtectedName{".codex", kAgent},
    ProtectedName{".continue", kAgent},
    ProtectedName{".cshrc", kShell},
    ProtectedName{".cursor", kAgent},
    ProtectedName{".devcontainer", kEditor},
    ProtectedName{".devcontainer.json", kEditor},
    ProtectedName{".exrc", kEditor},
    ProtectedName{".fleet", kEditor},
    ProtectedName{".gemini", kAgent},
    ProtectedName{".gitconfig", kGit},
    ProtectedName{".idea", kEditor},
    ProtectedName{".inputrc", kShell},
    ProtectedName{".kiro", kAgent},
    ProtectedName{".kshrc", kShell},
    ProtectedName{".login", kShell},
    ProtectedName{".logout", kShell},
    ProtectedName{".mcp.json", kAgent},
    ProtectedName{".mkshrc", kShell},
    ProtectedName{".nvim.lua", kEditor},
    ProtectedName{".nvimrc", kEditor},
    ProtectedName{".opencode", kAgent},
    ProtectedName{".profile", kShell},
    ProtectedName{".ripgreprc", "ripgrep takes commands from it"},
    ProtectedName{".roo", kAgent},
    ProtectedName{".tcshrc", kShell},
    ProtectedName{".vimrc", kEditor},
    ProtectedName{".vscode", kEditor},
    ProtectedName{".windsurf", kAgent},
    ProtectedName{".zed", kEditor},
    ProtectedName{".zlogin", kShell},
    ProtectedName{".zlogout", kShell},
    ProtectedName{".zprofile", kShell},
    ProtectedName{".zshenv", kShell},
    ProtectedName{".zshrc", kShell},
    ProtectedName{"opencode.json", kAgent},
    ProtectedName{"ward.json", kWard},
    ProtectedName{"ward.yaml", kWard},
    ProtectedName{"ward.yml", kWard},
};

constexpr std::array kHome = {
    ProtectedName{".config/autostart", kSession},
    ProtectedName{".config/environment.d", kSession},
    ProtectedName{".config/fish", kShell},
    ProtectedName{".config/git", kGit},
    ProtectedName{".config/systemd", kSession},
    ProtectedName{".local/share/systemd", kSession},
    ProtectedName{".pam_environment", kSession},
    ProtectedName{".ssh", "ssh takes commands and keys from it"},
    ProtectedName{".xinitrc", kSession},
    ProtectedName{".xprofile", kSession},
    ProtectedName{".xsession", kSession},
    ProtectedName{".xsessionrc", kSession},
};

// Not here: info/attributes, which only names drivers that config has to define, and
// objects/info/alternates, which only adds objects to read.
constexpr std::array kGitFolder = {
    ProtectedName{"commondir", "git finds its configuration and hooks by it"},
    ProtectedName{"config", kGit},
    ProtectedName{"config.worktree", kGit},
    ProtectedName{"gitdir", "git finds a worktree by it"},
    ProtectedName{"hooks", "git executes what is in it"},
};

constexpr std::array<std::string_view, 32> kBase = {
    "/bin",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/sbin",
    "/usr",
};

}  // namespace

std::span<const ProtectedName> protected_project_names() { return kProject; }
std::span<const ProtectedName> protected_home_names() { return kHome; }
std::span<const ProtectedName> protected_git_names() { return kGitFolder; }
std::span<const std::string_view> base_readable() { return kBase; }

bool is_git_folder(const std::string& folder, PathResolver& resolver) {
  return resolver.look(join_path(folder, "HEAD")).kind != PathNode::Kind::absent &&
         resolver.look(join_path(folder, "objects")).kind != PathNode::Kind::absent &&
         resolver.look(join_path(folder, "refs")).kind != PathNode::Kind::absent;
}

void add_protected_project(std::vector<ProtectedPath>& out, const std::string& folder,
                           PathResolver& resolver) {
  for (const ProtectedName& row : kProject)
    out.push_back({join_path(folder, row.name), row.reason});
  // git takes a folder for a bare repository, and its config and hooks with it, by HEAD, objects
  // and refs together: without HEAD none can be made of this one. `objects`, `refs`, `config` and
  // `hooks` alone are ordinary names of projects.
  if (!is_git_folder(folder, resolver))
    out.push_back({join_path(folder, "HEAD"), "it would make a git folder of this one"});
}

void add_protected_home(std::vector<ProtectedPath>& out, const std::string& home) {
  for (const ProtectedName& row : kHome) out.push_back({join_path(home, row.name), row.reason});
}

}  // namespace ward::confine
