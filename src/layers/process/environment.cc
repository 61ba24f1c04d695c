// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/environment.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "policy/path_decision.h"
#include "policy/profiles.h"
#include "sys/file.h"

namespace ward::process {

namespace {

// Who and where the user is, how to print, where the toolchains are and how they compile. None of
// these carries a credential by its meaning. Not here: XDG_CACHE_HOME and the like, which would
// send tools to folders that are not writable. Sorted.
constexpr std::string_view kCore[] = {
    "AR",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "BUN_INSTALL",
    "CARGO_BUILD_JOBS",
    "CARGO_HOME",
    "CARGO_TERM_COLOR",
    "CC",
    "CCACHE_DIR",
    "CFLAGS",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CMAKE_BUILD_PARALLEL_LEVEL",
    "CMAKE_GENERATOR",
    "CMAKE_PREFIX_PATH",
    "COLORTERM",
    "COLUMNS",
    "CONDA_DEFAULT_ENV",
    "CONDA_EXE",
    "CONDA_PREFIX",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "EDITOR",
    "FORCE_COLOR",
    "GEM_HOME",
    "GO111MODULE",
    "GOARCH",
    "GOBIN",
    "GOCACHE",
    "GOENV_ROOT",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOMODCACHE",
    "GOOS",
    "GOPATH",
    "GOROOT",
    "GOTOOLCHAIN",
    "GRADLE_USER_HOME",
    "HOME",
    "JAVA_HOME",
    "JDK_HOME",
    "JENV_ROOT",
    "LANG",
    "LANGUAGE",
    "LD",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "LINES",
    "LOGNAME",
    "LS_COLORS",
    "M2_HOME",
    "MAKEFLAGS",
    "MANPATH",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "MISE_DATA_DIR",
    "NODENV_ROOT",
    "NODE_ENV",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NO_COLOR",
    "NVM_BIN",
    "NVM_DIR",
    "NVM_INC",
    "N_PREFIX",
    "PAGER",
    "PATH",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "RBENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_BACKTRACE",
    "SDKMAN_DIR",
    "SHELL",
    "SOURCE_DATE_EPOCH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TERMINFO",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "VISUAL",
    "VOLTA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
};

// They name folders of the host that are not there inside, or not writable.
struct FixedVariable {
  const char* name;
  const char* value;
};
constexpr FixedVariable kFixed[] = {
    {"TMPDIR", "/tmp"},          {"TMP", "/tmp"},           {"TEMP", "/tmp"},
    {"TMPPREFIX", "/tmp/zsh"},  // zsh's here-documents
    {"XDG_RUNTIME_DIR", "/run"}, {"WARD_LAYER", "process"},
};

bool is_core(std::string_view name) {
  return std::find(std::begin(kCore), std::end(kCore), name) != std::end(kCore) ||
         name.rfind("LC_", 0) == 0;
}

bool is_listed(const policy::Environment& policy, std::string_view name) {
  return std::find(policy.allow.begin(), policy.allow.end(), name) != policy.allow.end();
}

bool passes(const policy::Environment& policy, std::string_view name) {
  switch (policy.inherit) {
    case policy::EnvInherit::all: return true;
    case policy::EnvInherit::core: return is_core(name) || is_listed(policy, name);
    case policy::EnvInherit::none: return is_listed(policy, name);
  }
  return false;
}

// The caches that the command cannot write go into the private /tmp.
void move_caches(std::map<std::string, std::string, std::less<>>& variables,
                 const std::function<bool(std::string_view)>& usable) {
  for (const policy::ToolCache& cache : policy::tool_caches()) {
    const bool options = cache.value.front() == '-';  // one among others in the variable
    auto set = variables.find(cache.variable);
    if (set != variables.end() && !options) continue;
    if (!cache.other_variable.empty() && variables.contains(cache.other_variable)) continue;
    if (usable(cache.path) || (!cache.other_path.empty() && usable(cache.other_path))) continue;
    const std::size_t hole = cache.value.find("{}");
    const std::string prefix(cache.value.substr(0, hole));
    const std::string value = prefix + "/tmp/" + std::string(cache.folder);
    if (set == variables.end())
      variables.emplace(cache.variable, value);
    else if (set->second.find(prefix) == std::string::npos)
      set->second += " " + value;
  }
}

}  // namespace

std::vector<std::string> command_environment(const policy::Environment& policy,
                                             const char* const* caller,
                                             const std::function<bool(std::string_view)>& usable) {
  std::map<std::string, std::string, std::less<>> variables;
  for (; *caller != nullptr; ++caller) {
    std::string_view line = *caller;
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    std::string_view name = line.substr(0, equals);
    if (passes(policy, name))
      variables.insert_or_assign(std::string(name), line.substr(equals + 1));
  }
  for (const auto& [name, value] : policy.set) variables.insert_or_assign(name, value);
  for (const FixedVariable& fixed : kFixed) variables.insert_or_assign(fixed.name, fixed.value);
  if (variables.contains("HOME")) move_caches(variables, usable);
  if (!variables.contains("PATH"))
    variables.emplace("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin");
  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

std::function<bool(std::string_view)> writable_below(const std::string& home,
                                                     const policy::Filesystem& rules) {
  auto decider = std::make_shared<std::optional<policy::PathDecider>>();  // made when first needed
  return [&home, &rules, decider](std::string_view below) {
    const std::string path = home + "/" + std::string(below);
    if (!sys::stat_at(AT_FDCWD, path)) return false;
    if (!*decider) decider->emplace(rules);
    return (*decider)->decide(path).write.allowed;
  };
}

}  // namespace ward::process
