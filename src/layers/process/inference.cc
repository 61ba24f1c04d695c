// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/inference.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "confine/path_resolver.h"

namespace ward::process {

namespace {

using confine::Access;
using confine::Denial;

constexpr std::size_t kMaxLineBytes = 2048;
constexpr std::size_t kMaxWordsOfLine = 24;
constexpr std::size_t kMaxLookedUp = 400;  // in all: each is a walk through the file system
constexpr std::size_t kMaxDepth = 64;      // components of a path

// What a program prints for an errno, in lower case.
struct Phrase {
  std::string_view text;
  enum class Means : std::uint8_t { read, write, move } means;
};
constexpr Phrase kRefusals[] = {
    {"permission denied", Phrase::Means::read},
    {"eacces", Phrase::Means::read},
    {"operation not permitted", Phrase::Means::read},
    {"eperm", Phrase::Means::read},
    {"accessdenied", Phrase::Means::read},
    {"read-only file system", Phrase::Means::write},
    {"erofs", Phrase::Means::write},
    {"device or resource busy", Phrase::Means::move},
    {"ebusy", Phrase::Means::move},
};

// What resolvers and their callers print, in lower case.
constexpr std::string_view kUnknownHost[] = {
    "could not resolve hostname",  // before its beginning
    "could not resolve host",      "unable to resolve host address",
    "unable to resolve host",      "temporary failure in name resolution",
    "temporary failure resolving", "name or service not known",
    "name does not resolve",       "getaddrinfo enotfound",
    "getaddrinfo eai_again",       "failed to lookup address information",
    "unknownhostexception",        "no such host",
};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Without terminal sequences; control characters become spaces.
std::string plain_text(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string_view trimmed(std::string_view text, std::string_view what = " ") {
  const std::size_t begin = text.find_first_not_of(what);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(what) + 1 - begin);
}

// A word of a line that may be a path.
struct Candidate {
  std::string_view text;
  bool must_exist = false;  // too vague to stand for something that is not there
};

// What a line that says `phrase` may say it of, the likeliest first: what is quoted, what stands
// right before the phrase ("cat: NAME: Permission denied"), right after it, and any word with a
// slash but for the program's own name at the start.
class Candidates {
 public:
  Candidates(std::string_view line, std::size_t phrase_at, std::size_t phrase_size) {
    for (auto [open, close] : {std::pair("'", "'"), std::pair("\"", "\""), std::pair("`", "'"),
                               std::pair("\xe2\x80\x98", "\xe2\x80\x99")})
      add_quoted(line, open, close);
    add_before(line.substr(0, phrase_at));
    std::string_view after = trimmed(line.substr(phrase_at + phrase_size), " :,-()");
    add(after.substr(0, after.find(' ')), false);
    add_with_slash(line);
  }
  const std::vector<Candidate>& all() const { return all_; }

 private:
  static constexpr std::string_view kAround = " '\"`,;:()[]{}<>";

  void add(std::string_view text, bool must_exist) {
    const bool known = std::any_of(all_.begin(), all_.end(),
                                   [&](const Candidate& other) { return other.text == text; });
    if (!text.empty() && !known && all_.size() < kMaxWordsOfLine)
      all_.push_back({text, must_exist});
  }
  void add_quoted(std::string_view line, std::string_view open, std::string_view close) {
    for (std::size_t at = line.find(open); at != std::string_view::npos; at = line.find(open, at)) {
      const bool opens = at == 0 || std::string_view(" (=:,[").find(line[at - 1]) != line.npos;
      at += open.size();
      if (!opens) continue;  // an apostrophe
      const std::size_t end = line.find(close, at);
      if (end == std::string_view::npos) return;
      add(line.substr(at, end - at), false);
      at = end + close.size();
    }
  }
  void add_before(std::string_view before) {
    before = trimmed(before, " :,-(");
    if (const std::size_t colon = before.rfind(": "); colon != std::string_view::npos)
      before = trimmed(before.substr(colon + 2));
    const std::size_t space = before.rfind(' ');
    if (space == std::string_view::npos) return add(before, false);
    add(trimmed(before.substr(space + 1), kAround), false);
    add(before, true);
  }
  void add_with_slash(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      std::string_view word = line.substr(at, end - at);
      const bool names_program = at == 0 && word.ends_with(':');
      if (!names_program && word.find('/') != std::string_view::npos)
        add(trimmed(word, kAround), false);
      at = end + 1;
    }
  }

  std::vector<Candidate> all_;
};

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// The host name that the text begins with, or "".
std::string_view leading_host(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(" :'\"`(\xe2\x80\x98"), text.size()));
  if (const std::size_t scheme = text.substr(0, 16).find("://"); scheme != std::string_view::npos)
    text.remove_prefix(scheme + 3);
  std::size_t end = 0;
  while (end < text.size() && is_host_character(text[end])) ++end;
  std::string_view host = trimmed(text.substr(0, end), ".-");
  const bool has_letter = std::any_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return has_letter && host.size() <= 253 ? host : std::string_view();
}

class Inference {
 public:
  explicit Inference(const InferenceContext& context) : context_(context) {}

  void take_line(std::string_view raw) {
    const std::string line = plain_text(raw.substr(0, kMaxLineBytes));
    const std::string low = lower_case(line);
    for (std::string_view phrase : kUnknownHost)
      if (const std::size_t at = low.find(phrase); at != std::string::npos)
        return take_host(line, at, phrase.size());
    for (const Phrase& phrase : kRefusals)
      if (const std::size_t at = low.find(phrase.text); at != std::string::npos)
        return take_refusal(line, phrase, at);
  }

  std::vector<Denial> take() { return std::move(found_); }
  bool full() const { return found_.size() >= kMaxInferred; }

 private:
  void take_host(std::string_view line, std::size_t at, std::size_t size) {
    std::string_view host = leading_host(line.substr(at + size));
    if (host.empty() || host.find('.') == std::string_view::npos) {
      // "ping: example.com: Temporary failure in name resolution"
      std::string_view before = trimmed(line.substr(0, at), " :");
      std::string_view other = leading_host(before.substr(before.find_last_of(" :/@") + 1));
      if (other.find('.') != std::string_view::npos) host = other;
    }
    if (host.find('.') == std::string_view::npos) host = {};  // a word like "on" or "occurred"
    Denial denial;
    denial.act = Denial::Act::name;
    denial.target = host.empty() ? "a host name" : std::string(host);
    denial.rule = "network: denied by default";
    denial.remedy = "there is no network inside: get what the command needs beforehand";
    add(std::move(denial));
  }

  void take_refusal(const std::string& line, const Phrase& phrase, std::size_t at) {
    const Candidates candidates(line, at, phrase.text.size());
    for (const Candidate& candidate : candidates.all())
      if (take_candidate(candidate, phrase)) return;
  }

  bool take_candidate(const Candidate& candidate, const Phrase& phrase) {
    const std::optional<Name> name = look_up(candidate.text);
    if (!name || (candidate.must_exist && !name->exists)) return false;
    const Access access = context_.rules->decide(name->path);
    Denial denial;
    denial.target = name->path;
    if (!access.read) {
      denial.act = Denial::Act::read;
      denial.rule = access.read_rule;
    } else if (!access.write && phrase.means != Phrase::Means::read) {
      denial.act = phrase.means == Phrase::Means::move ? Denial::Act::rename
                   : name->exists                      ? Denial::Act::write
                                                       : Denial::Act::create;
      denial.rule = access.write_rule;
    } else {
      return false;
    }
    add(std::move(denial));
    return true;
  }

  struct Name {
    std::string path;  // canonical as far as it exists
    bool exists = false;
  };
  std::optional<Name> look_up(std::string_view word) {
    if (word.size() >= 4096 || looked_up_ >= kMaxLookedUp) return {};
    std::string path(word);
    if (path.starts_with("~/"))
      path = context_.home + path.substr(1);
    else if (path.starts_with("file:///"))
      path = path.substr(7);
    else if (!path.starts_with('/'))
      path = context_.working_directory + "/" + path;
    if (static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) > kMaxDepth) return {};
    ++looked_up_;
    std::string rest;
    for (std::string at = path;;) {
      confine::Resolution way = resolver_.resolve(at);
      if (way.end == confine::Resolution::End::found)
        return Name{rest.empty() ? way.path : confine::join_path(way.path, rest), rest.empty()};
      const std::size_t end = at.find_last_not_of('/');
      const std::size_t slash = at.rfind('/', end);
      if (end == std::string::npos || slash == std::string::npos) return {};
      const std::string name = at.substr(slash + 1, end - slash);
      // What is missing has no parent to go back to.
      if (name == "." || name == "..") return {};
      rest = rest.empty() ? name : name + "/" + rest;
      at.resize(std::max<std::size_t>(slash, 1));
    }
  }

  void add(Denial denial) {
    denial.exact = false;
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Denial& other) {
      return other.act == denial.act && other.target == denial.target;
    });
    if (!known && !full()) found_.push_back(std::move(denial));
  }

  const InferenceContext& context_;
  confine::PathResolver resolver_;
  std::size_t looked_up_ = 0;
  std::vector<Denial> found_;
};

}  // namespace

std::vector<Denial> infer_denials(std::string_view output, const InferenceContext& context) {
  Inference inference(context);
  if (output.size() > kInferenceBytes) output.remove_prefix(output.size() - kInferenceBytes);
  while (!output.empty() && !inference.full()) {
    const std::size_t end = std::min(output.find_first_of("\r\n"), output.size());
    inference.take_line(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return inference.take();
}

}  // namespace ward::process
