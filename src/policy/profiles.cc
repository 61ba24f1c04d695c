// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/profiles.h"

#include <algorithm>
#include <array>

#include "policy/yaml_writer.h"

namespace ward::policy {

namespace {

constexpr std::array kProfiles = {Profile::locked, Profile::read_only, Profile::workspace};

// --- what can be written (workspace) ---

constexpr std::string_view kWorkspace[] = {"."};

// Data that tools fetch or compile, and check or rebuild by themselves. Not here on purpose,
// because something outside runs it as it stands: ~/.local/bin, ~/.cargo/bin, ~/go/bin,
// ~/.npm/_npx,
// ~/.cache/pre-commit, ~/.cache/node/corepack, ~/.gradle/wrapper, ~/.rustup, ~/.nvm, ~/.pyenv.
constexpr std::string_view kCaches[] = {
    "~/.npm/_cacache",
    "~/.npm/_logs",
    "~/.cache/pip",
    "~/.cache/uv",
    "~/.cache/yarn",
    "~/.cache/ccache",
    "~/.ccache",
    "~/.cache/sccache",
    "~/.cache/go-build",
    "~/go/pkg",
    "~/.cargo/registry",
    "~/.cargo/git",
    "~/.cargo/.package-cache",
    "~/.cargo/.package-cache-mutate",
    "~/.cargo/.global-cache",
    "~/.m2/repository",
    "~/.gradle/caches",
    "~/.gradle/daemon",
};

// --- what `locked` can read ---

constexpr std::string_view kSystem[] = {"/usr",   "/bin",       "/sbin",     "/lib",
                                        "/lib32", "/lib64",     "/libx32",   "/etc",
                                        "/opt",   "/nix/store", "/gnu/store"};

// --- what of the home folder can be read (read-only, workspace) ---
//
// The home folder itself is hidden: it holds other projects with their `.env` files, mail,
// documents and the credentials of programs that nobody listed. What follows is re-opened:
// toolchains, their settings, and the folders that the caller's PATH and toolchain variables name
// (@programs). Start-up files of shells are not here: many people export keys in them.

constexpr std::string_view kHome[] = {"~"};

constexpr std::string_view kPrograms[] = {"@programs"};

constexpr std::string_view kToolchains[] = {"~/bin",
                                            "~/.local/bin",
                                            "~/.local/lib",
                                            "~/.local/libexec",
                                            "~/.nix-profile",
                                            "~/.linuxbrew",
                                            "~/.local/share/man",
                                            "~/.local/include",
                                            "~/.local/share/pkgconfig",
                                            "~/.asdf",
                                            "~/.local/share/mise",
                                            "~/.local/share/rtx",
                                            "~/.proto",
                                            "~/.nvm",
                                            "~/.fnm",
                                            "~/.local/share/fnm",
                                            "~/.volta",
                                            "~/.nodenv",
                                            "~/.n",
                                            "~/.npm",
                                            "~/.npm-global",
                                            "~/.npm-packages",
                                            "~/.node-gyp",
                                            "~/.pnpm",
                                            "~/.pnpm-store",
                                            "~/.local/share/pnpm",
                                            "~/.yarn",
                                            "~/.bun",
                                            "~/.deno",
                                            "~/.pyenv",
                                            "~/.rye",
                                            "~/.local/share/uv",
                                            "~/.local/share/pipx",
                                            "~/.local/pipx",
                                            "~/.virtualenvs",
                                            "~/.local/share/virtualenvs",
                                            "~/.conda",
                                            "~/miniconda3",
                                            "~/anaconda3",
                                            "~/miniforge3",
                                            "~/mambaforge",
                                            "~/micromamba",
                                            "~/.rustup",
                                            "~/.cargo",
                                            "~/go",
                                            "~/.goenv",
                                            "~/.gvm",
                                            "~/sdk",
                                            "~/.sdkman",
                                            "~/.jenv",
                                            "~/.jdks",
                                            "~/.m2",
                                            "~/.gradle",
                                            "~/.ivy2",
                                            "~/.sbt",
                                            "~/.coursier",
                                            "~/.rbenv",
                                            "~/.rvm",
                                            "~/.gem",
                                            "~/.bundle",
                                            "~/.local/share/gem",
                                            "~/.composer/vendor",
                                            "~/.config/composer/vendor",
                                            "~/.opam",
                                            "~/.ghcup",
                                            "~/.cabal",
                                            "~/.stack",
                                            "~/.elan",
                                            "~/.juliaup",
                                            "~/.julia",
                                            "~/.dotnet",
                                            "~/.nuget",
                                            "~/.swiftly",
                                            "~/.local/share/swiftly",
                                            "~/.pub-cache",
                                            "~/Android/Sdk",
                                            "~/.platformio",
                                            "~/.espressif",
                                            "~/.vcpkg",
                                            "~/.conan2",
                                            "~/.conan",
                                            "~/.ccache",
                                            "~/.tfenv",
                                            "~/.cmake",
                                            "~/.oh-my-zsh",
                                            "~/.terminfo",
                                            "~/.vim",
                                            "~/.config/nvim",
                                            "~/.local/share/cmake"};

constexpr std::string_view kToolCachesRead[] = {"~/.cache/pip",           "~/.cache/uv",
                                                "~/.cache/pypoetry",      "~/.cache/pipenv",
                                                "~/.cache/pre-commit",    "~/.cache/mypy",
                                                "~/.cache/ruff",          "~/.cache/node",
                                                "~/.cache/node-gyp",      "~/.cache/yarn",
                                                "~/.cache/pnpm",          "~/.cache/typescript",
                                                "~/.cache/turbo",         "~/.cache/deno",
                                                "~/.cache/electron",      "~/.cache/Cypress",
                                                "~/.cache/ms-playwright", "~/.cache/puppeteer",
                                                "~/.cache/ccache",        "~/.cache/sccache",
                                                "~/.cache/go-build",      "~/.cache/golangci-lint",
                                                "~/.cache/bazel",         "~/.cache/bazelisk",
                                                "~/.cache/coursier",      "~/.cache/composer",
                                                "~/.cache/zig",           "~/.cache/clangd",
                                                "~/.cache/huggingface",   "~/.cache/fontconfig"};

constexpr std::string_view kToolSettings[] = {"~/.gitconfig",
                                              "~/.config/git",
                                              "~/.gitignore",
                                              "~/.gitignore_global",
                                              "~/.gitattributes",
                                              "~/.ssh/known_hosts",
                                              "~/.ssh/config",
                                              "~/.editorconfig",
                                              "~/.inputrc",
                                              "~/.tool-versions",
                                              "~/.asdfrc",
                                              "~/.config/mise",
                                              "~/.nvmrc",
                                              "~/.node-version",
                                              "~/.python-version",
                                              "~/.ruby-version",
                                              "~/.java-version",
                                              "~/.config/npm",
                                              "~/.config/yarn",
                                              "~/.config/pnpm",
                                              "~/.yarnrc",
                                              "~/.config/pip",
                                              "~/.pip",
                                              "~/.config/uv",
                                              "~/.pydistutils.cfg",
                                              "~/.condarc",
                                              "~/.config/matplotlib",
                                              "~/.config/go",
                                              "~/.mavenrc",
                                              "~/.gemrc",
                                              "~/.irbrc",
                                              "~/.config/ccache",
                                              "~/.config/clangd",
                                              "~/.clang-format",
                                              "~/.clang-tidy",
                                              "~/.gdbinit",
                                              "~/.config/gdb",
                                              "~/.ripgreprc",
                                              "~/.config/ripgrep",
                                              "~/.config/fd",
                                              "~/.config/bat",
                                              "~/.vimrc",
                                              "~/.tmux.conf",
                                              "~/.config/starship.toml",
                                              "~/.config/htop"};

// --- what cannot be read ---

constexpr std::string_view kSsh[] = {"~/.ssh",        "~/.gnupg",       "~/.putty",
                                     "~/.config/age", "~/.config/sops", "~/.pki"};
constexpr std::string_view kForges[] = {"~/.netrc",
                                        "~/.git-credentials",
                                        "~/.config/git/credentials",
                                        "~/.cache/git/credential",
                                        "~/.git-credential-cache",
                                        "~/.config/gh",
                                        "~/.config/hub",
                                        "~/.config/glab-cli",
                                        "~/.config/tea",
                                        "~/.authinfo",
                                        "~/.authinfo.gpg"};
constexpr std::string_view kClouds[] = {"~/.aws",
                                        "~/.azure",
                                        "~/.config/gcloud",
                                        "~/.boto",
                                        "~/.kube",
                                        "~/.docker",
                                        "~/.config/containers/auth.json",
                                        "~/.config/helm",
                                        "~/.minikube",
                                        "~/.terraformrc",
                                        "~/.terraform.d/credentials.tfrc.json",
                                        "~/.pulumi",
                                        "~/.vault-token",
                                        "~/.oci",
                                        "~/.aliyun",
                                        "~/.bluemix",
                                        "~/.config/doctl",
                                        "~/.config/hcloud",
                                        "~/.config/linode-cli",
                                        "~/.fly",
                                        "~/.config/netlify",
                                        "~/.local/share/com.vercel.cli",
                                        "~/.wrangler",
                                        "~/.config/.wrangler",
                                        "~/.cloudflared",
                                        "~/.config/ngrok",
                                        "~/.ngrok2",
                                        "~/.config/rclone",
                                        "~/.s3cfg",
                                        "~/.passwd-s3fs",
                                        "~/.databrickscfg",
                                        "~/.snowsql",
                                        "~/.config/argocd",
                                        "~/.talos",
                                        "~/.config/stripe",
                                        "~/.sentryclirc",
                                        "~/.kaggle",
                                        "~/.cache/huggingface/token",
                                        "~/.cache/huggingface/stored_tokens"};
constexpr std::string_view kRegistries[] = {"~/.npmrc",
                                            "~/.yarnrc.yml",
                                            "~/.pypirc",
                                            "~/.config/pypoetry/auth.toml",
                                            "~/.cargo/credentials",
                                            "~/.cargo/credentials.toml",
                                            "~/.m2/settings-security.xml",
                                            "~/.gem/credentials",
                                            "~/.composer/auth.json",
                                            "~/.config/composer/auth.json"};
constexpr std::string_view kDatabases[] = {"~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf"};
constexpr std::string_view kAgents[] = {"~/.claude.json",
                                        "~/.claude/.credentials.json",
                                        "~/.claude/projects",
                                        "~/.claude/history.jsonl",
                                        "~/.claude/file-history",
                                        "~/.codex/auth.json",
                                        "~/.codex/sessions",
                                        "~/.codex/history.jsonl",
                                        "~/.gemini",
                                        "~/.qwen",
                                        "~/.config/github-copilot",
                                        "~/.copilot",
                                        "~/.cursor/mcp.json",
                                        "~/.config/cursor",
                                        "~/.config/Cursor",
                                        "~/.codeium",
                                        "~/.continue",
                                        "~/.config/goose",
                                        "~/.local/share/opencode",
                                        "~/.aider.conf.yml",
                                        "~/.config/io.datasette.llm"};
constexpr std::string_view kBrowsers[] = {"~/.mozilla",
                                          "~/.thunderbird",
                                          "~/.librewolf",
                                          "~/.waterfox",
                                          "~/.config/google-chrome",
                                          "~/.config/google-chrome-beta",
                                          "~/.config/google-chrome-unstable",
                                          "~/.config/chromium",
                                          "~/.config/BraveSoftware",
                                          "~/.config/microsoft-edge",
                                          "~/.config/vivaldi",
                                          "~/.config/opera",
                                          "~/.cache/mozilla",
                                          "~/.cache/google-chrome",
                                          "~/.cache/chromium",
                                          "~/snap/firefox",
                                          "~/snap/chromium",
                                          "~/snap/brave",
                                          "~/snap/thunderbird",
                                          "~/snap/bitwarden",
                                          "~/.var/app",
                                          "~/.config/Code",
                                          "~/.config/JetBrains",
                                          "~/.config/Slack",
                                          "~/.config/discord",
                                          "~/.config/Signal",
                                          "~/.local/share/TelegramDesktop"};
constexpr std::string_view kPasswords[] = {"~/.local/share/keyrings", "~/.local/share/kwalletd",
                                           "~/.password-store",       "~/.config/op",
                                           "~/.config/1Password",     "~/.config/Bitwarden",
                                           "~/.config/Bitwarden CLI", "~/.config/keepassxc",
                                           "~/.config/KeePass"};
constexpr std::string_view kMail[] = {
    "~/.msmtprc",       "~/.config/msmtp",   "~/.fetchmailrc",    "~/.mbsyncrc",
    "~/.offlineimaprc", "~/.smbcredentials", "~/.config/remmina", "~/.config/filezilla",
    "~/.Xauthority",    "~/.ICEauthority"};
constexpr std::string_view kHistories[] = {"~/.bash_history",
                                           "~/.bash_sessions",
                                           "~/.zsh_history",
                                           "~/.zsh_sessions",
                                           "~/.zhistory",
                                           "~/.histfile",
                                           "~/.history",
                                           "~/.sh_history",
                                           "~/.ksh_history",
                                           "~/.mksh_history",
                                           "~/.local/share/fish/fish_history",
                                           "~/.local/share/xonsh",
                                           "~/.config/nushell/history.txt",
                                           "~/.config/nushell/history.sqlite3",
                                           "~/.local/share/atuin",
                                           "~/.local/share/powershell/PSReadLine",
                                           "~/.python_history",
                                           "~/.ipython/profile_default/history.sqlite",
                                           "~/.node_repl_history",
                                           "~/.psql_history",
                                           "~/.mysql_history",
                                           "~/.mariadb_history",
                                           "~/.sqlite_history",
                                           "~/.rediscli_history",
                                           "~/.dbshell",
                                           "~/.mongodb",
                                           "~/.irb_history",
                                           "~/.pry_history",
                                           "~/.Rhistory",
                                           "~/.scala_history",
                                           "~/.gdb_history",
                                           "~/.lldb",
                                           "~/.lesshst",
                                           "~/.viminfo",
                                           "~/.local/share/nvim/shada",
                                           "~/.local/state/nvim/shada"};
// `.env.example` and its like stay readable: they are made to be read.
constexpr std::string_view kEnvFiles[] = {"**/.env", "**/.env.local", "**/.env.*.local"};
constexpr std::string_view kSystemKeys[] = {"/etc/shadow",
                                            "/etc/shadow-",
                                            "/etc/gshadow",
                                            "/etc/gshadow-",
                                            "/etc/sudoers",
                                            "/etc/sudoers.d",
                                            "/etc/ssh/ssh_host_*_key",
                                            "/etc/ssl/private",
                                            "/etc/krb5.keytab",
                                            "/etc/wireguard",
                                            "/etc/openvpn",
                                            "/etc/ppp/chap-secrets",
                                            "/etc/NetworkManager/system-connections",
                                            "/etc/kubernetes",
                                            "/etc/rancher",
                                            "/var/lib/kubelet",
                                            "/var/spool/cron"};

constexpr auto kLocked = Profile::locked;
constexpr auto kReadOnly = Profile::read_only;
constexpr auto kWide = Profile::workspace;
constexpr auto kDeny = PathList::deny_read;

constexpr ProfileRows kRows[] = {
    {kWide, kWide, PathList::allow_write, false, "the workspace", kWorkspace},
    {kWide, kWide, PathList::allow_write, false,
     "what toolchains fetch or compile; nothing that is run as it stands", kCaches},
    {kLocked, kReadOnly, PathList::allow_read, false, "the workspace", kWorkspace},
    {kLocked, kLocked, PathList::allow_read, false, "the system's programs and their configuration",
     kSystem},
    {kReadOnly, kWide, kDeny, false, "the home folder, but for what allowRead re-opens", kHome},
    {kReadOnly, kWide, PathList::allow_read, false,
     "the folders below the home folder that PATH and the toolchains' variables name", kPrograms},
    {kReadOnly, kWide, PathList::allow_read, false, "toolchains below the home folder",
     kToolchains},
    {kReadOnly, kWide, PathList::allow_read, false, "caches of toolchains", kToolCachesRead},
    {kReadOnly, kWide, PathList::allow_read, false, "settings of tools", kToolSettings},
    {kLocked, kWide, kDeny, false, "private keys", kSsh},
    {kLocked, kWide, kDeny, false, "credentials of git and of code forges", kForges},
    {kLocked, kWide, kDeny, false, "credentials of clouds, clusters and services", kClouds},
    {kLocked, kWide, kDeny, false, "credentials of package registries", kRegistries},
    {kLocked, kWide, kDeny, false, "credentials of databases", kDatabases},
    {kLocked, kWide, kDeny, false, "credentials and transcripts of agents", kAgents},
    {kLocked, kWide, kDeny, false, "profiles and caches of browsers, editors and messengers",
     kBrowsers},
    {kLocked, kWide, kDeny, false, "password stores and keyrings", kPasswords},
    {kLocked, kWide, kDeny, false, "credentials of mail, shares, remote desktops and the X server",
     kMail},
    {kLocked, kWide, kDeny, false, "histories of shells, interpreters and pagers", kHistories},
    {kLocked, kWide, kDeny, false, "environment files", kEnvFiles},
    {kLocked, kWide, kDeny, true, "the system's own keys", kSystemKeys},
};

// npm, go, ccache, maven, uv end with an error where their cache cannot be made; pip warns at each
// call; cargo and yarn need theirs once they fetch.
constexpr ToolCache kToolCaches[] = {
    {"npm_config_cache", "{}", ".npm/_cacache", "npm", "", "NPM_CONFIG_CACHE"},
    {"PIP_CACHE_DIR", "{}", ".cache/pip", "pip", "", "PIP_NO_CACHE_DIR"},
    {"CCACHE_DIR", "{}", ".cache/ccache", "ccache", ".ccache", ""},
    {"GOCACHE", "{}", ".cache/go-build", "go-build", "", ""},
    {"GOMODCACHE", "{}", "go/pkg", "go-mod", "", "GOPATH"},
    {"CARGO_HOME", "{}", ".cargo/registry", "cargo", "", ""},
    {"MAVEN_OPTS", "-Dmaven.repo.local={}", ".m2/repository", "m2-repository", "", ""},
    {"YARN_CACHE_FOLDER", "{}", ".cache/yarn", "yarn", "", ""},
    {"UV_CACHE_DIR", "{}", ".cache/uv", "uv", "", "UV_NO_CACHE"},
};

void append_list(std::string& text, Profile profile, PathList list, std::string_view key) {
  bool open = false;
  for (const ProfileRows& rows : kRows) {
    if (rows.list != list || profile < rows.first || profile > rows.last) continue;
    if (!open) text += "  " + std::string(key) + ":\n";
    open = true;
    text += "    # " + std::string(rows.why) + (rows.superuser ? " (for root only)\n" : "\n");
    for (const std::string_view path : rows.paths) text += "    - " + yaml_scalar(path) + "\n";
  }
}

}  // namespace

const Profile* find_profile(std::string_view name) {
  const auto* const found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                         [&](Profile p) { return to_string(p) == name; });
  return found == kProfiles.end() ? nullptr : found;
}

std::string_view to_string(Profile profile) {
  switch (profile) {
    case Profile::locked: return "locked";
    case Profile::read_only: return "read-only";
    case Profile::workspace: return "workspace";
  }
  return "locked";
}

std::span<const ProfileRows> profile_rows() { return kRows; }

DefaultAccess default_access(Profile profile) {
  return profile == Profile::locked ? DefaultAccess::deny : DefaultAccess::read;
}

std::string profile_text(Profile profile) {
  std::string text = "# The built-in profile `" + std::string(to_string(profile)) +
                     "`, written out.\nversion: 1\nfilesystem:\n  default: " +
                     (default_access(profile) == DefaultAccess::deny ? "deny" : "read") + "\n";
  append_list(text, profile, PathList::allow_write, "allowWrite");
  append_list(text, profile, PathList::allow_read, "allowRead");
  append_list(text, profile, PathList::deny_read, "denyRead");
  return text;
}

std::span<const ToolCache> tool_caches() { return kToolCaches; }

}  // namespace ward::policy
