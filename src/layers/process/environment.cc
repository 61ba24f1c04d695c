// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/environment.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace ward::process {

namespace {

// Who and where the user is, how to print, and where the toolchains are. None of these carries a
// credential by its meaning. Sorted.
constexpr std::string_view kCore[] = {
    "CARGO_HOME",
    "CCACHE_DIR",
    "CC",
    "CI",
    "CLICOLOR",
    "COLORTERM",
    "COLUMNS",
    "CXX",
    "EDITOR",
    "FORCE_COLOR",
    "GEM_HOME",
    "GOBIN",
    "GOCACHE",
    "GOFLAGS",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_USER_HOME",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOGNAME",
    "LS_COLORS",
    "MAKEFLAGS",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "NO_COLOR",
    "NODE_ENV",
    "NVM_BIN",
    "NVM_DIR",
    "NVM_INC",
    "PAGER",
    "PATH",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "SHELL",
    "SOURCE_DATE_EPOCH",
    "TERM",
    "TERMINFO",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "VISUAL",
    "VOLTA_HOME",
    "XDG_CACHE_HOME",
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

// Tools that end with an error where they cannot make their cache folder, and the variable that
// moves it. Others (npm, pip, cargo) go on without.
struct ToolCache {
  const char* folder;    // below HOME
  const char* variable;  // left alone where it is set
  const char* value;
};
constexpr ToolCache kToolCaches[] = {
    {".cache/go-build", "GOCACHE", "/tmp/go-build"},
    {".m2/repository", "MAVEN_OPTS", "-Dmaven.repo.local=/tmp/m2-repository"},
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

}  // namespace

std::vector<std::string> command_environment(
    const policy::Environment& policy, const char* const* caller,
    const std::function<bool(const std::string&)>& exists) {
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
  if (auto home = variables.find("HOME"); home != variables.end()) {
    for (const ToolCache& cache : kToolCaches)
      if (!variables.contains(cache.variable) && !exists(home->second + "/" + cache.folder))
        variables.emplace(cache.variable, cache.value);
  }
  if (!variables.contains("PATH"))
    variables.emplace("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin");
  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace ward::process
