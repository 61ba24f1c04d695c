// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "policy/lint.h"

namespace ward::policy {

namespace {

// What the process layer does not enforce. A field that is set and cannot be kept is an error.
struct Unenforced {
  std::string_view key;
  bool (*is_set)(const Policy&);
  std::string_view why;
};

const Unenforced kUnenforced[] = {
    {"sshAgent", [](const Policy& p) { return !p.ssh_agent_hosts.empty(); },
     "this version lets no SSH agent in"},
    {"gates",
     [](const Policy& p) {
       return std::any_of(p.gates.begin(), p.gates.end(),
                          [](const Gate& gate) { return gate.when != Gate::When::request; });
     },
     "it sees requests, and neither actions nor dialogs"},
    {"limits.disk", [](const Policy& p) { return p.limits.disk_bytes.has_value(); },
     "the process layer writes to the host's own file systems and cannot bound their use"},
    {"limits.netBandwidth", [](const Policy& p) { return p.limits.net_bandwidth.has_value(); },
     "the egress gateway counts bytes and does not slow them down"},
    {"lifetime.ttl", [](const Policy& p) { return p.lifetime.ttl.has_value(); },
     "a command of the process layer ends with ward; limits.wall bounds it"},
    {"lifetime.idle", [](const Policy& p) { return p.lifetime.idle.has_value(); },
     "a command of the process layer ends with ward; limits.wall bounds it"},
    {"lifetime.expiry", [](const Policy& p) { return p.lifetime.expiry.has_value(); },
     "a command of the process layer leaves nothing behind"},
    {"process.seccomp",
     [](const Policy& p) {
       return p.process.seccomp != SyscallProfile::standard &&
              p.process.seccomp != SyscallProfile::strict;
     },
     "the process layer has the profiles default and strict"},
};

}  // namespace

Status process_layer_accepts(const Policy& policy) {
  for (const Unenforced& row : kUnenforced)
    if (row.is_set(policy))
      return fail(Error(ErrorKind::unsupported,
                        std::string(row.key) +
                            " cannot be enforced by the process layer: " + std::string(row.why))
                      .with_remedy("take the key out of the policy"));
  return {};
}

}  // namespace ward::policy
