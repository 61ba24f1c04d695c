// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/import_writer.h"

#include <algorithm>

#include "policy/document.h"
#include "policy/explain.h"
#include "policy/quantities.h"
#include "policy/yaml_writer.h"

namespace ward::policy {

namespace {

// Whether `deny` covers `allow`, with the tokens as if they were folders of their own.
bool covers(const PathEntry& deny, const PathEntry& allow) {
  if (deny.base != allow.base || deny.up != allow.up) return false;
  return is_within("/" + allow.rest, deny.rest.empty() ? "/" : "/" + deny.rest);
}

// Texts come from a file that nobody checked; a note shows them on one line.
std::string shown(std::string_view text) { return json_string(text.substr(0, 200)); }

}  // namespace

void ImportWriter::path(PathList list, const std::string& key, const std::string& written,
                        Spelling spelling) {
  const Result<PathEntry> entry = parse_path_entry(written, spelling);
  if (!entry) return note(key, entry.error().describe());
  paths_.push_back({list, written, spelling});
}

void ImportWriter::host(HostContext context, const std::string& key, const std::string& written) {
  const Result<HostPort> host = parse_host_pattern(written, context);
  if (!host) return note(key, host.error().describe());
  std::vector<std::string>& hosts = context == HostContext::allow ? allow_ : deny_;
  if (std::find(hosts.begin(), hosts.end(), written) == hosts.end()) hosts.push_back(written);
}

void ImportWriter::unix_socket(const std::string& key, const std::string& written) {
  const Result<PathEntry> entry = parse_path_entry(written, Spelling::pattern);
  if (!entry) return note(key, entry.error().describe());
  if (!entry->literal) return note(key, shown(written) + ": a socket is named without wildcards");
  sockets_.push_back(written);
}

void ImportWriter::secret(const std::string& key, const std::string& variable,
                          const std::vector<std::string>& hosts) {
  if (Status good = check_variable_name(variable); !good) return note(key, good.error().describe());
  std::vector<std::string> plain;
  for (const std::string& written : hosts) {
    const Result<HostPort> host = parse_host_pattern(written, HostContext::allow);
    if (host && host->host.find(':') == std::string::npos) plain.push_back(host->host);
  }
  if (plain.empty())
    return note(key,
                "a secret needs the hosts that may get it; without one the variable is not passed");
  secrets_[variable] = std::move(plain);
}

// In both tools denyWrite wins over every allowWrite below it; here the more specific path wins.
void ImportWriter::drop_writes_that_the_other_tool_denies() {
  std::vector<Path> kept;
  for (const Path& path : paths_) {
    const auto denies = [&](const Path& other) {
      if (path.list != PathList::allow_write || other.list != PathList::deny_write) return false;
      const Result<PathEntry> deny = parse_path_entry(other.written, other.spelling);
      const Result<PathEntry> allow = parse_path_entry(path.written, path.spelling);
      return deny && allow && deny->literal && covers(*deny, *allow);
    };
    const auto denier = std::find_if(paths_.begin(), paths_.end(), denies);
    if (denier == paths_.end())
      kept.push_back(path);
    else
      note("allowWrite " + shown(path.written),
           "left out: denyWrite " + shown(denier->written) +
               " wins over it there, whatever is more specific");
  }
  paths_ = std::move(kept);
}

std::string ImportWriter::list(PathList list, std::string_view key) const {
  std::string text;
  std::vector<std::string> lines;
  for (const Path& path : paths_) {
    if (path.list != list) continue;
    std::string line = yaml_scalar(path.written);
    if (path.spelling == Spelling::literal) line = "{path: " + line + ", literal: true}";
    if (std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(std::move(line));
  }
  if (lines.empty()) return "";
  text = "  " + std::string(key) + ":\n";
  for (const std::string& line : lines) text += "    - " + line + "\n";
  return text;
}

Result<Imported> ImportWriter::finish(std::string_view from) && {
  drop_writes_that_the_other_tool_denies();
  std::string text =
      "# Imported from " + std::string(from) + ".\nversion: 1\nextends: " + profile_ + "\n";
  std::string body;
  for (const PathList which :
       {PathList::allow_write, PathList::deny_write, PathList::deny_read, PathList::allow_read})
    body += list(which, list_name(which));
  if (!body.empty()) text += "filesystem:\n" + body;
  body.clear();
  const auto texts = [&](std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    body += "  " + std::string(key) + ":\n";
    for (const std::string& value : values) body += "    - " + yaml_scalar(value) + "\n";
  };
  texts("allow", allow_);
  texts("deny", deny_);
  texts("unixSockets", sockets_);
  if (!body.empty()) text += "network:\n" + body;
  if (!secrets_.empty()) text += "secrets:\n";
  for (const auto& [name, hosts] : secrets_) {
    text += "  - name: " + yaml_scalar(name) + "\n    from: " + yaml_scalar("env:" + name) +
            "\n    hosts:\n";
    for (const std::string& host : hosts) text += "      - " + yaml_scalar(host) + "\n";
  }
  if (nested_) text += "process:\n  nestedNamespaces: true\n";
  // A path may hold what YAML cannot, such as U+FFFE.
  WARD_TRY(in_context(parse_document({"import", 0, Scope::user}, text), std::string(from)));
  return Imported{std::move(text), std::move(notes_)};
}

std::vector<std::string> texts_of(const Node& node, const std::string& key, ImportWriter& writer) {
  std::vector<std::string> texts;
  if (node.kind != Node::Kind::sequence) {
    writer.note(key, "expected a list, found " + describe(node));
    return texts;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.items[i].kind == Node::Kind::string)
      texts.push_back(node.items[i].text);
    else
      writer.note(key + "[" + std::to_string(i) + "]",
                  "expected text, found " + describe(node.items[i]));
  }
  return texts;
}

bool is_true(const Node& node) { return node.kind == Node::Kind::boolean && node.text == "true"; }

}  // namespace ward::policy
