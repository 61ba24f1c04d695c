// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/tool_config.h"

#include <algorithm>
#include <array>
#include <functional>

#include "policy/network_decision.h"

namespace ward::process {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front())
    return text.substr(1, text.size() - 2);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    if (end > start) words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// An ini file's lines, as section (in lower case, but for what stands in quotes), key, value. A
// line that begins with a blank goes on with the value before it.
using IniLine =
    std::function<void(std::string_view section, std::string_view key, std::string_view value)>;

void each_ini_line(std::string_view text, std::string_view remarks, const IniLine& take) {
  std::string section, key;
  for (const std::string_view line : words_of(text, "\n")) {
    const std::string_view content = trimmed(line);
    if (content.empty() || remarks.find(content.front()) != std::string_view::npos) continue;
    if (content.front() == '[') {
      section = trimmed(content.substr(1, content.find_last_of(']') - 1));
      key.clear();
      continue;
    }
    const std::size_t equals = content.find('=');
    const bool goes_on = (line.front() == ' ' || line.front() == '\t') && !key.empty() &&
                         (equals == std::string_view::npos || content.find("://") < equals);
    if (!goes_on) key = lower(trimmed(content.substr(0, equals)));
    take(section, key,
         goes_on                            ? content
         : equals == std::string_view::npos ? std::string_view()
                                            : unquoted(content.substr(equals + 1)));
  }
}

// What stands between <name> and </name>, each time.
std::vector<std::string_view> elements(std::string_view xml, const std::string& name) {
  std::vector<std::string_view> found;
  const std::string open = "<" + name + ">", close = "</" + name + ">";
  for (std::size_t at = xml.find(open); at != std::string_view::npos; at = xml.find(open, at)) {
    at += open.size();
    const std::size_t end = xml.find(close, at);
    if (end == std::string_view::npos) break;
    found.push_back(xml.substr(at, end - at));
    at = end;
  }
  return found;
}

std::string without_xml_remarks(std::string_view xml) {
  std::string result;
  for (std::size_t at = 0; at < xml.size();) {
    const std::size_t begin = std::min(xml.find("<!--", at), xml.size());
    result.append(xml.substr(at, begin - at));
    const std::size_t end = xml.find("-->", begin);
    at = end == std::string_view::npos ? xml.size() : end + 3;
  }
  return result;
}

struct SchemePort {
  std::string_view scheme;
  std::uint16_t port;
};
constexpr std::array kSchemes = {
    SchemePort{"git", 9418},         SchemePort{"git+https", 443}, SchemePort{"git+ssh", 22},
    SchemePort{"http", 80},          SchemePort{"https", 443},     SchemePort{"sparse+http", 80},
    SchemePort{"sparse+https", 443}, SchemePort{"ssh", 22},
};

// A URL may carry a name and a password before its host.
std::string without_user(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const std::size_t begin = scheme + 3;
  const std::size_t at = url.substr(0, url.find_first_of("/?#", begin)).rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(url);
  return std::string(url.substr(0, begin)) + std::string(url.substr(at + 1));
}

}  // namespace

std::optional<Server> server_of(std::string_view url) {
  url = trimmed(url);
  const std::size_t colon = url.find("://");
  std::string_view authority;
  std::uint16_t port = 22;
  if (colon == std::string_view::npos) {
    // user@host:path; a path with a slash before the colon is a folder, a single letter a drive.
    const std::size_t end = url.find(':');
    if (end == std::string_view::npos || url.find('/') < end || end < 2) return std::nullopt;
    if (url.find('@') > end) return std::nullopt;
    authority = url.substr(0, end);
  } else {
    const std::string scheme = lower(url.substr(0, colon));
    const auto* const row = std::find_if(kSchemes.begin(), kSchemes.end(),
                                         [&](const auto& one) { return one.scheme == scheme; });
    if (row == kSchemes.end()) return std::nullopt;
    port = row->port;
    authority = url.substr(colon + 3);
    authority = authority.substr(0, authority.find_first_of("/?#\\"));
  }
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
    authority.remove_prefix(at + 1);
  const auto parsed = policy::parse_host(authority);
  if (!parsed || parsed->host == "*") return std::nullopt;
  return Server{parsed->host, parsed->port.value_or(port)};
}

ToolConfig read_npmrc(std::string_view text) {
  ToolConfig config;
  each_ini_line(text, "#;", [&](std::string_view, std::string_view key, std::string_view value) {
    if (key != "registry" && !(key.starts_with('@') && key.ends_with(":registry"))) return;
    config.urls.emplace_back(value);
    if (key == "registry") config.replaces_default = true;
  });
  return config;
}

std::vector<std::string> npm_settings(std::string_view npmrc) {
  // Sorted. Whatever is not known to carry no credential stays outside.
  constexpr std::array<std::string_view, 7> kHarmless = {
      "cafile",     "engine-strict", "ignore-scripts", "legacy-peer-deps",
      "save-exact", "save-prefix",   "strict-ssl"};
  std::vector<std::string> settings;
  each_ini_line(npmrc, "#;", [&](std::string_view, std::string_view key, std::string_view value) {
    if (key == "registry" || (key.starts_with('@') && key.ends_with(":registry")))
      settings.push_back(std::string(key) + "=" + without_user(value));
    else if (std::binary_search(kHarmless.begin(), kHarmless.end(), key))
      settings.push_back(std::string(key) + "=" + std::string(value));
  });
  return settings;
}

ToolConfig read_pip_conf(std::string_view text) {
  ToolConfig config;
  each_ini_line(text, "#;", [&](std::string_view, std::string_view key, std::string_view value) {
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', '-');
    if (name != "index-url" && name != "extra-index-url" && name != "find-links") return;
    for (const std::string_view url : words_of(value, kBlank)) config.urls.emplace_back(url);
    if (name == "index-url") config.replaces_default = true;
  });
  return config;
}

ToolConfig read_cargo_config(std::string_view text) {
  ToolConfig config;
  std::string section;
  for (const std::string_view whole : words_of(text, "\n")) {
    const std::string_view line = trimmed(whole);
    if (line.starts_with('#')) continue;
    if (line.starts_with('[')) section = lower(line.substr(0, line.find(']') + 1));
    // Keys stand in their section or are dotted, tables may be written in one line.
    const std::string place = section + lower(line);
    if (place.find("regist") == std::string::npos && place.find("source") == std::string::npos)
      continue;
    for (const std::string_view part : words_of(line, "\""))
      if (part.find("://") != std::string_view::npos) config.urls.emplace_back(part);
    if (place.find("source.crates-io") != std::string::npos &&
        line.find("replace-with") != std::string_view::npos)
      config.replaces_default = true;
  }
  return config;
}

ToolConfig read_maven_settings(std::string_view text) {
  ToolConfig config;
  const std::string xml = without_xml_remarks(text);
  for (const char* container : {"mirror", "repository", "pluginRepository"})
    for (const std::string_view element : elements(xml, container)) {
      for (const std::string_view url : elements(element, "url"))
        config.urls.emplace_back(trimmed(url));
      for (const std::string_view of : elements(element, "mirrorOf"))
        for (const std::string_view one : words_of(of, ", \t\r\n"))
          if (one == "*" || one == "central" || one == "external:*") config.replaces_default = true;
    }
  return config;
}

ToolConfig read_apt_sources(std::string_view text) {
  ToolConfig config;
  for (std::string_view line : words_of(text, "\n")) {
    line = trimmed(line);
    if (line.starts_with("deb ") || line.starts_with("deb-src ") ||
        lower(line.substr(0, 5)) == "uris:") {
      for (const std::string_view word : words_of(line, kBlank))
        if (word.find("://") != std::string_view::npos) config.urls.emplace_back(word);
    }
  }
  return config;
}

ToolConfig read_git_config(std::string_view text) {
  ToolConfig config;
  std::string last;
  each_ini_line(
      text, "#;", [&](std::string_view section, std::string_view key, std::string_view value) {
        const std::size_t quote = section.find('"');
        const std::string kind = lower(trimmed(section.substr(0, quote)));
        const std::string_view name =
            quote == std::string_view::npos ? std::string_view() : unquoted(section.substr(quote));
        if ((kind == "remote" || kind == "submodule") && (key == "url" || key == "pushurl"))
          config.urls.emplace_back(value);
        // [url "BASE"] and [credential "URL"] carry it in their name.
        if ((kind == "url" || kind == "credential" || kind == "http") && name != last) {
          config.urls.emplace_back(name);
          last = name;
        }
      });
  return config;
}

ToolConfig read_go_env(std::string_view text) {
  ToolConfig config;
  for (const std::string_view line : words_of(text, "\n")) {
    // "https://HOST,direct", or "NAME+KEY URL", or "HOST".
    const std::vector<std::string_view> words = words_of(line, ",| \t\r");
    for (const std::string_view word : words) {
      if (word == "direct" || word == "off") continue;
      const std::string_view host = word.substr(0, word.find('+'));
      const bool key_with_url = words.size() > 1 && word.find("://") == std::string_view::npos;
      if (key_with_url) continue;
      config.urls.push_back(word.find("://") != std::string_view::npos
                                ? std::string(word)
                                : "https://" + std::string(host));
    }
  }
  return config;
}

std::vector<std::string> npm_default(std::string_view definitions_js) {
  // new Definition('registry', { default: 'URL', ...
  const std::size_t at = definitions_js.find("('registry', {");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = definitions_js.substr(at, 300);
  const std::size_t begin = rest.find("default:");
  const std::size_t quote = rest.find_first_of("'\"`", begin);
  if (begin == std::string_view::npos || quote == std::string_view::npos) return {};
  const std::size_t end = rest.find(rest[quote], quote + 1);
  if (end == std::string_view::npos) return {};
  return {std::string(rest.substr(quote + 1, end - quote - 1))};
}

std::vector<std::string> pip_default(std::string_view index_py) {
  // NAME = PackageIndex("URL", file_storage_domain="HOST"), of which the first is the real one.
  const std::size_t at = index_py.find("= PackageIndex(");
  if (at == std::string_view::npos) return {};
  const std::string_view call = index_py.substr(at, index_py.find(')', at) - at);
  std::vector<std::string> urls;
  for (std::size_t quote = call.find('"'); quote != std::string_view::npos;) {
    const std::size_t end = call.find('"', quote + 1);
    if (end == std::string_view::npos) break;
    const std::string text(call.substr(quote + 1, end - quote - 1));
    urls.push_back(text.find("://") == std::string::npos ? "https://" + text : text);
    quote = call.find('"', end + 1);
  }
  return urls;
}

std::vector<std::string> cargo_default(std::string_view program) {
  // Texts of a program lie end to end, so one ends only where a host name's path begins.
  constexpr std::string_view kScheme = "sparse+https://";
  for (std::size_t at = program.find(kScheme); at != std::string_view::npos;
       at = program.find(kScheme, at + 1)) {
    const std::string_view rest = program.substr(at + kScheme.size(), 253);
    const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-");
    if (end == std::string_view::npos || end == 0 || rest[end] != '/') continue;
    if (rest.substr(0, end).find('.') == std::string_view::npos) continue;
    return {std::string(kScheme) + std::string(rest.substr(0, end)) + "/"};
  }
  return {};
}

}  // namespace ward::process
