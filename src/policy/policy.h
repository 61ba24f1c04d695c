// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Policy: what a sandbox may touch, as one value. It is the outcome of parsing and merging the
// managed, user and workspace documents (docs/policy.md is the reference for each key); tokens such
// as `.` and `~` are expanded, symbolic links are not yet resolved (confine does that, against the
// machine). A plain value: copyable, comparable, no kernel calls, safe to share between threads.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ward::policy {

// Who wrote a rule, weakest first. A deny of a higher scope is never reopened by a lower one.
enum class Scope : std::uint8_t { workspace, user, managed };

// Where a rule stands, for messages: "ward.yaml:12", or "profile workspace" for a built-in one.
struct Origin {
  std::string file;  // a path, or "profile NAME"
  int line = 0;      // 1-based; 0 for a whole file
  Scope scope = Scope::user;
  std::string describe() const;
  auto operator<=>(const Origin&) const = default;
};

enum class PathList : std::uint8_t { deny_read, deny_write, allow_read, allow_write };

// One entry of the four lists. A pattern is absolute and lexically normal (no trailing `/` or
// `/**`); it covers what it names and everything below. Where `literal`, wildcard characters in it
// are ordinary characters; otherwise `*` and `?` and `[...]` stay within a component and `**` spans
// any number of them.
struct PathRule {
  PathList list = PathList::deny_read;
  std::string pattern;
  bool literal = true;
  std::string written;  // as the author wrote it, for messages
  Origin origin;
  auto operator<=>(const PathRule&) const = default;
};

// What a path is when no rule speaks of it.
enum class DefaultAccess : std::uint8_t { read, deny };

// How the creation of an absent protected path is stopped (docs/layers/process.md).
enum class ProtectMechanism : std::uint8_t { guard, emulate };

struct Filesystem {
  DefaultAccess default_access = DefaultAccess::read;
  ProtectMechanism protect = ProtectMechanism::guard;
  std::vector<PathRule> rules;
  auto operator<=>(const Filesystem&) const = default;
};

// A host pattern with an optional port: a name, `*.x` (subdomains), `**.x` (the apex too), an
// address or a CIDR block. No port means 80 and 443 where it allows, every port where it denies.
struct HostRule {
  std::string host;
  std::optional<std::uint16_t> port;
  Origin origin;
  auto operator<=>(const HostRule&) const = default;
};

// Narrows an allowed host to methods and paths; needs TLS interception.
struct RequestRule {
  std::string host;
  std::vector<std::string> methods;
  std::vector<std::string> paths;
  Origin origin;
  auto operator<=>(const RequestRule&) const = default;
};

// A host socket that may be connected to from inside.
struct UnixSocketRule {
  std::string path;
  Origin origin;
  auto operator<=>(const UnixSocketRule&) const = default;
};

struct Network {
  std::vector<std::string> presets;
  std::map<std::string, Origin> preset_origins;  // where each is written
  std::vector<HostRule> allow;
  std::vector<HostRule> deny;
  std::vector<RequestRule> rules;
  std::vector<UnixSocketRule> unix_sockets;
  std::vector<std::uint16_t> host_ports;
  // True where any host may be reached at all: allow or presets or hostPorts say something.
  bool allows_anything() const;
  auto operator<=>(const Network&) const = default;
};

struct Secret {
  std::string name;  // the variable that holds the placeholder inside
  std::string from;  // "env:NAME" or "file:PATH"
  std::vector<std::string> hosts;
  std::string header;
  std::string format;  // "{}" stands for the value
  Origin origin;
  auto operator<=>(const Secret&) const = default;
};

// Which variables of the caller reach the command.
enum class EnvInherit : std::uint8_t { none, core, all };

struct Environment {
  EnvInherit inherit = EnvInherit::core;
  std::vector<std::string> allow;
  std::map<std::string, std::string> set;
  auto operator<=>(const Environment&) const = default;
};

// Unset means no limit by policy.
struct Limits {
  std::optional<double> cpus;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;
  std::optional<std::chrono::milliseconds> wall;
  std::optional<std::uint64_t> output_bytes;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> file_size_bytes;
  std::optional<std::uint64_t> disk_bytes;
  std::optional<std::uint64_t> disk_bandwidth;  // bytes a second
  std::optional<std::uint64_t> disk_ops;        // operations a second
  std::optional<std::uint64_t> net_bandwidth;   // bytes a second
  auto operator<=>(const Limits&) const = default;
};

struct Lifetime {
  std::optional<std::chrono::seconds> ttl, idle, expiry;
  auto operator<=>(const Lifetime&) const = default;
};

enum class SyscallProfile : std::uint8_t { standard, strict, desktop, vmm, isolate };

struct Process {
  SyscallProfile seccomp = SyscallProfile::standard;  // written `default`
  bool nested_namespaces = false;
  std::vector<int> pass_fds;
  auto operator<=>(const Process&) const = default;
};

// A point where an action is held until a person decides.
struct Gate {
  enum class When : std::uint8_t { request, action, dialog };
  When when = When::request;
  std::string host, name;
  std::vector<std::string> methods, paths;
  Origin origin;
  auto operator<=>(const Gate&) const = default;
};

struct Container {
  std::string image;
  std::string runtime;
  auto operator<=>(const Container&) const = default;
};

// Keys of a user's or managed file that let `run` accept what `check` finds too wide; each use is
// journalled. Named by the finding they accept ("writable-home", ...).
struct Override {
  std::string finding;
  Origin origin;
  auto operator<=>(const Override&) const = default;
};

struct Policy {
  std::string profile;          // the built-in profile at the root of `extends`, or ""
  std::vector<Origin> sources;  // the documents that were merged, strongest scope first
  Filesystem filesystem;
  Network network;
  std::vector<Secret> secrets;
  std::vector<std::string> ssh_agent_hosts;
  Environment env;
  Limits limits;
  std::vector<std::uint16_t> publish;
  Lifetime lifetime;
  Process process;
  std::optional<Container> container;
  std::vector<Gate> gates;
  std::vector<Override> overrides;
  auto operator<=>(const Policy&) const = default;
};

}  // namespace ward::policy
