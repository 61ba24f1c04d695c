// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/surroundings.h"

#include <dirent.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "cli/policy_files.h"
#include "confine/glob_index.h"
#include "egress/client.h"
#include "policy/path_entry.h"
#include "sys/file.h"
#include "sys/state_folder.h"

namespace ward::cli {

namespace {

constexpr const char* kManagedFolder = "/etc/ward";

Result<std::string> canonical(const std::string& path) {
  WARD_ASSIGN(UniqueFd fd, sys::open_path(path, O_PATH));
  return sys::path_of_fd(fd.get());
}

// From the password file itself: the library's look-up would load modules, which a static program
// cannot.
std::string home_of_user(uid_t uid) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/passwd", "re"), std::fclose);
  if (!file) return "";
  while (const struct passwd* entry = ::fgetpwent(file.get()))
    if (entry->pw_uid == uid) return entry->pw_dir;
  return "";
}

Result<std::string> find_home() {
  const char* variable = std::getenv("HOME");
  std::string home =
      variable != nullptr && variable[0] == '/' ? variable : home_of_user(::geteuid());
  Result<std::string> path = canonical(home);
  if (path) return path;
  return fail(Error(ErrorKind::invalid,
                    "the home folder \"" + home + "\" cannot be entered: " + path.error().message())
                  .with_remedy("set HOME to a folder that exists"));
}

// The absolute folders of a PATH.
std::vector<std::string> command_folders(const char* path) {
  std::vector<std::string> folders;
  const std::string_view text = path != nullptr ? path : "";
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    if (text[start] == '/')
      folders.push_back(policy::lexically_normal(text.substr(start, end - start)));
    start = end + 1;
  }
  return folders;
}

// Where a toolchain says it is installed.
constexpr const char* kToolchainVariables[] = {
    "ASDF_DATA_DIR", "ASDF_DIR",      "BUN_INSTALL", "CARGO_HOME", "CONDA_PREFIX", "GOENV_ROOT",
    "GOPATH",        "GOROOT",        "JAVA_HOME",   "JDK_HOME",   "JENV_ROOT",    "M2_HOME",
    "MAVEN_HOME",    "MISE_DATA_DIR", "NODENV_ROOT", "NVM_DIR",    "N_PREFIX",     "PNPM_HOME",
    "PYENV_ROOT",    "RBENV_ROOT",    "RUSTUP_HOME", "SDKMAN_DIR", "VIRTUAL_ENV",  "VOLTA_HOME",
};

// A folder of commands with its libraries beside it is one program: ~/opt/tool/bin means
// ~/opt/tool.
std::string program_folder(const std::string& folder, const std::string& home) {
  std::size_t slash = folder.rfind('/');
  std::string name = folder.substr(slash + 1), parent = folder.substr(0, slash);
  bool inner = name == "bin" || name == "sbin" || name == "shims";
  bool shared = parent == home || parent == home + "/.local";
  return inner && !shared ? parent : folder;
}

std::vector<std::string> program_folders(const policy::Place& place) {
  std::vector<std::string> folders;
  auto add = [&](const std::string& folder) {
    if (folder.rfind(place.home + "/", 0) != 0) return;
    if (std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  for (const std::string& folder : place.command_folders) add(program_folder(folder, place.home));
  for (const char* variable : kToolchainVariables) {
    const char* value = std::getenv(variable);
    if (value != nullptr && value[0] == '/') add(policy::lexically_normal(value));
  }
  return folders;
}

std::string xdg_folder(const char* variable, const std::string& otherwise) {
  const char* value = std::getenv(variable);
  return (value != nullptr && value[0] == '/' ? std::string(value) : otherwise) + "/ward";
}

}  // namespace

std::vector<std::string> Surroundings::ward_paths() const {
  std::vector<std::string> paths = {state_folder, cache_folder, config_folder, kManagedFolder,
                                    program};
  if (!gateway.empty()) paths.push_back(gateway);
  return paths;
}

Result<Surroundings> find_surroundings() {
  Surroundings found;
  WARD_ASSIGN(found.home, find_home());
  WARD_ASSIGN(found.cwd, in_context(canonical("."), "the current folder"));
  WARD_ASSIGN(found.state_folder,
              sys::state_folder_path(std::getenv("XDG_STATE_HOME"), found.home.c_str()));
  const char* cache_home = std::getenv("XDG_CACHE_HOME");
  found.cache_folder = confine::index_folder(found.home, cache_home == nullptr ? "" : cache_home);
  found.config_folder = xdg_folder("XDG_CONFIG_HOME", found.home + "/.config");
  WARD_ASSIGN(found.program, sys::readlink_at(AT_FDCWD, "/proc/self/exe"));
  if (Result<std::string> gateway = egress::find_gateway_program()) found.gateway = *gateway;
  return found;
}

policy::HomeNames look_at_home(const std::string& home) {
  policy::HomeNames names;
  for (const char* folder : {"", ".config", ".cache", ".local", ".local/share"}) {
    std::string path = home + "/" + folder;
    std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(path.c_str()), ::closedir);
    if (!entries) continue;
    std::string prefix = folder[0] == '\0' ? "" : std::string(folder) + "/";
    while (const struct dirent* entry = ::readdir(entries.get()))
      names.add_name(prefix + entry->d_name);
    names.add_folder(folder);
  }
  return names;
}

Result<policy::Place> place_of(const Surroundings& surroundings,
                               const std::vector<std::string>& workspaces) {
  policy::Place place;
  place.home = surroundings.home;
  for (const std::string& workspace : workspaces) {
    WARD_ASSIGN(std::string path, in_context(canonical(workspace), "--workspace " + workspace));
    place.workspaces.push_back(std::move(path));
  }
  if (place.workspaces.empty()) place.workspaces.push_back(surroundings.cwd);
  const char* temp = std::getenv("TMPDIR");
  if (temp != nullptr && temp[0] == '/') place.temp = policy::lexically_normal(temp);
  place.command_folders = command_folders(std::getenv("PATH"));
  place.program_folders = program_folders(place);
  place.superuser = ::geteuid() == 0;
  return place;
}

Result<policy::Loaded> load_policy(const Surroundings& surroundings, const policy::Place& place,
                                   const PolicyArguments& arguments) {
  policy::LoadRequest request;
  request.place = place;
  request.managed_file = std::string(kManagedFolder) + "/managed.yaml";
  request.user_file = surroundings.user_policy();
  // From the root: what a document extends is named from where it is.
  for (const std::string& file : arguments.files)
    request.named_files.push_back(surroundings.from_cwd(file));
  request.profile = arguments.profile;
  Result<std::string> trusted = sys::read_file(surroundings.trust_store());
  if (trusted) {
    WARD_ASSIGN(request.trusted,
                in_context(policy::TrustSet::parse(*trusted), surroundings.trust_store()));
  } else if (trusted.error().os_errno() != ENOENT) {
    return fail(std::move(trusted).error());
  }
  return policy::load_policy(request, PolicyFiles());
}

}  // namespace ward::cli
