// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Which servers the configuration of a package manager, of apt or of git names. Readers of the
// tools' own formats that take the URLs and ignore the rest; a line they do not understand names
// nothing. Pure. Sources: npmrc(5), pip's "Configuration", "The Cargo Book: Configuration",
// Maven's "Settings Reference", sources.list(5), git-config(1), git-clone(1) "GIT URLS".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ward::process {

struct Server {
  std::string host;  // lower case; a name or an address
  std::uint16_t port = 0;
  auto operator<=>(const Server&) const = default;
};

// The server of a URL ("sparse+https://HOST/", "ssh://git@HOST:2222/x"), or of git's short form
// "user@HOST:path"; nothing where it names none.
std::optional<Server> server_of(std::string_view url);

// What one file says.
struct ToolConfig {
  std::vector<std::string> urls;
  // It names a server to use in the place of the tool's built-in one.
  bool replaces_default = false;
};

ToolConfig read_npmrc(std::string_view text);
// What npm inside has to know of a file that may hold credentials, without them: "key=value".
std::vector<std::string> npm_settings(std::string_view npmrc);
ToolConfig read_pip_conf(std::string_view text);
ToolConfig read_cargo_config(std::string_view text);
ToolConfig read_maven_settings(std::string_view text);  // and a POM
ToolConfig read_apt_sources(std::string_view text);     // either format
ToolConfig read_git_config(std::string_view text);
// The values of GOPROXY and GOSUMDB, as `go env` prints them: one a line.
ToolConfig read_go_env(std::string_view text);

// What is built into the tools, from the files they are installed with.
std::vector<std::string> npm_default(std::string_view definitions_js);
std::vector<std::string> pip_default(std::string_view index_py);
std::vector<std::string> cargo_default(std::string_view program);

}  // namespace ward::process
