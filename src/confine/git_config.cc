// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/git_config.h"

namespace ward::confine {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_name(char c) {
  c = lower(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  GitConfig read() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (is_space(c) || c == '\n') {
        ++at_;
      } else if (c == '[') {
        read_section();
      } else if (is_name(c)) {
        read_variable();
      } else {
        skip_line();
      }
    }
    return std::move(out_);
  }

 private:
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  // "[core]" or "[includeIf "gitdir:x"]"; a subsection matters only as being there.
  void read_section() {
    section_.clear();
    subsection_ = false;
    for (++at_; at_ < text_.size() && is_name(text_[at_]); ++at_) section_ += lower(text_[at_]);
    bool quoted = false;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      char c = text_[at_];
      if (quoted && c == '\\') {
        ++at_;
      } else if (c == '"') {
        quoted = !quoted;
        subsection_ = true;
      } else if (!quoted && c == ']') {
        ++at_;
        return;
      }
    }
  }

  void read_variable() {
    std::string key;
    for (; at_ < text_.size() && is_name(text_[at_]); ++at_) key += lower(text_[at_]);
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ >= text_.size() || text_[at_] != '=') return skip_line();
    ++at_;
    std::string value = read_value();
    if (section_ == "core" && !subsection_ && key == "worktree") out_.worktree = value;
    if (section_ == "core" && !subsection_ && key == "hookspath") out_.hook_paths.push_back(value);
    if ((section_ == "include" || section_ == "includeif") && key == "path")
      out_.includes.push_back(value);
  }

  std::string read_value() {
    std::string value;
    std::size_t keep = 0;  // what follows is white space that only counts before more text
    bool quoted = false;
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      char c = text_[at_];
      if (!quoted && (c == '#' || c == ';')) {
        skip_line();
        break;
      }
      if (c == '"') {
        quoted = !quoted;
        keep = value.size();
        continue;
      }
      if (c == '\\') {
        if (++at_ >= text_.size()) break;
        c = text_[at_];
        if (c == '\n') continue;
        if (c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
          ++at_;
          continue;
        }
        value += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
        keep = value.size();
        continue;
      }
      value += c;
      if (quoted || !is_space(c)) keep = value.size();
    }
    value.resize(keep);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string section_;
  bool subsection_ = false;
  GitConfig out_;
};

}  // namespace

GitConfig parse_git_config(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // git skips a byte order mark
  return Reader(text).read();
}

}  // namespace ward::confine
