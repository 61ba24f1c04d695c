// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/presets.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "layers/process/jar_entry.h"
#include "layers/process/tool_config.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/program.h"

namespace ward::process {

namespace {

constexpr std::uint64_t kMaxConfigBytes = 1U << 20U, kMaxProgramBytes = 256U << 20U;
constexpr std::size_t kMaxFolderNames = 10000;
constexpr const char* kNpmrcInside = "/run/ward-npmrc";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start) parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

// The names in a folder, sorted; none where it cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  auto directory = sys::open_path(folder, O_RDONLY | O_DIRECTORY);
  if (!directory) return names;
  std::array<char, 32768> buffer;
  for (;;) {
    const auto records = sys::read_directory(directory->get(), buffer);
    if (!records || records->empty()) break;
    sys::DirectoryBatch batch(*records);
    for (sys::DirectoryEntry entry; batch.next(entry) && names.size() < kMaxFolderNames;)
      names.emplace_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What one preset finds.
class Finder {
 public:
  Finder(std::string preset, const PresetContext& context)
      : preset_(std::move(preset)), context_(context) {}

  std::string home(std::string_view below) const { return context_.home + std::string(below); }
  std::string system(std::string_view path) const { return context_.system + std::string(path); }
  const PresetContext& context() const { return context_; }

  std::string variable(std::string_view name) const {
    for (const char* const* line = context_.caller; line != nullptr && *line != nullptr; ++line) {
      const std::string_view text = *line;
      if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '=')
        return std::string(text.substr(name.size() + 1));
    }
    return {};
  }

  // The file's content, where it is there and the sandbox cannot have written it.
  std::optional<std::string> believe(const std::string& path,
                                     std::uint64_t max_bytes = kMaxConfigBytes) {
    auto file = sys::open_path(path, O_RDONLY | O_NONBLOCK);
    if (!file) return std::nullopt;
    const auto canonical = sys::path_of_fd(file->get());
    const auto status = sys::stat_fd(file->get());
    if (!canonical || !status || !S_ISREG(status->st_mode)) return std::nullopt;
    looked_at_.push_back(path);
    if (context_.writable(*canonical) || context_.writable(path)) {
      doubted_.push_back(path);
      return std::nullopt;
    }
    auto content = sys::read_fd(file->get(), max_bytes);
    if (!content) return std::nullopt;
    return std::move(*content);
  }

  // Whether the file names a server in the place of the built-in one.
  bool take_file(const std::string& path, ToolConfig (*read)(std::string_view)) {
    const auto content = believe(path);
    return content && take(read(*content), path);
  }
  bool take(const ToolConfig& config, const std::string& named_by) {
    for (const std::string& url : config.urls) take_url(url, named_by);
    return config.replaces_default;
  }
  void take_url(std::string_view url, const std::string& named_by) {
    if (const auto server = server_of(url)) add(*server, named_by);
  }
  void add(const Server& server, const std::string& named_by) {
    const auto same = [&](const policy::HostRule& rule) {
      return rule.host == server.host && rule.port == server.port;
    };
    if (std::any_of(found_.begin(), found_.end(), same)) return;
    found_.push_back({server.host,
                      server.port,
                      {"preset " + preset_ + ", by " + named_by, 0, policy::Scope::user}});
  }
  // "NAME=value", the last one counts.
  void set_variable(const std::string& name, const std::string& value) {
    variables_.push_back(name + "=" + value);
  }

  void add_file(confine::InsideFile file) { files_.push_back(std::move(file)); }
  bool readable(const std::string& path) const {
    return context_.readable && context_.readable(path);
  }

  // The folders of the caller's PATH that the sandbox cannot write.
  std::vector<std::string> program_folders() const {
    std::vector<std::string> folders;
    for (std::string& folder : split(variable("PATH"), ':'))
      if (folder.starts_with('/') && !context_.writable(folder))
        folders.push_back(context_.system + folder);
    return folders;
  }
  // The canonical path of a program of that name; "" where none is to be believed.
  std::string program(const std::string& name) const {
    for (const std::string& folder : program_folders()) {
      const auto file = sys::open_path(folder + "/" + name, O_PATH);
      const auto path = file ? sys::path_of_fd(file->get()) : Result<std::string>(std::string());
      if (path && !path->empty() && !context_.writable(*path)) return *path;
    }
    return {};
  }

  std::vector<policy::HostRule>& found() { return found_; }
  std::vector<std::string>& variables() { return variables_; }
  std::vector<confine::InsideFile>& files() { return files_; }
  const std::vector<std::string>& looked_at() const { return looked_at_; }
  const std::vector<std::string>& doubted() const { return doubted_; }

 private:
  std::string preset_;
  const PresetContext& context_;
  std::vector<policy::HostRule> found_;
  std::vector<std::string> variables_, looked_at_, doubted_;
  std::vector<confine::InsideFile> files_;
};

// The file holds tokens, so it is hidden inside; what else it says stands in another.
void tell_npm(Finder& finder, std::string_view npmrc) {
  std::string content;
  for (const std::string& setting : npm_settings(npmrc)) {
    constexpr std::string_view kAuthority = "cafile=";
    if (!setting.starts_with(kAuthority) || finder.readable(setting.substr(kAuthority.size())))
      content += setting + "\n";
  }
  if (content.empty()) return;
  finder.add_file({kNpmrcInside, std::move(content)});
  finder.set_variable("NPM_CONFIG_USERCONFIG", kNpmrcInside);
}

void find_npm(Finder& finder) {
  // $PREFIX/lib/node_modules/npm/bin/npm-cli.js, by way of $PREFIX/bin/npm.
  const std::string program = finder.program("npm");
  const std::string package = parent_of(parent_of(program));
  const std::string chosen = finder.variable("NPM_CONFIG_USERCONFIG");
  const std::string user = chosen.empty() ? finder.home("/.npmrc") : chosen;
  bool replaced = false;
  if (const auto text = finder.believe(user)) {
    replaced = finder.take(read_npmrc(*text), user);
    if (!finder.readable(user)) tell_npm(finder, *text);
  }
  const std::string wanted = finder.variable("NPM_CONFIG_REGISTRY");
  if (!wanted.empty()) {
    finder.take_url(wanted, "NPM_CONFIG_REGISTRY");
    finder.set_variable("NPM_CONFIG_REGISTRY", wanted);
    replaced = true;
  }
  replaced = finder.take_file(finder.system("/etc/npmrc"), &read_npmrc) || replaced;
  if (program.empty()) return;
  const std::string prefix = parent_of(parent_of(parent_of(package)));
  for (const std::string& path : {package + "/npmrc", prefix + "/etc/npmrc"})
    replaced = finder.take_file(path, &read_npmrc) || replaced;
  if (replaced) return;
  const std::string definitions =
      package + "/node_modules/@npmcli/config/lib/definitions/definitions.js";
  if (const auto text = finder.believe(definitions))
    finder.take({npm_default(*text), false}, definitions);
}

void find_pip(Finder& finder) {
  bool replaced = false;
  for (const std::string& path :
       {finder.system("/etc/pip.conf"), finder.system("/etc/xdg/pip/pip.conf"),
        finder.home("/.config/pip/pip.conf"), finder.home("/.pip/pip.conf")})
    replaced = finder.take_file(path, &read_pip_conf) || replaced;
  if (const std::string url = finder.variable("PIP_INDEX_URL"); !url.empty()) {
    finder.take_url(url, "PIP_INDEX_URL");
    finder.set_variable("PIP_INDEX_URL", url);
    replaced = true;
  }
  if (replaced) return;
  for (const std::string& folder : finder.program_folders()) {
    const std::string prefix = parent_of(folder);
    for (const std::string& lib : {prefix + "/lib", prefix + "/local/lib"})
      for (const std::string& python : names_in(lib)) {
        if (!python.starts_with("python3")) continue;
        for (const char* packages : {"/dist-packages", "/site-packages"}) {
          const std::string path = lib + "/" + python + packages + "/pip/_internal/models/index.py";
          const auto text = finder.believe(path);
          if (!text) continue;
          finder.take({pip_default(*text), false}, path);
          if (!finder.found().empty()) return;
        }
      }
  }
}

// The programs that `cargo` may be: itself, or those that rustup would start.
std::vector<std::string> cargo_programs(const Finder& finder) {
  const std::string program = finder.program("cargo");
  if (!program.ends_with("/rustup")) return {program};
  const std::string chosen = finder.variable("RUSTUP_HOME");
  const std::string toolchains =
      (chosen.empty() ? finder.home("/.rustup") : chosen) + "/toolchains";
  std::vector<std::string> programs;
  for (const std::string& name : names_in(toolchains))
    programs.push_back(toolchains + "/" + name + "/bin/cargo");
  return programs;
}

void find_cargo(Finder& finder) {
  const std::string chosen = finder.variable("CARGO_HOME");
  const std::string home = chosen.empty() ? finder.home("/.cargo") : chosen;
  bool replaced = false;
  for (const char* name : {"/config.toml", "/config"})
    replaced = finder.take_file(home + name, &read_cargo_config) || replaced;
  if (replaced) return;
  for (const std::string& program : cargo_programs(finder)) {
    const auto bytes = program.empty() ? std::nullopt : finder.believe(program, kMaxProgramBytes);
    if (!bytes) continue;
    for (const std::string& url : cargo_default(*bytes)) {
      const auto server = server_of(url);
      if (!server) continue;
      finder.add(*server, program);
      // Which server holds the packages stands in the index itself, so no file here says it: it is
      // one of the index's own domain.
      const std::size_t dot = server->host.find('.');
      if (server->host.find('.', dot + 1) != std::string::npos)
        finder.add({"*." + server->host.substr(dot + 1), server->port}, program);
    }
    if (!finder.found().empty()) return;
  }
}

void find_maven(Finder& finder) {
  bool replaced = finder.take_file(finder.home("/.m2/settings.xml"), &read_maven_settings);
  const std::string program = finder.program("mvn");  // $MAVEN_HOME/bin/mvn
  if (program.empty()) return;
  const std::string maven = parent_of(parent_of(program));
  replaced = finder.take_file(maven + "/conf/settings.xml", &read_maven_settings) || replaced;
  if (replaced) return;
  for (const std::string& name : names_in(maven + "/lib")) {
    if (!name.starts_with("maven-model-builder") || !name.ends_with(".jar")) continue;
    const std::string path = maven + "/lib/" + name;
    const auto archive = finder.believe(path, kMaxProgramBytes);
    if (!archive) continue;
    const auto pom = jar_entry(*archive, "org/apache/maven/model/pom-4.0.0.xml", kMaxConfigBytes);
    if (pom) finder.take(read_maven_settings(*pom), path);
  }
}

void find_go(Finder& finder) {
  const std::string program = finder.program("go");
  if (program.empty()) return;
  // The person's own settings count where a sandbox cannot have made them.
  const std::string chosen = finder.variable("GOENV");
  const std::string settings = chosen.empty() ? finder.home("/.config/go/env") : chosen;
  const bool believed = !finder.context().writable(settings);
  std::vector<std::string> env = {"HOME=" + finder.context().home, "PATH=/usr/bin:/bin",
                                  "GOTOOLCHAIN=local",
                                  "GOENV=" + (believed ? settings : std::string("off"))};
  for (const char* name : {"GOPROXY", "GOSUMDB", "GOROOT"})
    if (const std::string value = finder.variable(name); !value.empty())
      env.push_back(std::string(name) + "=" + value);
  const std::vector<std::string> argv = {program, "env", "GOPROXY", "GOSUMDB"};
  const auto end = sys::run_program({argv, env, "/"});
  if (end && end->exit_status == 0) finder.take(read_go_env(end->output), program + " env");
}

void find_apt(Finder& finder) {
  finder.take_file(finder.system("/etc/apt/sources.list"), &read_apt_sources);
  const std::string folder = finder.system("/etc/apt/sources.list.d");
  for (const std::string& name : names_in(folder))
    if (name.ends_with(".list") || name.ends_with(".sources"))
      finder.take_file(folder + "/" + name, &read_apt_sources);
}

void find_git(Finder& finder) {
  for (const std::string& path : {finder.system("/etc/gitconfig"), finder.home("/.gitconfig"),
                                  finder.home("/.config/git/config")})
    finder.take_file(path, &read_git_config);
  for (const std::string& workspace : finder.context().workspaces)
    finder.take_file(workspace + "/.git/config", &read_git_config);
}

struct Row {
  std::string_view name;
  void (*find)(Finder&);
  std::string_view remedy;
};
constexpr std::array kPresetRows = {
    Row{"apt", &find_apt, "name its mirrors in /etc/apt/sources.list"},
    Row{"cargo", &find_cargo,
        "install cargo 1.68 or later, or name a registry in ~/.cargo/config.toml"},
    Row{"git", &find_git,
        "write [credential \"https://HOST\"] or [url \"ssh://git@HOST/\"] into ~/.gitconfig"},
    Row{"go", &find_go, "install go, or set GOPROXY with go env -w"},
    Row{"maven", &find_maven, "install maven, or name a mirror in ~/.m2/settings.xml"},
    Row{"npm", &find_npm, "install npm, or write registry=URL into ~/.npmrc"},
    Row{"pip", &find_pip, "install pip, or write index-url into ~/.config/pip/pip.conf"},
};

std::string listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "" : ", ") + path;
  return text;
}

Error nothing_found(const Row& row, const Finder& finder, const policy::Network& network) {
  std::string message = "the preset " + std::string(row.name) + " names no host on this machine";
  if (!finder.doubted().empty())
    message += ": " + listed(finder.doubted()) +
               " cannot be believed, because the sandbox can write there";
  else if (!finder.looked_at().empty())
    message += ": " + listed(finder.looked_at()) + " has none";
  Error error = Error(ErrorKind::invalid, std::move(message))
                    .with_remedy(std::string(row.remedy) +
                                 "; or list the hosts in network.allow in its place");
  const auto origin = network.preset_origins.find(std::string(row.name));
  if (origin == network.preset_origins.end()) return error;
  return std::move(error).with_context(origin->second.describe() + ": network.presets");
}

}  // namespace

Result<ResolvedPresets> resolve_presets(const policy::Network& network,
                                        const PresetContext& context) {
  ResolvedPresets resolved;
  for (const std::string& name : network.presets) {
    const auto* const row = std::find_if(kPresetRows.begin(), kPresetRows.end(),
                                         [&](const Row& one) { return one.name == name; });
    if (row == kPresetRows.end()) return fail(ErrorKind::bug, "unknown preset " + name);
    Finder finder(name, context);
    row->find(finder);
    if (finder.found().empty()) return fail(nothing_found(*row, finder, network));
    for (policy::HostRule& rule : finder.found()) resolved.allow.push_back(std::move(rule));
    for (std::string& variable : finder.variables())
      resolved.variables.push_back(std::move(variable));
    for (confine::InsideFile& file : finder.files()) resolved.files.push_back(std::move(file));
  }
  return resolved;
}

}  // namespace ward::process
