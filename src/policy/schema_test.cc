// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/schema.h"

#include <gtest/gtest.h>

#include <charconv>
#include <regex>

#include "policy/document.h"
#include "policy/keys.h"
#include "policy/load.h"
#include "policy/test_files.h"

namespace ward::policy {
namespace {

const Node& schema() {
  static const Node root = read_json("schema", json_schema()).value();
  return root;
}

std::string type_of(const Node& value) {
  switch (value.kind) {
    case Node::Kind::null: return "null";
    case Node::Kind::boolean: return "boolean";
    case Node::Kind::integer: return "integer";
    case Node::Kind::number: return "number";
    case Node::Kind::string: return "string";
    case Node::Kind::sequence: return "array";
    case Node::Kind::mapping: return "object";
  }
  return "";
}

double number(const Node& node) {
  double value = 0;
  std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
  return value;
}

bool accepts(const Node& s, const Node& value);

bool accepts_object(const Node& s, const Node& value) {
  const Node* properties = s.find("properties");
  const Node* additional = s.find("additionalProperties");
  const Node* names = s.find("propertyNames");
  for (const Member& member : value.members) {
    if (names != nullptr &&
        !std::regex_search(member.key, std::regex(names->find("pattern")->text)))
      return false;
    const Node* known = properties != nullptr ? properties->find(member.key) : nullptr;
    if (known != nullptr ? !accepts(*known, member.value)
                         : additional != nullptr &&
                               (additional->text == "false" || !accepts(*additional, member.value)))
      return false;
  }
  if (const Node* required = s.find("required"))
    for (const Node& name : required->items)
      if (value.find(name.text) == nullptr) return false;
  return true;
}

// The part of JSON Schema that the schema uses.
bool accepts(const Node& s, const Node& value) {
  if (s.find("$ref") != nullptr) return accepts(*schema().find("$defs")->find("path"), value);
  if (const Node* any = s.find("anyOf"))
    return std::any_of(any->items.begin(), any->items.end(),
                       [&](const Node& one) { return accepts(one, value); });
  if (const Node* constant = s.find("const"))
    return constant->text == value.text && constant->kind == value.kind;
  if (const Node* choices = s.find("enum"))
    return value.kind == Node::Kind::string &&
           std::any_of(choices->items.begin(), choices->items.end(),
                       [&](const Node& c) { return c.text == value.text; });
  const std::string& type = s.find("type")->text;
  if (type != type_of(value) && !(type == "number" && value.kind == Node::Kind::integer))
    return false;
  if (const Node* minimum = s.find("minimum");
      minimum != nullptr && number(value) < number(*minimum))
    return false;
  if (const Node* maximum = s.find("maximum");
      maximum != nullptr && number(value) > number(*maximum))
    return false;
  if (const Node* length = s.find("minLength"); length != nullptr && value.text.empty())
    return false;
  if (const Node* pattern = s.find("pattern");
      pattern != nullptr && !std::regex_search(value.text, std::regex(pattern->text)))
    return false;
  if (const Node* items = s.find("items"))
    for (const Node& item : value.items)
      if (!accepts(*items, item)) return false;
  return value.kind != Node::Kind::mapping || accepts_object(s, value);
}

struct Agreement {
  bool schema, parser;
};
Agreement ask(const std::string& text) {
  const Result<Node> node = read_yaml("w", text);
  return {node && accepts(schema(), *node),
          parse_document({"w", 0, Scope::user}, text).has_value()};
}

TEST(Schema, NamesItsDraft) {
  EXPECT_EQ(schema().find("$schema")->text, "https://json-schema.org/draft/2020-12/schema");
}

TEST(Schema, AcceptsTheExampleOfEachKeyAsTheParserDoes) {
  for (const KeyRow& row : key_rows()) {
    if (row.shape == Shape::section || row.path.find('[') != std::string_view::npos) continue;
    const std::string path(row.path), example(row.example);
    const std::size_t dot = path.find('.');
    std::string text = path == "version" ? "" : "version: 1\n";
    text += dot == std::string::npos
                ? path + ": " + example + "\n"
                : path.substr(0, dot) + ":\n  " + path.substr(dot + 1) + ": " + example + "\n";
    const Agreement agreement = ask(text);
    EXPECT_TRUE(agreement.schema) << text;
    EXPECT_TRUE(agreement.parser) << text;
  }
}

TEST(Schema, RefusesAnUnknownKeyInEverySectionAsTheParserDoes) {
  std::vector<std::string> texts = {"version: 1\nxyzzy: 1\n", "extends: workspace\n"};
  for (const KeyRow& row : key_rows()) {
    if (row.shape == Shape::section)
      texts.push_back("version: 1\n" + std::string(row.path) + ": {xyzzy: 1}\n");
    if (row.shape == Shape::records && row.path.find('.') == std::string_view::npos)
      texts.push_back("version: 1\n" + std::string(row.path) + ": [{xyzzy: 1}]\n");
  }
  for (const std::string& text : texts) {
    EXPECT_FALSE(ask(text).schema) << text;
    EXPECT_FALSE(ask(text).parser) << text;
  }
}

// Every value of a wrong type, for every key: neither takes it.
TEST(Schema, RefusesWrongTypesAsTheParserDoes) {
  for (const KeyRow& row : key_rows()) {
    if (row.path.find('[') != std::string_view::npos) continue;
    const std::string path(row.path);
    const std::size_t dot = path.find('.');
    for (const char* value :
         {"1", "true", "x y", "[1]", "[true]", "[x y]", "{a: 1}", "[[]]", "[{}]"}) {
      std::string text = path == "version" ? "" : "version: 1\n";
      text += dot == std::string::npos
                  ? path + ": " + value + "\n"
                  : path.substr(0, dot) + ":\n  " + path.substr(dot + 1) + ": " + value + "\n";
      const Agreement agreement = ask(text);
      // The parser knows more than a schema can say (hosts, patterns), never less.
      EXPECT_TRUE(agreement.schema || !agreement.parser) << text;
    }
  }
}

TEST(StartingDocument, ParsesAndEveryRemarkInItParsesToo) {
  for (const Profile profile : {Profile::locked, Profile::read_only, Profile::workspace}) {
    const std::string text = starting_document(profile);
    ASSERT_TRUE(load_text("w.yaml", text, test_place()));
    std::string opened;
    for (std::size_t start = text.find("# # "); start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      opened += (line.starts_with("# ") ? line.substr(2) : line) + "\n";
      start = end + 1;
    }
    const Result<Policy> policy = load_text("w.yaml", "version: 1\n" + opened, test_place());
    EXPECT_TRUE(policy) << policy.error().describe() << "\n" << opened;
  }
}

}  // namespace
}  // namespace ward::policy
