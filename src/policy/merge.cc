// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/merge.h"

#include <algorithm>

namespace ward::policy {

namespace {

constexpr std::size_t kUsualRules = 256;
constexpr const char* kUntrusted = "not applied: nobody has trusted this content";

int line_of(const Document& document, std::string_view key) {
  for (const SaidKey& said : document.said)
    if (said.row->path == key) return said.line;
  return 0;
}

Origin origin_of(const Document& document, int line) {
  return {document.origin.file, line, document.origin.scope};
}

// An ordered value: the lowest rank is the strictest.
template <class T>
struct Ordered {
  std::string_view key;
  std::optional<T> Document::* member;
  int (*rank)(T);
};

int rank_access(DefaultAccess access) { return access == DefaultAccess::deny ? 0 : 1; }
int rank_protect(ProtectMechanism protect) { return protect == ProtectMechanism::emulate ? 0 : 1; }
int rank_inherit(EnvInherit inherit) { return static_cast<int>(inherit); }
int rank_nested(bool nested) { return nested ? 1 : 0; }
int rank_seccomp(SyscallProfile profile) {
  switch (profile) {
    case SyscallProfile::isolate: return 0;
    case SyscallProfile::strict: return 1;
    case SyscallProfile::standard: return 2;
    case SyscallProfile::vmm: return 3;
    case SyscallProfile::desktop: return 4;
  }
  return 0;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class T>
void append_new(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& value : from)
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

template <class T>
void take_lower(std::optional<T>& to, const std::optional<T>& from) {
  if (from && (!to || *from < *to)) to = from;
}

void lower_limits(Limits& to, const Limits& from) {
  take_lower(to.cpus, from.cpus);
  take_lower(to.memory_bytes, from.memory_bytes);
  take_lower(to.pids, from.pids);
  take_lower(to.wall, from.wall);
  take_lower(to.output_bytes, from.output_bytes);
  take_lower(to.open_files, from.open_files);
  take_lower(to.file_size_bytes, from.file_size_bytes);
  take_lower(to.disk_bytes, from.disk_bytes);
  take_lower(to.disk_bandwidth, from.disk_bandwidth);
  take_lower(to.disk_ops, from.disk_ops);
  take_lower(to.net_bandwidth, from.net_bandwidth);
}

class Merger {
 public:
  Merger(const std::vector<MergeInput>& inputs, const Place& place, std::vector<LeftOut>& left_out)
      : inputs_(inputs), place_(place), left_out_(left_out) {}

  Policy run(const MergeBase& base) {
    add_profile(base);
    for (const MergeInput& input : inputs_) {
      policy_.sources.push_back(input.document->origin);
      narrowing(input);
      if (input.narrow_only)
        report_widening(*input.document);
      else
        widening(input);
    }
    Filesystem& filesystem = policy_.filesystem;
    filesystem.default_access =
        strictest<DefaultAccess>({"filesystem.default", &Document::default_access, rank_access},
                                 default_access(base.profile));
    filesystem.protect = strictest<ProtectMechanism>(
        {"filesystem.protect", &Document::protect, rank_protect}, ProtectMechanism::guard);
    policy_.env.inherit = strictest<EnvInherit>(
        {"env.inherit", &Document::env_inherit, rank_inherit}, EnvInherit::core);
    policy_.process.seccomp = strictest<SyscallProfile>(
        {"process.seccomp", &Document::seccomp, rank_seccomp}, SyscallProfile::standard);
    policy_.process.nested_namespaces = strictest<bool>(
        {"process.nestedNamespaces", &Document::nested_namespaces, rank_nested}, false);
    return std::move(policy_);
  }

 private:
  void add_profile(const MergeBase& base) {
    policy_.profile = to_string(base.profile);
    const Origin origin{"profile " + policy_.profile, 0, base.scope};
    policy_.filesystem.rules.reserve(kUsualRules);
    const HomeNames* names = place_.home_names && !reopens_home() ? &*place_.home_names : nullptr;
    for (const ProfileRows& rows : profile_rows()) {
      if (base.profile < rows.first || base.profile > rows.last) continue;
      if (rows.superuser && !place_.superuser) continue;
      for (const std::string_view path : rows.paths)
        if (!names || !path.starts_with("~/") || matters(*names, rows.list, path.substr(2)))
          add_profile_path(rows.list, path, origin);
    }
  }

  static std::string_view folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }

  // A re-opened name that is absent from a folder that is there is told from a denied one inside;
  // so what is denied below it stays denied, should it appear.
  static bool matters(const HomeNames& names, PathList list, std::string_view path) {
    if (names.may_exist(path)) return true;
    const std::string_view folder = folder_of(path);
    if (folder.empty()) return false;
    if (list == PathList::allow_read) return names.may_exist(folder);
    return is_reopened(folder) && matters(names, PathList::allow_read, folder);
  }

  static bool is_reopened(std::string_view below_home) {
    const auto same = [&](std::string_view path) {
      return path.starts_with("~/") && path.substr(2) == below_home;
    };
    const auto has_it = [&](const ProfileRows& rows) {
      return rows.list == PathList::allow_read &&
             std::any_of(rows.paths.begin(), rows.paths.end(), same);
    };
    return std::any_of(profile_rows().begin(), profile_rows().end(), has_it);
  }

  // Whether a document makes the home folder readable, so that a secret that appears in it later
  // would be seen if its rule had been left out.
  bool reopens_home() const {
    const auto reopens = [&](const PathRow& row) {
      if (row.list == PathList::deny_read || row.list == PathList::deny_write) return false;
      if (row.entry.base == PathEntry::Base::root)
        return !row.entry.literal || is_within(place_.home, "/" + row.entry.rest);
      if (row.entry.base == PathEntry::Base::home)
        return !row.entry.literal || row.entry.rest.empty();
      return row.entry.up > 0;
    };
    return std::any_of(inputs_.begin(), inputs_.end(), [&](const MergeInput& input) {
      return std::any_of(input.document->paths.begin(), input.document->paths.end(), reopens);
    });
  }

  // Nearly all of them are plain paths below home; they are there at every start of a command.
  void add_profile_path(PathList list, std::string_view path, const Origin& origin) {
    const bool literal = path.find_first_of("*?[") == std::string_view::npos;
    const bool in_home = path.starts_with("~/");
    if (literal && (in_home || path[0] == '/')) {
      PathRule& rule = policy_.filesystem.rules.emplace_back();
      rule.list = list;
      if (in_home && place_.home != "/") rule.pattern = place_.home;
      rule.pattern += path.substr(in_home ? 1 : 0);
      rule.written = path;
      rule.origin = origin;
    } else if (const Result<PathEntry> entry = parse_path_entry(path, Spelling::pattern)) {
      add_path(list, *entry, origin, place_.workspaces);
    }
  }

  void add_path(PathList list, const PathEntry& entry, const Origin& origin,
                const std::vector<std::string>& workspaces) {
    for (ExpandedPath& path : expand(entry, place_, workspaces))
      policy_.filesystem.rules.push_back(
          {list, std::move(path.pattern), path.literal, entry.written, origin});
  }

  void narrowing(const MergeInput& input) {
    const Document& document = *input.document;
    for (const PathRow& row : document.paths) {
      const bool deny = row.list == PathList::deny_read || row.list == PathList::deny_write;
      if (deny || !input.narrow_only)
        add_path(row.list, row.entry, origin_of(document, row.line), *input.workspaces);
    }
    append(policy_.network.deny, document.deny);
    append(policy_.network.rules, document.request_rules);
    append(policy_.gates, document.gates);
    lower_limits(policy_.limits, document.limits);
    take_lower(policy_.lifetime.ttl, document.lifetime.ttl);
    take_lower(policy_.lifetime.idle, document.lifetime.idle);
    take_lower(policy_.lifetime.expiry, document.lifetime.expiry);
  }

  void widening(const MergeInput& input) {
    const Document& document = *input.document;
    append_new(policy_.network.presets, document.presets);
    policy_.network.preset_origins.insert(document.preset_origins.begin(),
                                          document.preset_origins.end());
    append(policy_.network.allow, document.allow);
    append_new(policy_.network.host_ports, document.host_ports);
    for (const Placed<PathEntry>& socket : document.unix_sockets)
      for (ExpandedPath& path : expand(socket.value, place_, *input.workspaces))
        policy_.network.unix_sockets.push_back(
            {std::move(path.pattern), origin_of(document, socket.line)});
    for (const Secret& secret : document.secrets) add_secret(secret);
    append_new(policy_.ssh_agent_hosts, document.ssh_agent_hosts);
    append_new(policy_.env.allow, document.env_allow);
    // Stronger scopes come first, and insert() keeps what is there.
    policy_.env.set.insert(document.env_set.begin(), document.env_set.end());
    append_new(policy_.publish, document.publish);
    append_new(policy_.process.pass_fds, document.pass_fds);
    append(policy_.overrides, document.overrides);
    if (document.container) add_container(*document.container);
  }

  void add_secret(const Secret& secret) {
    const auto same = [&](const Secret& other) { return other.name == secret.name; };
    if (std::none_of(policy_.secrets.begin(), policy_.secrets.end(), same))
      policy_.secrets.push_back(secret);
    else
      left_out_.push_back({secret.origin, "secrets",
                           "a secret named " + secret.name + " is defined by a stronger file"});
  }

  void add_container(const Container& container) {
    if (!policy_.container) policy_.container.emplace();
    if (policy_.container->image.empty()) policy_.container->image = container.image;
    if (policy_.container->runtime.empty()) policy_.container->runtime = container.runtime;
  }

  void report_widening(const Document& document) {
    for (const SaidKey& said : document.said)
      if (said.row->effect == Effect::widens)
        left_out_.push_back(
            {origin_of(document, said.line), std::string(said.row->path), kUntrusted});
  }

  // The strictest stated value; without one that may widen, not wider than `by_default`.
  template <class T>
  T strictest(const Ordered<T>& ordered, T by_default) {
    std::optional<T> stated;
    for (const MergeInput& input : inputs_) {
      const std::optional<T>& value = input.document->*ordered.member;
      if (!input.narrow_only && value && (!stated || ordered.rank(*value) < ordered.rank(*stated)))
        stated = value;
    }
    T result = stated.value_or(by_default);
    for (const MergeInput& input : inputs_) {
      const std::optional<T>& value = input.document->*ordered.member;
      if (input.narrow_only && value && ordered.rank(*value) < ordered.rank(result))
        result = *value;
    }
    for (const MergeInput& input : inputs_) {
      const std::optional<T>& value = input.document->*ordered.member;
      if (!value || ordered.rank(*value) <= ordered.rank(result)) continue;
      left_out_.push_back(
          {origin_of(*input.document, line_of(*input.document, ordered.key)),
           std::string(ordered.key),
           input.narrow_only ? kUntrusted : "another file states a stricter value"});
    }
    return result;
  }

  const std::vector<MergeInput>& inputs_;
  const Place& place_;
  std::vector<LeftOut>& left_out_;
  Policy policy_;
};

}  // namespace

Policy merge(const MergeBase& base, const std::vector<MergeInput>& inputs, const Place& place,
             std::vector<LeftOut>& left_out) {
  return Merger(inputs, place, left_out).run(base);
}

bool widens(const Document& document, Profile profile) {
  const auto is_widening = [](const SaidKey& said) { return said.row->effect == Effect::widens; };
  return std::any_of(document.said.begin(), document.said.end(), is_widening) ||
         document.nested_namespaces.value_or(false) || document.env_inherit == EnvInherit::all ||
         (document.seccomp &&
          rank_seccomp(*document.seccomp) > rank_seccomp(SyscallProfile::standard)) ||
         (document.default_access == DefaultAccess::read && profile == Profile::locked);
}

}  // namespace ward::policy
