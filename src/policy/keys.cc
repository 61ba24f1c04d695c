// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/keys.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "policy/document.h"
#include "policy/take.h"

namespace ward::policy {

namespace {

using enum Shape;
using enum Effect;

constexpr KeyRow kRows[] = {
    KeyRow{"version", version, neutral, true, "", "The version of the language.", "1",
           take::version},
    KeyRow{"extends", text, strictest, false, "",
           "What this document builds on: the built-in locked, read-only or workspace, or a file. "
           "Of the built-in ones that the files name, the narrowest is in force.",
           "workspace", take::extends, "workspace"},

    KeyRow{"filesystem", section, neutral, false, "", "Which paths can be read and written.", "",
           nullptr},
    KeyRow{"filesystem.default", choice, strictest, false, "read deny",
           "What a path is that no rule speaks of; deny in the profile locked.", "read",
           take::default_access, "read"},
    KeyRow{"filesystem.allowWrite", paths, widens, false, "",
           "Paths that can be written, and read.", "[., ~/.cache/app]",
           take::path<PathList::allow_write>},
    KeyRow{"filesystem.denyWrite", paths, narrows, false, "", "Paths that cannot be written.",
           "[\".git/hooks\", \"**/*.lock\"]", take::path<PathList::deny_write>},
    KeyRow{"filesystem.denyRead", paths, narrows, false, "",
           "Paths that can be neither read nor written.", "[~/.ssh, \"~/**/.env\"]",
           take::path<PathList::deny_read>},
    KeyRow{"filesystem.allowRead", paths, widens, false, "",
           "Paths that can be read, inside a denied one too.", "[~/.ssh/known_hosts]",
           take::path<PathList::allow_read>},
    KeyRow{"filesystem.protect", choice, strictest, false, "guard emulate",
           "How the creation of a protected path that does not exist is stopped: guard checks the "
           "call and watches, emulate performs the call itself.",
           "guard", take::protect, "guard"},

    KeyRow{"network", section, neutral, false, "", "Which hosts can be reached; none by default.",
           "", nullptr},
    KeyRow{"network.presets", choices, widens, false, kPresets,
           "Hosts taken at run time from the tools' own configuration.", "[npm, git]",
           take::preset},
    KeyRow{"network.allow", texts, widens, false, "",
           "Hosts that can be reached: a name, *.x, **.x, an address or a block, with an optional "
           "port; without one, ports 80 and 443.",
           "[api.example.com, \"*.example.org:443\", 10.0.0.0/8:5432]", take::allow_host},
    KeyRow{"network.deny", texts, narrows, false, "",
           "Hosts that cannot be reached, whatever allows them; without a port, on every port.",
           "[\"*.internal.example.com\"]", take::deny_host},
    KeyRow{
        "network.rules", records, narrows, false, "",
        "Narrows an allowed host to some requests; needs TLS interception. The rules of one file "
        "are alternatives, and every file that has rules for a host must permit the request.",
        "[{host: api.example.com, methods: [GET], paths: [\"/v1/**\"]}]", take::request_rule},
    KeyRow{"network.rules[].host", text, neutral, true, "", "The host that is narrowed.",
           "api.example.com", take::request_rule_host},
    KeyRow{"network.rules[].methods", texts, neutral, false, "",
           "Permitted methods; all when absent.", "[GET]", take::request_rule_method},
    KeyRow{"network.rules[].paths", texts, neutral, false, "",
           "Permitted paths, with * and **; all when absent.", "[\"/v1/**\"]",
           take::request_rule_path},
    KeyRow{"network.unixSockets", paths, widens, false, "",
           "Sockets of the host that can be connected to.", "[/run/postgresql/.s.PGSQL.5432]",
           take::unix_socket},
    KeyRow{"network.hostPorts", ports, widens, false, "",
           "Ports on the host's loopback that can be reached.", "[5432]", take::host_port},

    KeyRow{"secrets", records, widens, false, "",
           "Secrets that stay outside: inside stands a placeholder, which the gateway replaces in "
           "requests to the named hosts.",
           "[{name: API_TOKEN, from: \"env:API_TOKEN\", hosts: [api.example.com]}]", take::secret},
    KeyRow{"secrets[].name", text, neutral, true, "", "The variable that holds the placeholder.",
           "API_TOKEN", take::secret_name},
    KeyRow{"secrets[].from", text, neutral, true, "",
           "Where the value comes from: env:NAME or file:PATH.", "\"env:API_TOKEN\"",
           take::secret_from},
    KeyRow{"secrets[].hosts", texts, neutral, true, "", "The hosts that may get the value.",
           "[api.example.com]", take::secret_host},
    KeyRow{"secrets[].header", text, neutral, false, "",
           "The header that carries it; Authorization when absent.", "Authorization",
           take::secret_header},
    KeyRow{"secrets[].format", text, neutral, false, "",
           "The header's text; {} stands for the value.", "\"Bearer {}\"", take::secret_format},

    KeyRow{"sshAgent", section, neutral, false, "",
           "Signing with the caller's SSH keys; they stay outside.", "", nullptr},
    KeyRow{"sshAgent.hosts", texts, widens, false, "", "The hosts to which a signature may log in.",
           "[git.example.com]", take::ssh_agent_host},

    KeyRow{"env", section, neutral, false, "", "Which environment variables reach the command.", "",
           nullptr},
    KeyRow{"env.inherit", choice, strictest, false, "none core all",
           "Which of the caller's variables pass: none, the core ones (PATH, HOME, LANG, TERM and "
           "their like), or all.",
           "core", take::env_inherit, "core"},
    KeyRow{"env.allow", texts, widens, false, "", "Further variables of the caller that pass.",
           "[CC]", take::env_allow},
    KeyRow{"env.set", text_map, widens, false, "", "Variables with a fixed value.", "{CI: \"1\"}",
           take::env_set},

    KeyRow{"limits", section, neutral, false, "",
           "Upper bounds; the lowest that any file states counts.", "", nullptr},
    KeyRow{"limits.cpus", cores, narrows, false, "", "Processors.", "2",
           take::quantity<&Document::limits, &Limits::cpus, parse_cores>},
    KeyRow{"limits.memory", size, narrows, false, "", "Memory of all processes together.", "2GiB",
           take::quantity<&Document::limits, &Limits::memory_bytes, parse_size>},
    KeyRow{"limits.pids", count, narrows, false, "", "Processes and threads.", "512",
           take::count<&Limits::pids, 1, 4'194'304>},
    KeyRow{"limits.wall", duration, narrows, false, "", "Time from start to end.", "10m",
           take::quantity<&Document::limits, &Limits::wall, parse_duration>},
    KeyRow{"limits.output", size, narrows, false, "", "Bytes of output and error output together.",
           "16MiB", take::quantity<&Document::limits, &Limits::output_bytes, parse_size>},
    KeyRow{"limits.openFiles", count, narrows, false, "", "Open descriptors of each process.",
           "1024", take::count<&Limits::open_files, 16, 1'048'576>},
    KeyRow{"limits.fileSize", size, narrows, false, "", "The largest file that can be written.",
           "1GiB", take::quantity<&Document::limits, &Limits::file_size_bytes, parse_size>},
    KeyRow{"limits.disk", size, narrows, false, "", "Disk space.", "4GiB",
           take::quantity<&Document::limits, &Limits::disk_bytes, parse_size>},
    KeyRow{"limits.diskBandwidth", bandwidth, narrows, false, "", "Disk traffic.", "100MiB/s",
           take::quantity<&Document::limits, &Limits::disk_bandwidth, parse_bandwidth>},
    KeyRow{"limits.diskOps", rate, narrows, false, "", "Disk operations.", "5000/s",
           take::quantity<&Document::limits, &Limits::disk_ops, parse_rate>},
    KeyRow{"limits.netBandwidth", bandwidth, narrows, false, "", "Network traffic.", "50MiB/s",
           take::quantity<&Document::limits, &Limits::net_bandwidth, parse_bandwidth>},

    KeyRow{"publish", ports, widens, false, "",
           "Ports served inside that the host's loopback reaches.", "[3000]", take::publish},

    KeyRow{"lifetime", section, neutral, false, "", "How long a sandbox and what it left may stay.",
           "", nullptr},
    KeyRow{"lifetime.ttl", duration, narrows, false, "", "How long it may run; a resume renews it.",
           "1h", take::quantity<&Document::lifetime, &Lifetime::ttl, parse_duration>},
    KeyRow{"lifetime.idle", duration, narrows, false, "", "How long it may be idle.", "15m",
           take::quantity<&Document::lifetime, &Lifetime::idle, parse_duration>},
    KeyRow{"lifetime.expiry", duration, narrows, false, "",
           "When it and what it left are gone for good; nothing renews it.", "30d",
           take::quantity<&Document::lifetime, &Lifetime::expiry, parse_duration>},

    KeyRow{"process", section, neutral, false, "", "Speaks to the process layer only.", "",
           nullptr},
    KeyRow{"process.seccomp", choice, strictest, false, "isolate strict default vmm desktop",
           "The system call profile.", "default", take::seccomp, "default"},
    KeyRow{"process.nestedNamespaces", boolean, strictest, false, "",
           "Whether the command may make namespaces of its own.", "false", take::nested_namespaces,
           "false"},
    KeyRow{"process.passFds", numbers, widens, false, "",
           "Open descriptors of the caller that the command keeps, besides 0, 1 and 2.", "[3]",
           take::pass_fd},

    KeyRow{"container", section, neutral, false, "", "Speaks to the container layer only.", "",
           nullptr},
    KeyRow{"container.image", text, widens, false, "", "The image to run.", "base",
           take::container_image},
    KeyRow{"container.runtime", choice, widens, false, "own crun runsc", "What runs it.", "own",
           take::container_runtime},

    KeyRow{"gates", records, narrows, false, "",
           "Points where an action is held until a person decides.",
           "[{when: request, host: \"*.example.com\", methods: [POST], paths: [\"/purchase*\"]}]",
           take::gate},
    KeyRow{"gates[].when", choice, neutral, true, "request action dialog", "What is held.",
           "request", take::gate_when},
    KeyRow{"gates[].host", text, neutral, false, "", "Of a request: the host.", "\"*.example.com\"",
           take::gate_host},
    KeyRow{"gates[].name", text, neutral, false, "", "Of an action: its name.", "buy",
           take::gate_name},
    KeyRow{"gates[].methods", texts, neutral, false, "", "Of a request: methods; all when absent.",
           "[POST]", take::gate_method},
    KeyRow{"gates[].paths", texts, neutral, false, "", "Of a request: paths; all when absent.",
           "[\"/purchase*\"]", take::gate_path},

    KeyRow{"overrides", choices, widens, false, kAcceptable,
           "Findings of `ward policy check` that `run` accepts all the same. Of the user's and the "
           "managed file only; each use is journalled.",
           "[writable-home]", take::override_finding},
};

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance without regard to case; two neighbours that changed places count as one edit.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
          folded(a[i - 2]) == folded(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// How far a word may be off and still be meant.
std::size_t tolerance(std::string_view word) { return std::max<std::size_t>(1, word.size() / 3); }

constexpr std::size_t kLongestWord = 64;

struct Nearest {
  std::string_view word;
  std::size_t distance = kLongestWord;
  void offer(std::string_view written, std::string_view name, std::string_view whole) {
    const std::size_t d = distance_of(written, name);
    if (d <= tolerance(name) && d < distance) *this = {whole, d};
  }
  static std::size_t distance_of(std::string_view a, std::string_view b) {
    return a.size() > kLongestWord ? kLongestWord : policy::distance(a, b);
  }
};

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

std::span<const KeyRow> key_rows() { return kRows; }

const KeyRow* find_key(std::string_view path) {
  for (const KeyRow& row : kRows)
    if (row.path == path) return &row;
  return nullptr;
}

std::string nearest_key(std::string_view prefix, std::string_view written) {
  Nearest nearest;
  for (const KeyRow& row : kRows) {
    if (!row.path.starts_with(prefix)) continue;
    const std::string_view name = row.path.substr(prefix.size());
    if (name.find('.') == std::string_view::npos && name.find('[') == std::string_view::npos)
      nearest.offer(written, name, name);
  }
  if (nearest.word.empty())
    for (const KeyRow& row : kRows) nearest.offer(written, last_part(row.path), row.path);
  if (nearest.word.empty()) return "";
  return "did you mean '" + std::string(nearest.word) + "'?";
}

std::string nearest_word(std::string_view words, std::string_view written) {
  Nearest nearest;
  for (std::size_t start = 0; start < words.size();) {
    const std::size_t end = std::min(words.find(' ', start), words.size());
    nearest.offer(written, words.substr(start, end - start), words.substr(start, end - start));
    start = end + 1;
  }
  return std::string(nearest.word);
}

}  // namespace ward::policy
