// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/node.h"

#include <algorithm>

namespace ward::policy {

namespace {

constexpr std::size_t kQuotedInMessage = 40;

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

bool is_integer(std::string_view text) {
  if (all_digits(without_sign(text))) return true;
  const bool hex = text.starts_with("0x"), octal = text.starts_with("0o");
  if ((!hex && !octal) || text.size() < 3) return false;
  const std::string_view digits = hex ? "0123456789abcdefABCDEF" : "01234567";
  return text.substr(2).find_first_not_of(digits) == std::string_view::npos;
}

bool is_float(std::string_view text) {
  text = without_sign(text);
  if (text == ".inf" || text == ".Inf" || text == ".INF" || text == ".nan" || text == ".NaN" ||
      text == ".NAN")
    return true;
  std::string_view mantissa = text;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    if (!all_digits(without_sign(text.substr(e + 1)))) return false;
    mantissa = text.substr(0, e);
  }
  const std::size_t dot = mantissa.find('.');
  if (dot == std::string_view::npos) return all_digits(mantissa);
  const std::string_view whole = mantissa.substr(0, dot), part = mantissa.substr(dot + 1);
  if (whole.empty() && part.empty()) return false;
  return (whole.empty() || all_digits(whole)) && (part.empty() || all_digits(part));
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Member& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

std::string describe(const Node& node) {
  std::string text = node.text.substr(0, kQuotedInMessage);
  if (text.size() < node.text.size()) text += "...";
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::boolean: return "the boolean " + text;
    case Node::Kind::integer:
    case Node::Kind::number: return "the number " + text;
    case Node::Kind::string: return "the text '" + text + "'";
    case Node::Kind::sequence: return "a list";
    case Node::Kind::mapping: return "a mapping";
  }
  return "nothing";
}

Node::Kind plain_kind(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return Node::Kind::null;
  if (text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" ||
      text == "FALSE")
    return Node::Kind::boolean;
  const char first = text[0];
  if ((first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.') {
    if (is_integer(text)) return Node::Kind::integer;
    if (is_float(text)) return Node::Kind::number;
  }
  return Node::Kind::string;
}

Error syntax_error(std::string_view name, int line, std::string message) {
  return {ErrorKind::invalid,
          std::string(name) + ":" + std::to_string(line) + ": " + std::move(message)};
}

Status check_duplicates(std::string_view name, const Node& mapping) {
  std::vector<const Member*> sorted;
  sorted.reserve(mapping.members.size());
  for (const Member& member : mapping.members) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Member* a, const Member* b) { return a->key < b->key; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->key == sorted[i - 1]->key)
      return fail(syntax_error(name, sorted[i]->line,
                               "the key '" + sorted[i]->key + "' stands twice, first on line " +
                                   std::to_string(sorted[i - 1]->line))
                      .with_remedy("join the two"));
  return {};
}

Result<Node> read_document(std::string_view name, std::string_view text) {
  return name.ends_with(".json") ? read_json(name, text) : read_yaml(name, text);
}

}  // namespace ward::policy
