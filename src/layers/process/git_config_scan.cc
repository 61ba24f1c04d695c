// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/git_config_scan.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace ward::process {

namespace {

constexpr std::string_view kRuns = "git runs it as a command";
constexpr std::string_view kFile = "git reads more configuration or hooks from there";

constexpr ExecutingKey kExecutingKeys[] = {
    {"alias", "*", "git runs an alias in place of its name"},
    {"browser", "*", kRuns},
    {"core", "alternaterefscommand", kRuns},
    {"core", "askpass", kRuns},
    {"core", "editor", kRuns},
    {"core", "fsmonitor", "git runs it on every status"},
    {"core", "gitproxy", kRuns},
    {"core", "hookspath", kFile},
    {"core", "pager", kRuns},
    {"core", "sshcommand", kRuns},
    {"credential", "helper", kRuns},
    {"diff", "command", kRuns},
    {"diff", "external", kRuns},
    {"diff", "textconv", kRuns},
    {"difftool", "cmd", kRuns},
    {"difftool", "path", kRuns},
    {"filter", "clean", "git runs it on add and diff"},
    {"filter", "process", "git runs it on add and checkout"},
    {"filter", "smudge", "git runs it on checkout"},
    {"gc", "recentobjectshook", kRuns},
    {"gpg", "defaultkeycommand", kRuns},
    {"gpg", "program", kRuns},
    {"guitool", "cmd", kRuns},
    {"help", "browser", kRuns},
    {"hook", "*", kRuns},
    {"imap", "tunnel", kRuns},
    {"include", "path", kFile},
    {"includeif", "path", kFile},
    {"init", "templatedir", kFile},
    {"instaweb", "*", kRuns},
    {"interactive", "difffilter", kRuns},
    {"lfs", "*", "git-lfs runs transfer programs and extensions it names"},
    {"man", "*", kRuns},
    {"merge", "driver", kRuns},
    {"mergetool", "cmd", kRuns},
    {"mergetool", "path", kRuns},
    {"pager", "*", kRuns},
    {"protocol", "allow", "lets a remote's address be a command"},
    {"remote", "proxy", kRuns},
    {"remote", "receivepack", kRuns},
    {"remote", "uploadpack", kRuns},
    {"remote", "vcs", kRuns},
    {"sendemail", "*", kRuns},
    {"sequence", "editor", kRuns},
    {"submodule", "update", kRuns},
    {"tar", "command", kRuns},
    {"trailer", "cmd", kRuns},
    {"trailer", "command", kRuns},
    {"uploadpack", "packobjectshook", kRuns},
    {"web", "browser", kRuns},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// A remote whose address names a program to run or smuggles an option.
bool is_executing_address(std::string_view value) {
  return value.find("::") != std::string_view::npos || value.starts_with('-');
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::vector<ConfigFinding> run() {
    // git skips a byte order mark.
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    while (!rest_.empty() && findings_.size() < kMaxConfigFindings) line();
    return std::move(findings_);
  }

 private:
  // Lines are never joined: where git sees a value going on after a backslash, and where not (in a
  // comment), decides what the next line is, and taking it as a line of its own hides no key.
  std::string_view next_line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return text;
  }

  void line() {
    const std::string_view whole = trim(next_line());
    std::string_view text = whole;
    const int at = line_;
    read_line(text, at);
    continued_ = whole.ends_with('\\');
  }

  void read_line(std::string_view text, int at) {
    // A section and a key may share a line.
    while (text.starts_with('[')) {
      std::optional<std::size_t> end = section(text);
      if (!end) return report(std::string(text.substr(0, 80)), "not understood", at);
      text = trim(text.substr(*end));
    }
    if (text.empty() || text.front() == '#' || text.front() == ';') return;
    const std::size_t equals = text.find('=');
    const std::string key = lower(trim(text.substr(0, equals)));
    const bool sane = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
    });
    // A key without `=` may carry a comment.
    const bool commented = equals == std::string_view::npos && key.find_first_of("#;") != key.npos;
    if (!sane && !commented) return report(std::string(text.substr(0, 80)), "not understood", at);
    // git drops quotes and the backslashes of escapes.
    std::string value(equals == std::string_view::npos ? "" : trim(text.substr(equals + 1)));
    std::erase_if(value, [](char c) { return c == '"' || c == '\\'; });
    take(commented ? key.substr(0, key.find_first_of(" \t#;")) : key, value, at);
  }

  // Reads "[section "sub"]"; the position after it.
  std::optional<std::size_t> section(std::string_view text) {
    std::string name;
    std::optional<std::string> sub;
    std::size_t at = 1;
    while (at < text.size() && text[at] != ']' && text[at] != '"') name += text[at++];
    const bool quoted = at < text.size() && text[at] == '"';
    if (quoted) {
      sub.emplace();
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        *sub += text[at];
      }
      ++at;
      while (at < text.size() && is_space(text[at])) ++at;
    }
    if (at >= text.size() || text[at] != ']') return {};
    name = lower(trim(name));
    if (const std::size_t dot = name.find('.'); dot != std::string::npos && !quoted) {
      sub = name.substr(dot + 1);
      name.resize(dot);
    }
    // After a backslash at the end of a line this may be the rest of a value, and the old section
    // still be in force: then keys are taken for keys of both.
    if (!continued_) sections_.clear();
    if (sections_.size() == kMaxCandidates) return {};
    sections_.push_back({std::move(name), std::move(sub)});
    return at + 1;
  }

  struct Section {
    std::string name;
    std::optional<std::string> sub;
  };

  void take(const std::string& key, std::string_view value, int at) {
    for (const Section& section : sections_) take_in(section, key, value, at);
  }

  void take_in(const Section& section, const std::string& key, std::string_view value, int at) {
    std::string shown = section.name + '.';
    if (section.sub) shown += *section.sub + '.';
    shown += key;
    if ((section.name == "remote" && (key == "url" || key == "pushurl")) || section.name == "url") {
      if (is_executing_address(value) || is_executing_address(section.sub.value_or("")))
        report(shown, "an address that names a program", at);
      return;
    }
    // git's own file system monitor is no command.
    const std::string plain = lower(value);
    if (section.name == "core" && key == "fsmonitor" && (plain == "true" || plain == "false"))
      return;
    // `!command` is the only value that executes.
    if (section.name == "submodule" && key == "update" && value.find('!') == std::string_view::npos)
      return;
    for (const ExecutingKey& known : kExecutingKeys)
      if (known.section == section.name && (known.key == "*" || known.key == key))
        return report(shown, known.reason, at);
  }

  void report(std::string key, std::string_view reason, int at) {
    // It goes to terminals and reports.
    for (char& c : key)
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
    findings_.push_back({std::move(key), reason, at});
  }

  std::string_view rest_;
  int line_ = 0;
  static constexpr std::size_t kMaxCandidates = 16;
  std::vector<Section> sections_;
  bool continued_ = false;  // the line before ended in a backslash
  std::vector<ConfigFinding> findings_;
};

}  // namespace

std::span<const ExecutingKey> executing_keys() { return kExecutingKeys; }

std::vector<ConfigFinding> scan_git_config(std::string_view text) { return Scanner(text).run(); }

}  // namespace ward::process
