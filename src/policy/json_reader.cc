// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// An own reader because libyaml is none for JSON: it knows no surrogate pairs, ends a key after
// 1,024 characters, and accepts what JSON does not.
#include <algorithm>
#include <cstdint>

#include "policy/node.h"

namespace ward::policy {

namespace {

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

// The length of the well-formed UTF-8 sequence at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text, at + i)) return 0;
  if ((first == 0xE0U && byte(1) < 0xA0U) || (first == 0xEDU && byte(1) > 0x9FU) ||
      (first == 0xF0U && byte(1) < 0x90U) || (first == 0xF4U && byte(1) > 0x8FU))
    return 0;
  return length;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80U) {
    put(point);
  } else if (point < 0x800U) {
    put(0xC0U | (point >> 6U));
    put(0x80U | (point & 0x3FU));
  } else if (point < 0x10000U) {
    put(0xE0U | (point >> 12U));
    put(0x80U | ((point >> 6U) & 0x3FU));
    put(0x80U | (point & 0x3FU));
  } else {
    put(0xF0U | (point >> 18U));
    put(0x80U | ((point >> 12U) & 0x3FU));
    put(0x80U | ((point >> 6U) & 0x3FU));
    put(0x80U | (point & 0x3FU));
  }
}

class Reader {
 public:
  Reader(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  Result<Node> document() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    skip_space();
    WARD_ASSIGN(Node root, value(0));
    skip_space();
    if (at_ < text_.size()) return fail(here("text after the end of the document"));
    return root;
  }

 private:
  Error here(std::string message) const {
    return syntax_error(name_, line_, "not valid JSON: " + std::move(message));
  }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
    }
  }

  Result<Node> value(int depth) {
    if (depth > kMaxDepth)
      return fail(here("nested deeper than " + std::to_string(kMaxDepth) + " levels"));
    if (++nodes_ > kMaxNodes)
      return fail(here("more than " + std::to_string(kMaxNodes) + " values"));
    if (at('{')) return object(depth);
    if (at('[')) return array(depth);
    Node node;
    node.line = line_;
    if (at('"')) {
      node.kind = Node::Kind::string;
      WARD_ASSIGN(node.text, string());
      return node;
    }
    return word(std::move(node));
  }

  // true, false, null or a number.
  Result<Node> word(Node node) {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n,:]}{[\"").find(text_[at_]) == std::string_view::npos)
      ++at_;
    node.text = text_.substr(start, at_ - start);
    node.plain = true;
    if (node.text.empty()) return fail(here("a value is missing"));
    if (node.text == "null") return node;
    if (node.text == "true" || node.text == "false") {
      node.kind = Node::Kind::boolean;
      return node;
    }
    if (!is_number(node.text)) {
      node.text.resize(std::min<std::size_t>(node.text.size(), 40));
      return fail(here("'" + node.text + "' is no value").with_remedy("text stands in quotes"));
    }
    node.kind = node.text.find_first_of(".eE") == std::string::npos ? Node::Kind::integer
                                                                    : Node::Kind::number;
    return node;
  }

  static bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const auto digits = [&] {
      std::size_t n = 0;
      while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
      const bool leading_zero = n > 1 && text[0] == '0';
      text.remove_prefix(n);
      return std::pair{n > 0, leading_zero};
    };
    if (const auto [some, zero] = digits(); !some || zero) return false;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      if (!digits().first) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
      text.remove_prefix(1);
      if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
      if (!digits().first) return false;
    }
    return text.empty();
  }

  Result<Node> array(int depth) {
    Node node;
    node.kind = Node::Kind::sequence;
    node.line = line_;
    ++at_;
    skip_space();
    if (at(']')) {
      ++at_;
      return node;
    }
    for (;;) {
      skip_space();
      WARD_ASSIGN(Node item, value(depth + 1));
      node.items.push_back(std::move(item));
      skip_space();
      if (!at(',') && !at(']')) return fail(here("a list goes on with ',' or ends with ']'"));
      if (text_[at_++] == ']') return node;
    }
  }

  Result<Node> object(int depth) {
    Node node;
    node.kind = Node::Kind::mapping;
    node.line = line_;
    ++at_;
    skip_space();
    if (at('}')) {
      ++at_;
      return node;
    }
    for (;;) {
      skip_space();
      if (!at('"')) return fail(here("a key in quotes is missing"));
      Member member;
      member.line = line_;
      WARD_ASSIGN(member.key, string());
      skip_space();
      if (!at(':')) return fail(here("':' is missing after the key '" + member.key + "'"));
      ++at_;
      skip_space();
      WARD_ASSIGN(member.value, value(depth + 1));
      node.members.push_back(std::move(member));
      skip_space();
      if (!at(',') && !at('}')) return fail(here("a mapping goes on with ',' or ends with '}'"));
      if (text_[at_++] == '}') break;
    }
    WARD_TRY(check_duplicates(name_, node));
    return node;
  }

  Result<std::string> string() {
    std::string out;
    for (++at_;;) {
      if (at_ >= text_.size()) return fail(here("a text in quotes does not end"));
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20U)
        return fail(here("a control character stands in a text"));
      if (c == '\\') {
        WARD_TRY(escape(out));
        continue;
      }
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) return fail(here("the text is not UTF-8"));
      out.append(text_, at_, length);
      at_ += length;
    }
    ++at_;
    return out;
  }

  Status escape(std::string& out) {
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == 'u') return unicode_escape(out);
    constexpr std::string_view kWritten = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const std::size_t which = c == '\0' ? std::string_view::npos : kWritten.find(c);
    if (which == std::string_view::npos) return fail(here("an unknown escape after '\\'"));
    out += kMeant[which];
    at_ += 2;
    return {};
  }

  Status unicode_escape(std::string& out) {
    WARD_ASSIGN(std::uint32_t point, hex4());
    if (point >= 0xD800U && point <= 0xDBFFU) {
      WARD_ASSIGN(const std::uint32_t low, hex4());
      if (low < 0xDC00U || low > 0xDFFFU) return fail(here("half of a surrogate pair"));
      point = 0x10000U + ((point - 0xD800U) << 10U) + (low - 0xDC00U);
    } else if (point >= 0xDC00U && point <= 0xDFFFU) {
      return fail(here("half of a surrogate pair"));
    }
    append_utf8(out, point);
    return {};
  }

  // The value of "\uXXXX" at the current place, which is passed.
  Result<std::uint32_t> hex4() {
    if (text_.substr(at_, 2) != "\\u" || at_ + 6 > text_.size())
      return fail(here("half of a surrogate pair or of an escape"));
    std::uint32_t point = 0;
    for (const char c : text_.substr(at_ + 2, 4)) {
      std::uint32_t digit = 16;
      if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
      if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a') + 10;
      if (c >= 'A' && c <= 'F') digit = static_cast<std::uint32_t>(c - 'A') + 10;
      if (digit == 16) return fail(here("\\u needs four hexadecimal digits"));
      point = point * 16 + digit;
    }
    at_ += 6;
    return point;
  }

  std::string_view name_, text_;
  std::size_t at_ = 0, nodes_ = 0;
  int line_ = 1;
};

}  // namespace

Result<Node> read_json(std::string_view name, std::string_view text) {
  return Reader(name, text).document();
}

}  // namespace ward::policy
