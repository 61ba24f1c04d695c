// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Node: one value of a YAML or JSON document with the place where it stands. Both readers give the
// same tree, so everything after them knows one language. What has no place in a policy is refused
// while reading: anchors, aliases, tags, duplicate keys, several documents, too much depth or size.
// A plain value; the readers are pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::policy {

inline constexpr int kMaxDepth = 16;
inline constexpr std::size_t kMaxNodes = 400'000;

struct Member;

struct Node {
  enum class Kind : std::uint8_t { null, boolean, integer, number, string, sequence, mapping };
  Kind kind = Kind::null;
  // Written without quotes in YAML: then `~` and `10` were meant as they look.
  bool plain = false;
  int line = 1;
  std::string text;  // of a scalar, unescaped
  std::vector<Node> items;
  std::vector<Member> members;

  const Node* find(std::string_view key) const;
};

struct Member {
  std::string key;
  int line = 1;
  Node value;
};

// "a mapping", "a list", "the text `x`": how a message names what it found.
std::string describe(const Node& node);

// `name` is the file, for messages ("name:LINE: ..."). An empty document is an empty mapping.
Result<Node> read_yaml(std::string_view name, std::string_view text);
// Strict JSON (RFC 8259), with any of its white space.
Result<Node> read_json(std::string_view name, std::string_view text);
// By the name's ending: `.json` is JSON, everything else YAML.
Result<Node> read_document(std::string_view name, std::string_view text);

// "name:LINE: message".
Error syntax_error(std::string_view name, int line, std::string message);

// What an unquoted scalar is in YAML's core schema, which is what a JSON Schema validator sees.
Node::Kind plain_kind(std::string_view text);

// The first key that stands twice in one mapping.
Status check_duplicates(std::string_view name, const Node& mapping);

}  // namespace ward::policy
