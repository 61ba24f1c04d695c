// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The tables of docs/policy.md, written anew from the tables of this directory: a row that is
// missing, or says another type, default or effect, fails with the text that belongs there.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "policy/keys.h"
#include "policy/lint.h"
#include "policy/load.h"
#include "policy/profiles.h"
#include "policy/test_files.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace ward::policy {
namespace {

// The rows of the one table below a heading, without its two head lines.
std::string table_below(const std::string& heading) {
  const std::string text = test::read_text(test::source_dir() + "/docs/policy.md");
  std::size_t at = text.find("\n## " + heading + "\n");
  if (at == std::string::npos) return "no heading " + heading;
  std::string rows;
  int lines = 0;
  for (at = text.find("\n|", at) + 1; text[at] == '|'; at = text.find('\n', at) + 1)
    if (++lines > 2) rows += text.substr(at, text.find('\n', at) + 1 - at);
  return rows;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string listed(std::string_view words) {
  std::string text(words);
  for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  return text;
}

std::string type_name(Shape shape) {
  switch (shape) {
    case Shape::section: return "section";
    case Shape::records: return "list of records";
    case Shape::version: return "1";
    case Shape::text: return "text";
    case Shape::choice: return "word";
    case Shape::choices: return "list of words";
    case Shape::boolean: return "true, false";
    case Shape::paths: return "list of paths";
    case Shape::texts: return "list of texts";
    case Shape::ports: return "list of ports";
    case Shape::numbers: return "list of numbers";
    case Shape::text_map: return "names and texts";
    case Shape::count: return "number";
    case Shape::cores: return "decimal number";
    case Shape::size: return "size";
    case Shape::duration: return "duration";
    case Shape::bandwidth: return "size a second";
    case Shape::rate: return "number a second";
  }
  return "";
}

std::string effect_name(Effect effect) {
  switch (effect) {
    case Effect::neutral: return "";
    case Effect::narrows: return "narrows";
    case Effect::widens: return "widens";
    case Effect::strictest: return "strictest";
  }
  return "";
}

TEST(Reference, ListsEveryKeyWithItsTypeDefaultAndEffect) {
  std::string expected;
  for (const KeyRow& row : key_rows()) {
    if (row.shape == Shape::section) continue;
    std::string meaning(row.meaning);
    if (!row.choices.empty()) meaning += " One of: " + listed(row.choices) + ".";
    if (row.required) meaning += " Required.";
    expected += row_of({code(row.path), type_name(row.shape), code(row.unset),
                        effect_name(row.effect), meaning, code(row.example)});
  }
  EXPECT_EQ(table_below("Keys"), expected);
}

std::string document_with(std::string_view key, std::string_view value) {
  const std::size_t dot = key.find('.');
  const std::string said = ": " + std::string(value) + "\n";
  if (dot == std::string_view::npos) return "version: 1\n" + std::string(key) + said;
  return "version: 1\n" + std::string(key.substr(0, dot)) + ":\n  " +
         std::string(key.substr(dot + 1)) + said;
}

// A policy but for where its built-in rules stand: a profile that is named has its namer's scope.
Policy policy_of(const std::string& text) {
  Policy policy = load_text("w.yaml", text, test_place()).value();
  for (PathRule& rule : policy.filesystem.rules) rule.origin = {};
  return policy;
}

TEST(Reference, AStatedDefaultChangesNothingAndAnotherChoiceDoes) {
  const Policy plain = policy_of("version: 1\n");
  for (const KeyRow& row : key_rows()) {
    if (row.unset.empty()) continue;
    EXPECT_EQ(policy_of(document_with(row.path, row.unset)), plain) << row.path;
  }
  for (const auto& [key, value] :
       std::map<std::string_view, std::string_view>{{"extends", "locked"},
                                                    {"filesystem.default", "deny"},
                                                    {"filesystem.protect", "emulate"},
                                                    {"env.inherit", "none"},
                                                    {"process.seccomp", "strict"}}) {
    EXPECT_FALSE(find_key(key)->unset.empty()) << key;
    EXPECT_NE(policy_of(document_with(key, value)), plain) << key;
  }
}

std::string list_name(PathList list) {
  switch (list) {
    case PathList::deny_read: return "denyRead";
    case PathList::deny_write: return "denyWrite";
    case PathList::allow_read: return "allowRead";
    case PathList::allow_write: return "allowWrite";
  }
  return "";
}

TEST(Reference, ListsEveryRowOfTheProfiles) {
  std::string expected;
  for (const ProfileRows& rows : profile_rows()) {
    std::string in, paths;
    for (const Profile profile : {Profile::locked, Profile::read_only, Profile::workspace})
      if (profile >= rows.first && profile <= rows.last)
        in += (in.empty() ? "" : ", ") + std::string(to_string(profile));
    if (rows.first == Profile::locked && rows.last == Profile::workspace) in = "all";
    for (const std::string_view path : rows.paths)
      paths += (paths.empty() ? "" : ", ") + code(path);
    expected += row_of({in, list_name(rows.list),
                        std::string(rows.why) + (rows.superuser ? " (root only)" : ""), paths});
  }
  EXPECT_EQ(table_below("Profiles"), expected);
}

TEST(Reference, ListsEveryFinding) {
  std::string expected;
  for (const FindingKind& kind : finding_kinds())
    expected +=
        row_of({code(kind.id), std::string(to_string(kind.severity)), std::string(kind.meaning)});
  EXPECT_EQ(table_below("Findings"), expected);
}

}  // namespace
}  // namespace ward::policy
