// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_planner.h"

namespace ward::confine {

AccessRules::AccessRules(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
AccessRules::~AccessRules() = default;

Access AccessRules::decide(std::string_view path) const {
  const Tables& tables = *tables_;
  const Tables::Special* own = nullptr;
  const Tables::Special* protect = nullptr;
  bool in_private = false, settled = false;
  // Upwards: the innermost private folder counts, and only where nothing in it was re-opened.
  for (std::string_view at = path;; at = parent_of(at)) {
    if (auto found = tables.special.find(at); found != tables.special.end()) {
      if (!found->second.own.empty()) own = &found->second;
      if (!found->second.protect.empty()) protect = &found->second;
      if (found->second.private_folder && !settled) in_private = settled = true;
    }
    if (!settled && tables.reopened.find(at) != tables.reopened.end()) settled = true;
    if (at == "/") break;
  }
  if (own != nullptr) return {false, false, own->own, own->own};
  if (in_private) return {true, true, "private folder", "private folder", true};

  policy::PathVerdict verdict = tables.decided->decider.decide(path);
  const std::vector<policy::PathRule>& rules = tables.decided->filesystem.rules;
  auto text = [&](const policy::PathRule* rule, std::string_view otherwise) -> std::string_view {
    return rule == nullptr ? otherwise
                           : tables.texts[static_cast<std::size_t>(rule - rules.data())];
  };
  Access out{
      verdict.read.allowed, verdict.write.allowed,
      text(verdict.read.rule, verdict.read.allowed ? "the default: read" : "the default: deny"),
      text(verdict.write.rule, "no rule makes it writable")};
  if (!out.read) out.write = false;
  if (protect != nullptr) {
    out.write = false;
    out.write_rule = protect->protect;
  }
  return out;
}

}  // namespace ward::confine
