// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/path_entry.h"

#include "policy/glob.h"

namespace ward::policy {

namespace {

constexpr std::size_t kMaxPathBytes = 4095;

tl::unexpected<Error> bad(std::string message, std::string remedy) {
  return fail(Error(ErrorKind::invalid, std::move(message)).with_remedy(std::move(remedy)));
}

Status check_characters(std::string_view written) {
  if (written.empty()) return bad("a path is empty", "write . for the workspace or / for the root");
  if (written.size() > kMaxPathBytes)
    return bad("a path is longer than " + std::to_string(kMaxPathBytes) + " bytes", "shorten it");
  for (const char c : written)
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7f)
      return bad("a path holds a control character", "write the path without it");
  return {};
}

// Splits the token off the front. What remains is relative to the base.
Result<PathEntry::Base> take_base(std::string_view& text) {
  const auto is_token = [&](std::string_view token) {
    return text == token || (text.starts_with(token) && text[token.size()] == '/');
  };
  if (text[0] == '/') return PathEntry::Base::root;
  if (text[0] == '~') {
    if (!is_token("~"))
      return bad("'" + std::string(text) + "': another user's home is not looked up",
                 "write the absolute path, or ./" + std::string(text) + " for a name with ~");
    text.remove_prefix(1);
    return PathEntry::Base::home;
  }
  if (text[0] == '@') {
    if (text == "@programs") {
      text.remove_prefix(text.size());
      return PathEntry::Base::programs;
    }
    if (!is_token("@tmp"))
      return bad("'" + std::string(text) + "': the tokens with @ are @tmp and @programs",
                 "write ./" + std::string(text) + " for a name that starts with @");
    text.remove_prefix(4);
    return PathEntry::Base::temp;
  }
  if (text[0] == '$')
    return bad("'" + std::string(text) + "': variables are not expanded",
               "write ~ for the home folder, . for the workspace, @tmp for the temporary folder, "
               "or ./" +
                   std::string(text) + " for a name with $");
  return PathEntry::Base::workspace;
}

void append_component(std::string& path, std::string_view component) {
  if (!path.empty()) path += '/';
  path += component;
}

// Drops trailing `/**`, which every pattern implies.
void drop_trailing_any(std::string& rest) {
  while (rest == "**" || rest.ends_with("/**")) rest.resize(rest.size() == 2 ? 0 : rest.size() - 3);
}

std::string join(std::string_view base, std::string_view rest) {
  std::string path(base);
  if (rest.empty()) return path;
  if (!path.ends_with('/')) path += '/';
  path += rest;
  return path;
}

}  // namespace

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string lexically_normal(std::string_view path) {
  std::string normal;
  for (std::size_t start = 0; start < path.size();) {
    std::size_t end = path.find('/', start);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view component = path.substr(start, end - start);
    start = end + 1;
    if (component.empty() || component == ".") continue;
    if (component == "..") {
      normal.resize(normal.rfind('/') == std::string::npos ? 0 : normal.rfind('/'));
    } else {
      normal += '/';
      normal += component;
    }
  }
  return normal.empty() ? "/" : normal;
}

Result<PathEntry> parse_path_entry(std::string_view written, Spelling spelling) {
  WARD_TRY(check_characters(written));
  PathEntry entry;
  entry.written = written;
  std::string_view text = written;
  WARD_ASSIGN(entry.base, take_base(text));
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = text.find('/', start);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view component = text.substr(start, end - start);
    start = end + 1;
    if (component.empty() || component == ".") continue;
    if (component != "..") {
      append_component(entry.rest, component);
    } else if (entry.base == PathEntry::Base::workspace && entry.rest.empty()) {
      ++entry.up;
    } else {
      return bad(
          "'" + std::string(written) + "': where `..` leads depends on symbolic links on the way",
          "write the path that you mean without it");
    }
  }
  if (spelling == Spelling::literal) return entry;
  drop_trailing_any(entry.rest);
  entry.literal = !has_wildcard(entry.rest);
  if (!entry.literal) {
    const Result<Glob> glob = Glob::compile("/" + entry.rest);
    if (!glob)
      return bad("'" + std::string(written) + "': " + glob.error().message(),
                 "for a name that holds such characters write {path: ..., literal: true}");
  }
  return entry;
}

std::vector<ExpandedPath> expand(const PathEntry& entry, const Place& place,
                                 const std::vector<std::string>& workspaces) {
  std::vector<ExpandedPath> paths;
  const auto add = [&](std::string_view base) {
    // The base's own name may hold wildcard characters; they are ordinary there.
    paths.push_back(
        {join(entry.literal ? std::string(base) : escape_glob(base), entry.rest), entry.literal});
  };
  switch (entry.base) {
    case PathEntry::Base::root: add("/"); break;
    case PathEntry::Base::home: add(place.home); break;
    case PathEntry::Base::temp: add(place.temp); break;
    case PathEntry::Base::programs:
      for (const std::string& folder : place.program_folders) add(folder);
      break;
    case PathEntry::Base::workspace:
      for (const std::string& workspace : workspaces) {
        std::string_view base = workspace;
        for (int i = 0; i < entry.up; ++i) base = parent_of(base);
        add(base);
      }
      break;
  }
  return paths;
}

}  // namespace ward::policy
