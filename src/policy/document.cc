// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/document.h"

namespace ward::policy {

namespace {

constexpr std::size_t kMaxListEntries = 65'536;

// Walks a tree along the table. Every failure gets its place: "file:line: path: message".
class Parser {
 public:
  Parser(const Origin& origin, Document& document) : document_(document) {
    document_.origin = origin;
  }

  // `prefix` is what stands before a key in the table ("filesystem.", "secrets[]."), `shown` what
  // stands before it in a message ("secrets[2].").
  Status mapping(const Node& node, const std::string& prefix, const std::string& shown) {
    for (const Member& member : node.members) {
      const KeyRow* const row = find_key(prefix + member.key);
      if (row == nullptr) return fail(unknown(member, prefix, shown));
      if (prefix.find('[') == std::string::npos && row->shape != Shape::section)
        document_.said.push_back({row, member.line});
      WARD_TRY(value(*row, member, shown + member.key));
    }
    return required_keys(node, prefix, shown);
  }

 private:
  Error placed(int line, const std::string& shown, Error error) const {
    return std::move(error).with_context(document_.origin.file + ":" + std::to_string(line) + ": " +
                                         shown);
  }

  Error unknown(const Member& member, const std::string& prefix, const std::string& shown) const {
    std::string remedy = nearest_key(prefix, member.key);
    if (remedy.empty()) {
      std::string_view separator = "the keys here are ";
      for (const KeyRow& row : key_rows()) {
        const std::string_view name =
            row.path.starts_with(prefix) ? row.path.substr(prefix.size()) : std::string_view();
        if (name.empty() || name.find_first_of(".[") != std::string_view::npos) continue;
        remedy += std::string(separator) + std::string(name);
        separator = ", ";
      }
    }
    return placed(member.line, shown + member.key.substr(0, 64),
                  Error(ErrorKind::invalid, "unknown key").with_remedy(std::move(remedy)));
  }

  Status required_keys(const Node& node, const std::string& prefix,
                       const std::string& shown) const {
    for (const KeyRow& row : key_rows()) {
      if (!row.required || !row.path.starts_with(prefix)) continue;
      const std::string_view name = row.path.substr(prefix.size());
      if (name.find_first_of(".[") != std::string_view::npos || node.find(name) != nullptr)
        continue;
      const std::string line = document_.origin.file + ":" + std::to_string(node.line);
      return fail(Error(ErrorKind::invalid, "the key '" + std::string(name) + "' is missing")
                      .with_remedy("write " + std::string(name) + ": " + std::string(row.example))
                      .with_context(
                          shown.empty() ? line : line + ": " + shown.substr(0, shown.size() - 1)));
    }
    return {};
  }

  Error wrong(const Node& node, const std::string& shown, const KeyRow& row,
              std::string_view expected) const {
    return placed(
        node.line, shown,
        Error(ErrorKind::invalid, "expected " + std::string(expected) + ", found " + describe(node))
            .with_remedy(row.example.empty() ? "leave the key out, or give it its keys"
                                             : "write it as " + std::string(row.example)));
  }

  Status take(const KeyRow& row, std::string_view key, const Node& node, const std::string& shown) {
    Status status = row.take(key, node, document_);
    if (!status) return fail(placed(node.line, shown, std::move(status).error()));
    return {};
  }

  Status value(const KeyRow& row, const Member& member, const std::string& shown) {
    const Node& node = member.value;
    switch (row.shape) {
      case Shape::section:
        if (node.kind != Node::Kind::mapping) return fail(wrong(node, shown, row, "a mapping"));
        return mapping(node, std::string(row.path) + ".", shown + ".");
      case Shape::records: return records(row, node, shown);
      case Shape::paths:
      case Shape::texts:
      case Shape::ports:
      case Shape::numbers:
      case Shape::choices: return list(row, node, shown);
      case Shape::text_map: {
        if (node.kind != Node::Kind::mapping) return fail(wrong(node, shown, row, "a mapping"));
        for (const Member& entry : node.members)
          WARD_TRY(take(row, entry.key, entry.value, shown + "." + entry.key.substr(0, 64)));
        return {};
      }
      default: return take(row, member.key, node, shown);
    }
  }

  Status check_list(const KeyRow& row, const Node& node, const std::string& shown) const {
    if (node.kind != Node::Kind::sequence) return fail(wrong(node, shown, row, "a list"));
    if (node.items.size() > kMaxListEntries)
      return fail(placed(
          node.line, shown,
          Error(ErrorKind::invalid, "more than " + std::to_string(kMaxListEntries) + " entries")
              .with_remedy("name the folder that holds them")));
    return {};
  }

  Status list(const KeyRow& row, const Node& node, const std::string& shown) {
    WARD_TRY(check_list(row, node, shown));
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Status status = row.take("", node.items[i], document_);
      if (!status)
        return fail(placed(node.items[i].line, shown + "[" + std::to_string(i) + "]",
                           std::move(status).error()));
    }
    return {};
  }

  Status records(const KeyRow& row, const Node& node, const std::string& shown) {
    WARD_TRY(check_list(row, node, shown));
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      const std::string where = shown + "[" + std::to_string(i) + "]";
      if (item.kind != Node::Kind::mapping) return fail(wrong(item, where, row, "a mapping"));
      WARD_TRY(take(row, "", item, where));
      WARD_TRY(mapping(item, std::string(row.path) + "[].", where + "."));
      if (row.path == "gates") WARD_TRY(check_gate(item, where));
      if (row.path == "secrets" && document_.secrets.back().hosts.empty())
        return fail(placed(item.line, where,
                           Error(ErrorKind::invalid, "no host may get the secret")
                               .with_remedy("name at least one in hosts")));
    }
    return {};
  }

  // A gate's keys depend on what it holds.
  Status check_gate(const Node& item, const std::string& where) const {
    const Gate& gate = document_.gates.back();
    const auto bad = [&](std::string message, std::string remedy) {
      return fail(
          placed(item.line, where,
                 Error(ErrorKind::invalid, std::move(message)).with_remedy(std::move(remedy))));
    };
    const bool of_request = !gate.host.empty() || !gate.methods.empty() || !gate.paths.empty();
    if (gate.when == Gate::When::request && gate.host.empty())
      return bad("a gate on requests needs a host", "add host: \"*.example.com\"");
    if (gate.when != Gate::When::request && of_request)
      return bad("host, methods and paths belong to a gate on requests", "write when: request");
    if (gate.when == Gate::When::action && gate.name.empty())
      return bad("a gate on an action needs its name", "add name: buy");
    if (gate.when != Gate::When::action && !gate.name.empty())
      return bad("a name belongs to a gate on an action", "write when: action");
    return {};
  }

  Document& document_;
};

}  // namespace

Result<Document> parse_document(const Origin& origin, const Node& root) {
  if (root.kind != Node::Kind::mapping)
    return fail(syntax_error(origin.file, root.line, "expected a mapping, found " + describe(root))
                    .with_remedy("start with version: 1"));
  Document document;
  WARD_TRY(Parser(origin, document).mapping(root, "", ""));
  return document;
}

Result<Document> parse_document(const Origin& origin, std::string_view text) {
  WARD_ASSIGN(const Node root, read_document(origin.file, text));
  return parse_document(origin, root);
}

}  // namespace ward::policy
