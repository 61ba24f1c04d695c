// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The keys of the policy language as one table: the parser, the suggestions for a misspelt key, the
// JSON Schema and the reference in docs/policy.md (reference_test.cc holds it) all come from it, so
// they cannot disagree. Each row says what a key means and which way it can change a policy.
// Constant data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ward::policy {

struct Document;
struct Node;

// What a value looks like.
enum class Shape : std::uint8_t {
  section,  // a mapping whose keys have rows of their own
  records,  // a list of mappings whose keys have rows of their own ("secrets[].name")
  version,  // the number 1
  text,
  choice,   // one of `choices`
  choices,  // a list of them
  boolean,
  paths,     // a list of paths: text or {path, literal}
  texts,     // a list of text
  ports,     // a list of ports
  numbers,   // a list of whole numbers
  text_map,  // a mapping from names to text
  count,
  cores,
  size,
  duration,
  bandwidth,
  rate,
};

// Which way a key moves a policy; an untrusted workspace document keeps its narrowing keys only.
enum class Effect : std::uint8_t {
  neutral,    // says nothing about access (version)
  narrows,    // can only take away: denies, limits, gates
  widens,     // can only give: allows, secrets, ports
  strictest,  // a value with an order; the strictest stated one counts, so it never widens
};

// `value` goes into `document`; an error is a message without place. Called for each entry of a
// list and each member of a map (then `key` is its key), at the start of each record, else once.
using TakeValue = Status (*)(std::string_view key, const Node& value, Document& document);

struct KeyRow {
  std::string_view path;  // "filesystem.allowWrite", "secrets[].name"
  Shape shape = Shape::text;
  Effect effect = Effect::neutral;
  bool required = false;     // of a record or of the document
  std::string_view choices;  // "read deny": what a choice may be
  std::string_view meaning;
  std::string_view example;  // of the value, as YAML
  TakeValue take = nullptr;
  std::string_view unset = {};  // the value that holds where no file states one, as YAML
};

// Sections before their keys, in the order of the reference.
std::span<const KeyRow> key_rows();
const KeyRow* find_key(std::string_view path);

// "did you mean 'allowWrite'?", or "" when nothing is near: first among the keys of the same
// mapping
// (`prefix` is "filesystem." or ""), then among all.
std::string nearest_key(std::string_view prefix, std::string_view written);
// The nearest of a space-separated list of words, or "".
std::string nearest_word(std::string_view words, std::string_view written);

}  // namespace ward::policy
