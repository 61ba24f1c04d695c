// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/executed.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "confine/protected.h"

namespace ward::review {

namespace {

constexpr std::uint64_t kMostRead = 1U << 20U;

struct HarmlessKeys {
  std::string_view section;
  std::string_view keys;  // each with a blank on both sides
};
// What `git init`, `git clone` and `git remote add` write. Sorted by section.
constexpr HarmlessKeys kHarmless[] = {
    {"branch", " merge rebase remote "},
    {"core",
     " bare filemode ignorecase logallrefupdates precomposeunicode repositoryformatversion "
     "symlinks "},
    {"extensions", " objectformat partialclone refstorage "},
    {"init", " defaultbranch "},
    {"remote", " fetch partialclonefilter promisor tagopt url "},
    {"submodule", " active url "},
    {"user", " email name "},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// Git drops quotes and backslashes; what is left of a word then may be another word.
bool is_plain(std::string_view text) { return text.find_first_of("\"\\") == text.npos; }

// "ext::sh -c ..." is a command line, and "--upload-pack=..." an option.
bool is_command(std::string_view value) {
  return value.find("::") != value.npos || value.starts_with('-');
}

// The name of "[name]" or "[name "sub"]". Nothing where that is not the whole line: what git would
// find in "[core] hooksPath = x]" is a key.
std::optional<std::string> section_of(std::string_view line) {
  if (line.size() < 2 || line.front() != '[' || line.back() != ']') return std::nullopt;
  line = line.substr(1, line.size() - 2);
  const std::size_t end = line.find_first_of(" \t\"");
  const std::string_view name = line.substr(0, end);
  std::string_view sub = end == line.npos ? std::string_view() : trimmed(line.substr(end));
  if (!sub.empty()) {
    if (sub.size() < 2 || sub.front() != '"' || sub.back() != '"') return std::nullopt;
    sub = sub.substr(1, sub.size() - 2);
  }
  const bool plain = is_plain(sub) && is_plain(name) && name.find_first_of("[].=#;") == name.npos;
  if (!plain || is_command(sub)) return std::nullopt;
  return lower(name);
}

bool is_harmless(std::string_view section, std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string key = " " + lower(trimmed(line.substr(0, equals))) + " ";
  const auto* row = std::find_if(std::begin(kHarmless), std::end(kHarmless),
                                 [&](const HarmlessKeys& keys) { return keys.section == section; });
  if (row == std::end(kHarmless) || row->keys.find(key) == std::string_view::npos) return false;
  const std::string_view value = trimmed(line.substr(equals + 1));
  return is_plain(value) && !is_command(value);
}

std::string key_of(std::size_t root, const std::string& path) {
  return std::to_string(root) + "/" + path;
}

std::string parent_key(const std::string& key) { return key.substr(0, key.rfind('/')); }

}  // namespace

std::string executing_line(const std::string& config) {
  std::string section;
  for (std::size_t start = 0; start < config.size();) {
    const std::size_t end = std::min(config.find('\n', start), config.size());
    const std::string_view line = trimmed(std::string_view(config).substr(start, end - start));
    start = end + 1;
    if (line.empty()) continue;
    if (line.back() == '\\') return std::string(line);
    if (line.front() == '#' || line.front() == ';') continue;
    if (std::optional<std::string> named = section_of(line))
      section = std::move(*named);
    else if (!is_harmless(section, line))
      return std::string(line);
  }
  return "";
}

ExecutedNames::ExecutedNames(const HeldChange& held, const std::vector<Change>& changes)
    : held_(held) {
  std::set<std::string> heads, objects;
  for (const Change& change : changes) {
    if (change.kind == Change::Kind::deleted) continue;
    const std::string key = key_of(change.root, change.path);
    const std::string name = lower(key.substr(key.rfind('/') + 1));
    if (name == ".git") {
      top_folders_.insert(parent_key(key));
      git_folders_.insert(key);
    }
    if (name == "head") heads.insert(parent_key(key));
    if (name == "objects" && change.after == FileType::folder) objects.insert(parent_key(key));
  }
  // A bare repository, or one that a `.git` file leads to.
  std::set_intersection(heads.begin(), heads.end(), objects.begin(), objects.end(),
                        std::inserter(git_folders_, git_folders_.end()));
}

std::string ExecutedNames::objection(const Change& change) const {
  if (change.after != FileType::file && change.after != FileType::link) return "";
  const std::string key = key_of(change.root, change.path);
  for (std::string at = parent_key(key); at.find('/') != std::string::npos; at = parent_key(at)) {
    const bool git = git_folders_.contains(at) || lower(at.substr(at.rfind('/') + 1)) == ".git";
    if (git) {
      std::string who = in_git_folder(change, lower(key.substr(at.size() + 1)));
      if (!who.empty()) return who;
    }
    if (!top_folders_.contains(at)) continue;
    const std::string rest = key.substr(at.size() + 1);
    for (const confine::ProtectedName& row : confine::protected_project_names())
      if (rest == row.name || rest.starts_with(std::string(row.name) + "/"))
        return "in a new repository: " + std::string(row.reason);
  }
  return "";
}

std::string ExecutedNames::in_git_folder(const Change& change, const std::string& rest) const {
  const bool hook = rest.starts_with("hooks/") || rest.find("/hooks/") != std::string::npos;
  if (hook && !rest.ends_with(".sample")) return "git would execute it as a hook";
  const std::string name = rest.substr(rest.rfind('/') + 1);
  if (name != "config" && name != "config.worktree") return "";
  Result<Sides> sides = open_sides(held_, change.root);
  if (!sides) return "its git configuration cannot be read";
  Result<UniqueFd> file = open_beneath(sides->held.get(), change.path, O_RDONLY | O_NONBLOCK);
  if (!file) return "its git configuration cannot be read";
  Result<std::string> text = sys::read_fd(file->get(), kMostRead);
  if (!text) return "its git configuration cannot be read";
  std::string line = executing_line(*text);
  return line.empty() ? "" : "git may execute what its configuration says: " + line;
}

}  // namespace ward::review
