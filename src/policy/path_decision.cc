// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/path_decision.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "policy/glob.h"
#include "policy/path_entry.h"

namespace ward::policy {

namespace {

constexpr std::uint64_t kFnvBasis = 14695981039346656037ULL;
constexpr std::uint64_t kFnvPrime = 1099511628211ULL;

std::uint64_t hash_step(std::uint64_t hash, char byte) {
  return (hash ^ static_cast<unsigned char>(byte)) * kFnvPrime;
}

// The rules of one literal pattern: a run of `Tables::literal_rules`.
struct LiteralEntry {
  std::uint64_t hash = 0;
  std::string_view pattern;  // empty: a free slot
  std::uint32_t first = 0, count = 0;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

struct GlobEntry {
  Glob glob;
  std::uint32_t rule = 0;
};

// The best rule found so far for one act among the rules of one set of scopes.
struct Best {
  std::uint32_t depth = 0;
  const PathRule* rule = nullptr;
};

// Whether `challenger`, which matches at `depth`, decides before `best`.
bool wins(const PathRule& challenger, std::uint32_t depth, const Best& best) {
  if (best.rule == nullptr) return true;
  if (depth != best.depth) return depth > best.depth;
  return goes_before(challenger, *best.rule);
}

// Index by the weakest scope that takes part: all, user and managed, managed alone.
constexpr std::size_t kScopes = 3;

struct Search {
  std::array<Best, kScopes> read, write;

  void consider(const PathRule& rule, std::uint32_t depth) {
    const bool for_read = rule.list != PathList::deny_write;
    const bool for_write = rule.list != PathList::allow_read;
    for (std::size_t scope = 0; scope <= static_cast<std::size_t>(rule.origin.scope); ++scope) {
      if (for_read && wins(rule, depth, read[scope])) read[scope] = {depth, &rule};
      if (for_write && wins(rule, depth, write[scope])) write[scope] = {depth, &rule};
    }
  }
};

Verdict verdict(const std::array<Best, kScopes>& best, bool by_default) {
  // A deny among the stronger scopes alone is final.
  for (std::size_t scope = kScopes; scope-- > 0;)
    if (best[scope].rule != nullptr && denies(*best[scope].rule)) return {false, best[scope].rule};
  if (best[0].rule == nullptr) return {by_default, nullptr};
  return {true, best[0].rule};
}

}  // namespace

bool denies(const PathRule& rule) {
  return rule.list == PathList::deny_read || rule.list == PathList::deny_write;
}

bool is_built_in(const PathRule& rule) { return rule.origin.file.starts_with("profile "); }

bool goes_before(const PathRule& challenger, const PathRule& holder) {
  if (challenger.literal != holder.literal) return challenger.literal;
  // A profile is the default: whoever writes down the same path means to change it.
  if (is_built_in(challenger) != is_built_in(holder)) return !is_built_in(challenger);
  if (denies(challenger) != denies(holder)) return denies(challenger);
  if (challenger.origin.scope != holder.origin.scope)
    return challenger.origin.scope > holder.origin.scope;
  return challenger.list < holder.list;
}

struct PathDecider::Tables {
  explicit Tables(const Filesystem& from) : filesystem(from) {
    std::vector<std::uint32_t> literals;
    for (std::uint32_t i = 0; i < filesystem.rules.size(); ++i)
      if (filesystem.rules[i].literal)
        literals.push_back(i);
      else
        add_glob(i);
    add_literals(std::move(literals));
  }

  void add_glob(std::uint32_t index) {
    Result<Glob> glob = Glob::compile(filesystem.rules[index].pattern);
    if (!glob || glob->components().empty()) {
      // The parser lets no such pattern through. Should one come from elsewhere, a deny of it must
      // not vanish: it covers everything.
      if (denies(filesystem.rules[index])) broken_denies.push_back(index);
      return;
    }
    const auto position = static_cast<std::uint32_t>(globs.size());
    globs.push_back({std::move(*glob), index});
    const Glob::Component& last = globs.back().glob.components().back();
    if (last.kind == Glob::Component::Kind::literal)
      fixed_ends[last.literal].push_back(position);
    else
      wild_ends.push_back(position);
  }

  void add_literals(std::vector<std::uint32_t> literals) {
    const std::vector<PathRule>& rules = filesystem.rules;
    std::stable_sort(literals.begin(), literals.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rules[a].pattern < rules[b].pattern;
    });
    std::size_t size = 16;
    while (size < literals.size() * 2) size *= 2;
    slots.resize(size);
    for (std::uint32_t i = 0; i < literals.size();) {
      const std::string_view pattern = rules[literals[i]].pattern;
      std::uint32_t end = i;
      while (end < literals.size() && rules[literals[end]].pattern == pattern) ++end;
      std::uint64_t hash = kFnvBasis;
      for (const char byte : pattern) hash = hash_step(hash, byte);
      std::size_t slot = hash & (size - 1);
      while (!slots[slot].pattern.empty()) slot = (slot + 1) & (size - 1);
      slots[slot] = {hash, pattern, i, end - i};
      i = end;
    }
    literal_rules = std::move(literals);
  }

  void search_literal(std::uint64_t hash, std::string_view prefix, std::uint32_t depth,
                      Search& search) const {
    const std::size_t mask = slots.size() - 1;
    for (std::size_t slot = hash & mask; !slots[slot].pattern.empty(); slot = (slot + 1) & mask) {
      const LiteralEntry& entry = slots[slot];
      if (entry.hash != hash || entry.pattern != prefix) continue;
      for (std::uint32_t i = 0; i < entry.count; ++i)
        search.consider(filesystem.rules[literal_rules[entry.first + i]], depth);
      return;
    }
  }

  void search_globs(const std::vector<std::uint32_t>& some, std::string_view prefix,
                    std::string_view last, std::uint32_t depth, Search& search) const {
    for (const std::uint32_t index : some) {
      const GlobEntry& entry = globs[index];
      if (entry.glob.components().back().matches(last) && entry.glob.matches(prefix))
        search.consider(filesystem.rules[entry.rule], depth);
    }
  }

  const Filesystem& filesystem;
  std::vector<LiteralEntry> slots;
  std::vector<std::uint32_t> literal_rules;
  std::vector<GlobEntry> globs;
  // By the last component: most patterns end in a fixed name, such as `**/.env`.
  std::unordered_map<std::string, std::vector<std::uint32_t>, TextHash, std::equal_to<>> fixed_ends;
  std::vector<std::uint32_t> wild_ends;
  std::vector<std::uint32_t> broken_denies;
};

PathDecider::PathDecider(const Filesystem& filesystem)
    : tables_(std::make_unique<Tables>(filesystem)) {}
PathDecider::~PathDecider() = default;
PathDecider::PathDecider(PathDecider&&) noexcept = default;
PathDecider& PathDecider::operator=(PathDecider&&) noexcept = default;

PathVerdict PathDecider::decide(std::string_view path) const {
  Search search;
  std::uint64_t hash = hash_step(kFnvBasis, '/');
  tables_->search_literal(hash, "/", 0, search);
  std::uint32_t depth = 0;
  for (std::size_t start = 1; start < path.size();) {
    std::size_t end = start;
    while (end < path.size() && path[end] != '/') hash = hash_step(hash, path[end++]);
    ++depth;
    const std::string_view prefix = path.substr(0, end);
    const std::string_view last = path.substr(start, end - start);
    tables_->search_literal(hash, prefix, depth, search);
    if (const auto fixed = tables_->fixed_ends.find(last); fixed != tables_->fixed_ends.end())
      tables_->search_globs(fixed->second, prefix, last, depth, search);
    tables_->search_globs(tables_->wild_ends, prefix, last, depth, search);
    hash = hash_step(hash, '/');
    start = end + 1;
  }
  for (const std::uint32_t index : tables_->broken_denies)
    search.consider(tables_->filesystem.rules[index], depth);
  const bool readable = tables_->filesystem.default_access == DefaultAccess::read;
  return {verdict(search.read, readable), verdict(search.write, false)};
}

std::optional<std::size_t> match_depth(const PathRule& rule, std::string_view path) {
  if (!rule.literal) {
    const Result<Glob> glob = Glob::compile(rule.pattern);
    return glob ? glob->match_depth(path) : std::nullopt;
  }
  if (rule.pattern == "/") return 0;
  if (!is_within(path, rule.pattern)) return std::nullopt;
  return static_cast<std::size_t>(std::count(rule.pattern.begin(), rule.pattern.end(), '/'));
}

}  // namespace ward::policy
