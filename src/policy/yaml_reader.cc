// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <yaml.h>

#include <memory>

#include "policy/node.h"

namespace ward::policy {

namespace {

// Owns libyaml's parser and the current event.
class Events {
 public:
  Events(std::string_view name, std::string_view text) : name_(name) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Events() {
    drop();
    if (ready_) yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Status next() {
    drop();
    if (!ready_) return fail(ErrorKind::exhausted, "no memory for the YAML parser");
    if (yaml_parser_parse(&parser_, &event_) != 1) return fail(problem());
    held_ = true;
    return {};
  }
  const yaml_event_t& event() const { return event_; }
  int line() const { return static_cast<int>(event_.start_mark.line) + 1; }
  std::string_view name() const { return name_; }

 private:
  void drop() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }

  Error problem() const {
    const std::size_t line =
        parser_.error == YAML_READER_ERROR ? parser_.mark.line : parser_.problem_mark.line;
    std::string message = "not valid YAML: ";
    message += parser_.problem != nullptr ? parser_.problem : "no reason given";
    if (parser_.context != nullptr) message += std::string(" ") + parser_.context;
    return syntax_error(name_, static_cast<int>(line) + 1, std::move(message))
        .with_remedy("quote text that holds special characters, and indent with spaces");
  }

  std::string_view name_;
  yaml_parser_t parser_ = {};
  yaml_event_t event_ = {};
  bool ready_ = false, held_ = false;
};

class Reader {
 public:
  Reader(std::string_view name, std::string_view text) : events_(name, text) {}

  Result<Node> document() {
    WARD_TRY(events_.next());  // the start of the stream
    WARD_TRY(events_.next());
    Node root;
    root.kind = Node::Kind::mapping;
    if (events_.event().type == YAML_STREAM_END_EVENT) return root;
    WARD_TRY(events_.next());
    WARD_ASSIGN(root, node(0));
    if (root.kind == Node::Kind::null) root.kind = Node::Kind::mapping;
    WARD_TRY(events_.next());  // the end of the document
    WARD_TRY(events_.next());
    if (events_.event().type != YAML_STREAM_END_EVENT)
      return fail(here("a second document starts").with_remedy("keep one document a file"));
    return root;
  }

 private:
  Error here(std::string message) const {
    return syntax_error(events_.name(), events_.line(), std::move(message));
  }

  // What would make one text mean different things to different readers.
  Status check_properties(const void* anchor, const void* tag) const {
    if (anchor != nullptr)
      return fail(here("anchors are not part of the policy language")
                      .with_remedy("write the value out, or quote text that starts with &"));
    if (tag != nullptr)
      return fail(here("tags are not part of the policy language")
                      .with_remedy("leave the tag out, or quote text that starts with !"));
    return {};
  }

  // The node that the current event starts; afterwards its last event is current.
  Result<Node> node(int depth) {
    if (depth > kMaxDepth)
      return fail(here("nested deeper than " + std::to_string(kMaxDepth) + " levels"));
    if (++nodes_ > kMaxNodes)
      return fail(here("more than " + std::to_string(kMaxNodes) + " values"));
    switch (events_.event().type) {
      case YAML_SCALAR_EVENT: return scalar();
      case YAML_SEQUENCE_START_EVENT: return sequence(depth);
      case YAML_MAPPING_START_EVENT: return mapping(depth);
      case YAML_ALIAS_EVENT:
        return fail(here("aliases are not part of the policy language")
                        .with_remedy("write the value out, or quote text that starts with *"));
      default: return fail(here("a value is missing"));
    }
  }

  Result<Node> scalar() {
    const auto& scalar = events_.event().data.scalar;
    WARD_TRY(check_properties(scalar.anchor, scalar.tag));
    Node node;
    node.line = events_.line();
    node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node.plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node.kind = node.plain ? plain_kind(node.text) : Node::Kind::string;
    return node;
  }

  Result<Node> sequence(int depth) {
    const auto& start = events_.event().data.sequence_start;
    WARD_TRY(check_properties(start.anchor, start.tag));
    Node node;
    node.kind = Node::Kind::sequence;
    node.line = events_.line();
    for (;;) {
      WARD_TRY(events_.next());
      if (events_.event().type == YAML_SEQUENCE_END_EVENT) return node;
      WARD_ASSIGN(Node item, this->node(depth + 1));
      node.items.push_back(std::move(item));
    }
  }

  Result<Node> mapping(int depth) {
    const auto& start = events_.event().data.mapping_start;
    WARD_TRY(check_properties(start.anchor, start.tag));
    Node node;
    node.kind = Node::Kind::mapping;
    node.line = events_.line();
    for (;;) {
      WARD_TRY(events_.next());
      if (events_.event().type == YAML_MAPPING_END_EVENT) break;
      if (events_.event().type != YAML_SCALAR_EVENT) return fail(here("a key must be plain text"));
      WARD_ASSIGN(Node key, scalar());
      WARD_TRY(events_.next());
      WARD_ASSIGN(Node value, this->node(depth + 1));
      node.members.push_back({std::move(key.text), key.line, std::move(value)});
    }
    WARD_TRY(check_duplicates(events_.name(), node));
    return node;
  }

  Events events_;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<Node> read_yaml(std::string_view name, std::string_view text) {
  return Reader(name, text).document();
}

}  // namespace ward::policy
