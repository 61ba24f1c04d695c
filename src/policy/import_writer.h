// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ImportWriter collects what an import found and writes it as a document. Every entry is checked by
// the parser's own functions first; one that does not pass becomes a note. Used by import_*.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/import.h"
#include "policy/network_decision.h"
#include "policy/node.h"
#include "policy/path_entry.h"
#include "policy/policy.h"

namespace ward::policy {

class ImportWriter {
 public:
  explicit ImportWriter(std::string profile) : profile_(std::move(profile)) {}

  void note(std::string key, std::string why) {
    notes_.push_back({std::move(key), std::move(why)});
  }
  void path(PathList list, const std::string& key, const std::string& written, Spelling spelling);
  void host(HostContext context, const std::string& key, const std::string& written);
  void unix_socket(const std::string& key, const std::string& written);
  void secret(const std::string& key, const std::string& variable,
              const std::vector<std::string>& hosts);
  void nested_namespaces() { nested_ = true; }
  const std::vector<std::string>& allowed_hosts() const { return allow_; }

  Result<Imported> finish(std::string_view from) &&;

 private:
  struct Path {
    PathList list;
    std::string written;
    Spelling spelling;
  };
  void drop_writes_that_the_other_tool_denies();
  std::string list(PathList list, std::string_view key) const;

  std::string profile_;
  std::vector<ImportNote> notes_;
  std::vector<Path> paths_;
  std::vector<std::string> allow_, deny_, sockets_;
  std::map<std::string, std::vector<std::string>> secrets_;
  bool nested_ = false;
};

// The entries of a list of texts; anything else becomes a note.
std::vector<std::string> texts_of(const Node& node, const std::string& key, ImportWriter& writer);
bool is_true(const Node& node);

// The groups that both tools have: `network` and `filesystem`. Returns false for a key they do not
// share.
bool import_network_key(const std::string& key, std::string_view name, const Node& value,
                        ImportWriter& writer);
bool import_filesystem_key(const std::string& key, std::string_view name, const Node& value,
                           ImportWriter& writer, const std::string& relative_base);
void import_credentials(const std::string& key, const Node& value, ImportWriter& writer);

}  // namespace ward::policy
