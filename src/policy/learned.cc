// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/learned.h"

#include <algorithm>

#include "base/escape.h"
#include "base/utf8.h"
#include "policy/path_entry.h"
#include "policy/yaml_writer.h"

namespace ward::policy {

namespace {

constexpr std::size_t kMostListed = 200;

std::string below(const std::string& path, const std::string& folder) {
  return path.size() == folder.size() ? "" : path.substr(folder.size() + 1);
}

// As a person would write it: from the workspace, else from home.
std::string written_form(const std::string& path, const Place& place) {
  if (place.workspaces.size() == 1 && is_within(path, place.workspaces[0])) {
    const std::string rest = below(path, place.workspaces[0]);
    if (rest.empty()) return ".";
    // A name that begins like another base.
    return rest[0] == '~' || rest[0] == '@' ? "./" + rest : rest;
  }
  if (place.home != "/" && is_within(path, place.home)) {
    const std::string rest = below(path, place.home);
    return rest.empty() ? "~" : "~/" + rest;
  }
  return path;
}

// Empty where the language cannot write it.
std::string entry_text(const std::string& path, const Place& place) {
  if (!is_utf8(path)) return "";
  const std::string form = written_form(path, place);
  const Result<PathEntry> entry = parse_path_entry(form, Spelling::pattern);
  if (!entry) return "";
  if (entry->literal) return yaml_scalar(form);
  return "{path: " + json_string(form) + ", literal: true}";
}

std::string remark(const std::string& text) { return "# " + escape_for_terminal(text) + "\n"; }

std::string names(std::size_t count) {
  return count == 1 ? "1 name" : std::to_string(count) + " names";
}

// What lies in another entry is part of it.
std::map<std::string, std::size_t> collapsed(const std::map<std::string, std::size_t>& paths) {
  std::map<std::string, std::size_t> kept;
  for (const auto& [path, count] : paths) {
    auto outer = std::find_if(kept.begin(), kept.end(), [&, &inner = path](const auto& entry) {
      return is_within(inner, entry.first);
    });
    if (outer == kept.end())
      kept.emplace(path, count);
    else
      outer->second += count;
  }
  return kept;
}

void append_paths(std::string& text, std::string_view key,
                  const std::map<std::string, std::size_t>& paths, const Place& place) {
  std::string list;
  std::size_t listed = 0;
  for (const auto& [path, count] : paths) {
    const std::string entry = entry_text(path, place);
    if (entry.empty())
      list += "    " + remark("cannot be written in a policy: " + path);
    else if (++listed <= kMostListed)
      list += "    - " + entry + "  # " + names(count) + "\n";
  }
  if (listed > kMostListed)
    list += "    " + remark("and " + std::to_string(listed - kMostListed) + " more, left out");
  if (listed == 0) {
    text += list;
    return;
  }
  text += "  " + std::string(key) + ":\n" + list;
}

}  // namespace

bool narrow_enough(const std::string& folder, const Place& place) {
  return folder != "/" && !is_within(place.home, folder);
}

std::string learned_policy(const Observed& observed, const Place& place) {
  std::string text = "# What `ward policy learn` saw a command need; it ended as " +
                     escape_for_terminal(observed.outcome) +
                     ".\n# Read it before you use it: `ward run --policy FILE -- ...`.\n"
                     "version: 1\nextends: " +
                     observed.profile + "\n";
  std::map<std::string, std::size_t> written = observed.written;
  std::string absent;
  for (const auto& [path, exists] : observed.written_alone) {
    if (exists)
      written.emplace(path, 1);
    else
      absent += remark("made " + path + ", which does not exist; make it first, then list it");
  }
  std::string lists;
  append_paths(lists, "allowWrite", collapsed(written), place);
  std::map<std::string, std::size_t> read = collapsed(observed.read);
  std::erase_if(read, [&](const auto& entry) { return written.contains(entry.first); });
  append_paths(lists, "allowRead", read, place);
  if (!lists.empty()) text += "filesystem:\n" + lists;
  if (!observed.sockets.empty()) {
    text += "network:\n  unixSockets:\n";
    for (const std::string& socket : observed.sockets) {
      const std::string entry = entry_text(socket, place);
      text += entry.empty() || entry[0] == '{'
                  ? "    " + remark("cannot be written in a policy: " + socket)
                  : "    - " + yaml_scalar(socket) + "\n";
    }
  }
  text += absent;
  for (const std::string& host : observed.hosts)
    text += remark("asked for the network: " + host + " (the network stays denied)");
  for (const std::string& denied : observed.denied) text += remark("stays denied: " + denied);
  return text;
}

}  // namespace ward::policy
