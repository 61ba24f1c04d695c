// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/glob.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ward::policy {

namespace {

struct Character {
  std::uint32_t code;
  std::size_t size;
};

// The UTF-8 character at the front of `text` (not empty); a byte that starts none stands for
// itself, outside the range of characters so that a set of characters never holds it by accident.
Character front_character(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  constexpr std::uint32_t kStrayByte = 0x110000;
  std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {kStrayByte + lead, 1};
  std::uint32_t code = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {kStrayByte + lead, 1};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[size] || code > 0x10FFFF) return {kStrayByte + lead, 1};
  return {code, size};
}

// Calls `visit` with each component of an absolute path, until it returns false.
template <class Visit>
void for_each_component(std::string_view path, Visit visit) {
  std::size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '/') {
      ++at;
      continue;
    }
    std::size_t end = std::min(path.find('/', at), path.size());
    if (!visit(path.substr(at, end - at))) return;
    at = end;
  }
}

// Parses one component, `text_` = pattern[begin, end). Positions in messages are of the whole
// pattern.
class ComponentParser {
 public:
  ComponentParser(std::string_view pattern, std::size_t begin, std::size_t end)
      : pattern_(pattern), at_(begin), end_(end) {}

  Result<Glob::Component> parse() {
    if (pattern_.substr(at_, end_ - at_) == "**") {
      component_.kind = Glob::Component::Kind::any_depth;
      return component_;
    }
    while (at_ < end_) {
      char c = pattern_[at_];
      if (c == '*') {
        WARD_TRY(star());
      } else if (c == '?') {
        ++at_;
        push(Glob::Token::Kind::one);
      } else if (c == '[') {
        WARD_TRY(set());
      } else {
        WARD_ASSIGN(std::string_view text, character(end_));
        add_text(text);
      }
    }
    bool wild =
        component_.tokens.size() != 1 || component_.tokens.front().kind != Glob::Token::Kind::text;
    if (!wild) {
      component_.literal = std::move(component_.tokens.front().text);
      component_.tokens.clear();
      if (component_.literal == "." || component_.literal == "..")
        return error(end_ - 1, "a `.` or `..` component");
    } else {
      component_.kind = Glob::Component::Kind::wild;
    }
    return std::move(component_);
  }

 private:
  tl::unexpected<Error> error(std::size_t at, const std::string& what) const {
    return fail(ErrorKind::invalid, "pattern " + std::string(pattern_) + ": " + what +
                                        " at character " + std::to_string(at + 1));
  }

  // One ordinary or escaped character.
  Result<std::string_view> character(std::size_t limit) {
    if (pattern_[at_] == '\\') {
      if (at_ + 1 >= limit) return error(at_, "a backslash with nothing after it");
      ++at_;
    }
    std::size_t size = front_character(pattern_.substr(at_, limit - at_)).size;
    std::string_view text = pattern_.substr(at_, size);
    at_ += size;
    return text;
  }

  Status star() {
    if (at_ + 1 < end_ && pattern_[at_ + 1] == '*')
      return error(at_, "`**` has to stand alone between slashes");
    ++at_;
    push(Glob::Token::Kind::any);
    return {};
  }

  Status set() {
    std::size_t open = at_++;
    Glob::Token token;
    token.kind = Glob::Token::Kind::set;
    if (at_ < end_ && (pattern_[at_] == '!' || pattern_[at_] == '^')) {
      token.negated = true;
      ++at_;
    }
    for (bool first = true;; first = false) {
      if (at_ >= end_) return error(open, "`[` without `]`");
      if (pattern_[at_] == ']' && !first) break;
      if (pattern_[at_] == '[' && at_ + 1 < end_ &&
          std::string_view(":.=").find(pattern_[at_ + 1]) != std::string_view::npos)
        return error(at_, "a character class inside `[...]`");
      std::size_t range_at = at_;
      WARD_ASSIGN(std::string_view low, character(end_));
      std::string_view high = low;
      if (at_ + 1 < end_ && pattern_[at_] == '-' && pattern_[at_ + 1] != ']') {
        ++at_;
        WARD_ASSIGN(high, character(end_));
      }
      Glob::CharacterRange range{front_character(low).code, front_character(high).code};
      if (range.first > range.last) return error(range_at, "a reversed range");
      token.ranges.push_back(range);
    }
    ++at_;
    component_.tokens.push_back(std::move(token));
    return {};
  }

  void push(Glob::Token::Kind kind) {
    Glob::Token token;
    token.kind = kind;
    component_.tokens.push_back(std::move(token));
  }

  void add_text(std::string_view text) {
    if (component_.tokens.empty() || component_.tokens.back().kind != Glob::Token::Kind::text)
      push(Glob::Token::Kind::text);
    component_.tokens.back().text += text;
  }

  std::string_view pattern_;
  std::size_t at_, end_;
  Glob::Component component_;
};

// Whether one token, not `any`, matches at the front of `name`; the number of bytes it takes.
std::optional<std::size_t> take(const Glob::Token& token, std::string_view name) {
  if (token.kind == Glob::Token::Kind::text)
    return name.starts_with(token.text) ? std::optional(token.text.size()) : std::nullopt;
  if (name.empty()) return std::nullopt;
  Character c = front_character(name);
  if (token.kind == Glob::Token::Kind::one) return c.size;
  bool inside = std::any_of(
      token.ranges.begin(), token.ranges.end(),
      [&](const Glob::CharacterRange& r) { return r.first <= c.code && c.code <= r.last; });
  return inside != token.negated ? std::optional(c.size) : std::nullopt;
}

// The end of the component that starts at `begin`. A slash ends it wherever it stands: neither a
// set nor a backslash can hold one.
std::size_t component_end(std::string_view pattern, std::size_t begin) {
  return std::min(pattern.find('/', begin), pattern.size());
}

}  // namespace

bool has_wildcard(std::string_view text) {
  return text.find_first_of("*?[\\") != std::string_view::npos;
}

std::string escape_glob(std::string_view path) {
  std::string pattern;
  for (char c : path) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool Glob::Component::matches(std::string_view name) const {
  if (kind == Kind::any_depth) return true;
  if (kind == Kind::literal) return name == literal;
  // After a star only the last one is ever moved on: earlier ones need no second try, so the cost
  // stays below tokens times characters.
  std::size_t token = 0, at = 0;
  std::size_t star = tokens.size(), star_at = 0;
  const bool ends_in_text = tokens.back().kind == Token::Kind::text;
  if (ends_in_text && !name.ends_with(tokens.back().text)) return false;
  for (;;) {
    if (token < tokens.size() && tokens[token].kind == Token::Kind::any) {
      star = token++;
      star_at = at;
      if (token == tokens.size()) return true;
      continue;
    }
    if (token < tokens.size()) {
      if (auto size = take(tokens[token], name.substr(at))) {
        ++token;
        at += *size;
        continue;
      }
    } else if (at == name.size()) {
      return true;
    }
    if (star == tokens.size() || star_at >= name.size()) return false;
    star_at += front_character(name.substr(star_at)).size;
    at = star_at;
    token = star + 1;
  }
}

Result<Glob> Glob::compile(std::string_view pattern) {
  auto invalid = [&](const std::string& what, std::size_t at) {
    return fail(ErrorKind::invalid, "pattern " + std::string(pattern) + ": " + what +
                                        " at character " + std::to_string(at + 1));
  };
  if (pattern.size() > kMaxGlobBytes)
    return fail(ErrorKind::invalid,
                "a pattern of more than " + std::to_string(kMaxGlobBytes) + " bytes");
  if (auto at = pattern.find('\0'); at != std::string_view::npos)
    return fail(ErrorKind::invalid, "a pattern with a NUL at character " + std::to_string(at + 1));
  if (pattern.empty() || pattern.front() != '/') return invalid("no `/`", 0);

  Glob glob;
  glob.pattern_ = pattern;
  if (pattern == "//") return invalid("an empty component", 1);
  if (pattern.size() > 1 && pattern.back() == '/') pattern.remove_suffix(1);
  for (std::size_t at = 1; at < pattern.size();) {
    std::size_t end = component_end(pattern, at);
    if (end == at) return invalid("an empty component", at);
    WARD_ASSIGN(Component component, ComponentParser(pattern, at, end).parse());
    // `**/**` is `**`.
    bool repeats = component.kind == Component::Kind::any_depth && !glob.components_.empty() &&
                   glob.components_.back().kind == Component::Kind::any_depth;
    if (!repeats) glob.components_.push_back(std::move(component));
    if (glob.components_.size() > kMaxGlobComponents)
      return invalid("more than " + std::to_string(kMaxGlobComponents) + " components", at);
    if (end + 1 == pattern.size()) return invalid("an empty component", end + 1);
    at = end + 1;
  }
  if (!glob.components_.empty() && glob.components_.back().kind == Component::Kind::any_depth)
    glob.components_.pop_back();
  // The last component stays out: the folder that holds a match is what has to be looked into.
  for (std::size_t i = 0; i + 1 < glob.components_.size(); ++i) {
    if (glob.components_[i].kind != Component::Kind::literal) break;
    glob.literal_prefix_ += '/' + glob.components_[i].literal;
  }
  if (glob.literal_prefix_.empty()) glob.literal_prefix_ = "/";
  return glob;
}

Glob::Places Glob::closure(Places places) const {
  for (std::size_t i = 0; i < components_.size(); ++i)
    if (components_[i].kind == Component::Kind::any_depth && ((places >> i) & 1U) != 0)
      places |= Places{1} << (i + 1);
  return places;
}

Glob::Places Glob::step(Places places, std::string_view name) const {
  Places next = 0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (((places >> i) & 1U) == 0) continue;
    if (components_[i].kind == Component::Kind::any_depth)
      next |= Places{1} << i;
    else if (components_[i].matches(name))
      next |= Places{1} << (i + 1);
  }
  return closure(next);
}

bool Glob::matches(std::string_view path) const {
  Places places = start();
  for_each_component(path, [&](std::string_view name) {
    places = step(places, name);
    return places != 0;
  });
  return complete(places);
}

std::optional<std::size_t> Glob::match_depth(std::string_view path) const {
  std::optional<std::size_t> deepest;
  std::size_t depth = 0;
  Places places = start();
  if (complete(places)) deepest = 0;
  for_each_component(path, [&](std::string_view name) {
    places = step(places, name);
    ++depth;
    if (complete(places)) deepest = depth;
    return places != 0;
  });
  return deepest;
}

Result<GlobSet> GlobSet::compile(std::vector<Glob> globs) {
  if (globs.size() > kMaxGlobs)
    return fail(ErrorKind::exhausted, "more than " + std::to_string(kMaxGlobs) + " patterns");
  GlobSet set;
  set.globs_ = std::move(globs);
  return set;
}

// A state: the places of every pattern that can still match, laid out for the question "does any of
// them know this name".
struct GlobStepper::Node {
  struct Edge {
    std::uint32_t glob;
    std::uint32_t component;
  };
  Active active;
  std::unordered_multimap<std::string_view, Edge> by_name;  // views into the set's patterns
  std::array<bool, 64> known = {};                          // filter before the hash
  std::vector<Edge> wild;
  std::optional<State> otherwise;  // the state below a name that no edge knows

  static std::size_t slot(std::string_view name) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    return name.empty()
               ? 0
               : (name.size() * 7U + byte(name.size() - 1) * 5U + byte(name.size() / 2)) % 64U;
  }
  bool may_know(std::string_view name, const GlobSet& set) const {
    if (known[slot(name)] && by_name.contains(name)) return true;
    return std::any_of(wild.begin(), wild.end(), [&](const Edge& edge) {
      return set[edge.glob].components()[edge.component].matches(name);
    });
  }
};

struct GlobStepper::Interned {
  struct Hash {
    std::size_t operator()(const Active& active) const {
      std::uint64_t hash = 0x9E3779B97F4A7C15U;
      for (const auto& [glob, places] : active)
        hash = (hash ^ (places + glob)) * 0xBF58476D1CE4E5B9U;
      return static_cast<std::size_t>(hash ^ (hash >> 29U));
    }
  };
  std::unordered_map<Active, State, Hash> states;
};

GlobStepper::GlobStepper(const GlobSet& set) : set_(set), interned_(std::make_unique<Interned>()) {
  nodes_.push_back(std::make_unique<Node>());
  interned_->states.emplace(Active{}, kNothingBelow);
  nodes_[kNothingBelow]->otherwise = kNothingBelow;
  Active active;
  for (std::uint32_t i = 0; i < set.size(); ++i) active.emplace_back(i, set[i].start());
  root_ = intern(std::move(active)).value_or(kNothingBelow);
}

GlobStepper::~GlobStepper() = default;

Result<GlobStepper::State> GlobStepper::intern(Active active) {
  // A completed pattern asks for nothing more by itself.
  for (auto& [glob, places] : active)
    places &= ~(Glob::Places{1} << set_[glob].components().size());
  std::erase_if(active, [](const auto& entry) { return entry.second == 0; });
  if (auto found = interned_->states.find(active); found != interned_->states.end())
    return found->second;
  if (nodes_.size() >= kMaxStates)
    return fail(ErrorKind::exhausted, "the patterns and the tree together need more than " +
                                          std::to_string(kMaxStates) + " states");
  auto node = std::make_unique<Node>();
  for (const auto& [glob, places] : active) {
    const auto& components = set_[glob].components();
    for (std::uint32_t i = 0; i < components.size(); ++i) {
      if (((places >> i) & 1U) == 0) continue;
      if (components[i].kind == Glob::Component::Kind::literal) {
        node->by_name.emplace(components[i].literal, Node::Edge{glob, i});
        node->known[Node::slot(components[i].literal)] = true;
      } else if (components[i].kind == Glob::Component::Kind::wild) {
        node->wild.push_back({glob, i});
      }
    }
  }
  node->active = active;
  auto state = static_cast<State>(nodes_.size());
  nodes_.push_back(std::move(node));
  interned_->states.emplace(std::move(active), state);
  return state;
}

bool GlobStepper::match(State state, std::string_view name, std::vector<std::uint32_t>& globs) {
  globs.clear();
  const Node& node = *nodes_[state];
  auto add = [&](const Node::Edge& edge) {
    // Edges into the last component complete the pattern. A `**` before it was dropped or has its
    // own edge, because places are closed over it.
    if (edge.component + 1 == set_[edge.glob].components().size()) globs.push_back(edge.glob);
  };
  if (node.known[Node::slot(name)]) {
    auto [begin, end] = node.by_name.equal_range(name);
    for (auto it = begin; it != end; ++it) add(it->second);
  }
  for (const Node::Edge& edge : node.wild)
    if (set_[edge.glob].components()[edge.component].matches(name)) add(edge);
  if (globs.size() > 1) {
    std::sort(globs.begin(), globs.end());
    globs.erase(std::unique(globs.begin(), globs.end()), globs.end());
  }
  return !globs.empty();
}

Result<GlobStepper::State> GlobStepper::enter(State state, std::string_view name) {
  Node& node = *nodes_[state];
  bool known = node.may_know(name, set_);
  if (!known && node.otherwise) return *node.otherwise;
  Active next;
  for (const auto& [glob, places] : node.active)
    if (Glob::Places stepped = set_[glob].step(places, name); stepped != 0)
      next.emplace_back(glob, stepped);
  WARD_ASSIGN(State entered, intern(std::move(next)));
  if (!known) nodes_[state]->otherwise = entered;
  return entered;
}

Result<GlobStepper::State> GlobStepper::enter_path(std::string_view path) {
  Result<State> state = root_;
  for_each_component(path, [&](std::string_view name) {
    state = enter(*state, name);
    return state.has_value();
  });
  return state;
}

}  // namespace ward::policy
