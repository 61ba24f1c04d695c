// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/path_decision.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "policy/glob.h"

namespace ward::policy {
namespace {

PathRule rule(PathList list, std::string pattern, Scope scope = Scope::user) {
  const bool literal = !has_wildcard(pattern);
  return {list, pattern, literal, pattern, {"test", 1, scope}};
}

struct Access {
  bool read = false, write = false;
  bool operator==(const Access&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Access& access) {
  return out << (access.read ? "r" : "-") << (access.write ? "w" : "-");
}

constexpr Access kNone{false, false}, kRead{true, false}, kBoth{true, true};

Access decide(const Filesystem& filesystem, std::string_view path) {
  const PathVerdict verdict = PathDecider(filesystem).decide(path);
  return {verdict.read.allowed, verdict.write.allowed};
}

Filesystem with(std::vector<PathRule> rules, DefaultAccess by_default = DefaultAccess::read) {
  return {by_default, ProtectMechanism::guard, std::move(rules)};
}

using enum PathList;

// The measured cases of nested rules, each path with what has to hold there.
TEST(PathDecision, MoreSpecificWinsForReadingAtAnyDepth) {
  const Filesystem fs = with({rule(deny_read, "/p/a"), rule(allow_read, "/p/a/b"),
                              rule(deny_read, "/p/a/b/c"), rule(allow_read, "/p/a/b/c/d")});
  EXPECT_EQ(decide(fs, "/p"), kRead);
  EXPECT_EQ(decide(fs, "/p/a/f"), kNone);
  EXPECT_EQ(decide(fs, "/p/a/b/f"), kRead);
  EXPECT_EQ(decide(fs, "/p/a/b/c"), kNone);
  EXPECT_EQ(decide(fs, "/p/a/b/c/d/e/f"), kRead);
}

TEST(PathDecision, MoreSpecificWinsForWritingAtAnyDepth) {
  const Filesystem fs = with({rule(allow_write, "/p/a"), rule(deny_write, "/p/a/b"),
                              rule(allow_write, "/p/a/b/c"), rule(deny_write, "/p/a/b/c/d")});
  EXPECT_EQ(decide(fs, "/p/a/f"), kBoth);
  EXPECT_EQ(decide(fs, "/p/a/b/f"), kRead);
  EXPECT_EQ(decide(fs, "/p/a/b/c/f"), kBoth);
  EXPECT_EQ(decide(fs, "/p/a/b/c/d/f"), kRead);
}

TEST(PathDecision, WildcardDenyHoldsInsideAWiderAllow) {
  const Filesystem fs = with({rule(allow_read, "/p"), rule(deny_read, "/p/**/.env")});
  EXPECT_EQ(decide(fs, "/p/.env"), kNone);
  EXPECT_EQ(decide(fs, "/p/a/b/.env"), kNone);
  EXPECT_EQ(decide(fs, "/p/a/b/.env/x"), kNone);
  EXPECT_EQ(decide(fs, "/p/a/b/env"), kRead);
}

TEST(PathDecision, WildcardDenyHoldsInsideAReopenedFolder) {
  const Filesystem fs =
      with({rule(deny_read, "/p/a"), rule(allow_read, "/p/a/b"), rule(deny_read, "/p/a/**/.env")});
  EXPECT_EQ(decide(fs, "/p/a/b/f"), kRead);
  EXPECT_EQ(decide(fs, "/p/a/b/.env"), kNone);
  EXPECT_EQ(decide(fs, "/p/a/x"), kNone);
}

TEST(PathDecision, DenyWinsTheTie) {
  EXPECT_EQ(decide(with({rule(allow_read, "/p/a"), rule(deny_read, "/p/a")}), "/p/a/f"), kNone);
  EXPECT_EQ(decide(with({rule(allow_write, "/p/a"), rule(deny_write, "/p/a")}), "/p/a/f"), kRead);
}

TEST(PathDecision, AWriteGrantReopensReading) {
  EXPECT_EQ(decide(with({rule(deny_read, "/p/a"), rule(allow_write, "/p/a/b")}), "/p/a/b/f"),
            kBoth);
}

TEST(PathDecision, DenyReadTakesWritingToo) {
  EXPECT_EQ(decide(with({rule(allow_write, "/p"), rule(deny_read, "/p/a")}), "/p/a/f"), kNone);
}

TEST(PathDecision, ReadingReopenedInsideADeniedFolderIsNotWriting) {
  const Filesystem fs =
      with({rule(allow_write, "/p"), rule(deny_read, "/p/a"), rule(allow_read, "/p/a/b")});
  EXPECT_EQ(decide(fs, "/p/a/b"), kRead);
}

TEST(PathDecision, ALiteralAllowReopensWhatAWildcardDenies) {
  const Filesystem fs = with({rule(deny_read, "/p/**/.env"), rule(allow_read, "/p/x/.env")});
  EXPECT_EQ(decide(fs, "/p/x/.env"), kRead);
  EXPECT_EQ(decide(fs, "/p/y/.env"), kNone);
}

TEST(PathDecision, AHigherScopesDenyIsFinal) {
  const Filesystem fs =
      with({rule(deny_read, "/p/a", Scope::managed), rule(allow_read, "/p/a/b/c", Scope::user),
            rule(allow_write, "/p/a/b", Scope::workspace)});
  EXPECT_EQ(decide(fs, "/p/a/b/c/d"), kNone);
}

TEST(PathDecision, AScopeReopensItsOwnDenyForAllBelow) {
  const Filesystem fs =
      with({rule(deny_read, "/p/a", Scope::managed), rule(allow_read, "/p/a/b", Scope::managed),
            rule(deny_read, "/p/a/b/c", Scope::workspace)});
  EXPECT_EQ(decide(fs, "/p/a/b/x"), kRead);
  EXPECT_EQ(decide(fs, "/p/a/b/c"), kNone);
}

TEST(PathDecision, TheDefaultDecidesWhereNoRuleSpeaks) {
  EXPECT_EQ(decide(with({}), "/x"), kRead);
  EXPECT_EQ(decide(with({}, DefaultAccess::deny), "/x"), kNone);
  EXPECT_EQ(decide(with({rule(allow_read, "/x")}, DefaultAccess::deny), "/x/y"), kRead);
}

TEST(PathDecision, ARuleForTheRootCoversEverything) {
  const Filesystem fs = with({rule(deny_read, "/"), rule(allow_read, "/usr")});
  EXPECT_EQ(decide(fs, "/"), kNone);
  EXPECT_EQ(decide(fs, "/etc/passwd"), kNone);
  EXPECT_EQ(decide(fs, "/usr/bin/env"), kRead);
}

TEST(PathDecision, ANameIsNoAncestorOfALongerName) {
  EXPECT_EQ(decide(with({rule(deny_read, "/p/a")}), "/p/ab"), kRead);
}

TEST(PathDecision, ALiteralPathMayHoldWildcardCharacters) {
  PathRule literal = rule(deny_read, "/p/[a]*");
  literal.literal = true;
  EXPECT_EQ(decide(with({literal}), "/p/[a]*/x"), kNone);
  EXPECT_EQ(decide(with({literal}), "/p/a"), kRead);
}

TEST(PathDecision, ABrokenPatternThatDeniesDeniesEverything) {
  PathRule broken = rule(deny_read, "/p/[");
  broken.literal = false;
  EXPECT_EQ(decide(with({broken}), "/q"), kNone);
}

TEST(PathDecision, TheVerdictNamesTheRuleThatDecides) {
  const Filesystem fs = with({rule(deny_read, "/p/a"), rule(allow_read, "/p/a/b")});
  EXPECT_EQ(PathDecider(fs).decide("/p/a/b/c").read.rule, &fs.rules[1]);
  EXPECT_EQ(PathDecider(fs).decide("/q").read.rule, nullptr);
}

// --- property: the tables agree with the definition, written down naively ---

bool matches_exactly(const PathRule& r, const std::string& path) {
  return r.literal ? r.pattern == path : Glob::compile(r.pattern)->matches(path);
}

std::vector<std::string> ancestors_or_self(std::string path) {
  std::vector<std::string> all;
  while (path != "/") {
    all.push_back(path);
    path.resize(path.rfind('/'));
    if (path.empty()) path = "/";
  }
  all.push_back("/");
  return all;
}

// The rule of the definition: sort what matches by (depth, literal, deny), take the best.
bool naive_allowed(const Filesystem& fs, const std::string& path, bool write) {
  const auto best_of = [&](Scope weakest) {
    std::tuple<std::size_t, bool, bool> best{0, false, false};
    bool found = false;
    for (const PathRule& r : fs.rules) {
      if (r.origin.scope < weakest) continue;
      if (write ? r.list == allow_read : r.list == deny_write) continue;
      const bool deny = r.list == deny_read || r.list == deny_write;
      for (const std::string& prefix : ancestors_or_self(path)) {
        if (!matches_exactly(r, prefix)) continue;
        best = std::max(best, {prefix.size(), r.literal, deny});
        found = true;
        break;
      }
    }
    return std::pair(found, std::get<2>(best));
  };
  for (const Scope scope : {Scope::managed, Scope::user}) {
    const auto [found, deny] = best_of(scope);
    if (found && deny) return false;
  }
  const auto [found, deny] = best_of(Scope::workspace);
  if (found) return !deny;
  return !write && fs.default_access == DefaultAccess::read;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }

  std::string path() {
    std::string path;
    const std::size_t depth = below(6);
    for (std::size_t i = 0; i < depth; ++i) path += std::string("/") + kNames[below(4)];
    return path.empty() ? "/" : path;
  }

  PathRule any_rule() {
    static constexpr const char* kParts[] = {"a",  "b", "ab",   ".e", "*",
                                             "a*", "?", "[ab]", "**", "*b"};
    std::string pattern;
    const std::size_t depth = below(5);
    for (std::size_t i = 0; i < depth; ++i)
      pattern += std::string("/") + kParts[below(i + 1 == depth || below(2) == 0 ? 8 : 10)];
    if (pattern.empty()) pattern = "/";
    return rule(static_cast<PathList>(below(4)), pattern, static_cast<Scope>(below(3)));
  }

 private:
  static constexpr const char* kNames[] = {"a", "b", "ab", ".e"};
  std::mt19937 engine_;
};

TEST(PathDecision, AgreesWithANaiveReferenceOnRandomRules) {
  Random random(20261130);
  for (int round = 0; round < 1000; ++round) {
    Filesystem fs;
    fs.default_access = static_cast<DefaultAccess>(random.below(2));
    const std::size_t rules = random.below(9);
    for (std::size_t i = 0; i < rules; ++i) fs.rules.push_back(random.any_rule());
    const PathDecider decider(fs);
    for (int i = 0; i < 20; ++i) {
      const std::string path = random.path();
      const PathVerdict verdict = decider.decide(path);
      std::string shown = path;
      for (const PathRule& r : fs.rules) shown += "\n" + r.pattern;
      ASSERT_EQ(verdict.read.allowed, naive_allowed(fs, path, false)) << shown;
      ASSERT_EQ(verdict.write.allowed, naive_allowed(fs, path, true)) << shown;
    }
  }
}

TEST(PathDecision, MatchDepthCountsTheComponentsOfTheLongestAncestor) {
  EXPECT_EQ(match_depth(rule(deny_read, "/a/b"), "/a/b/c"), 2U);
  EXPECT_EQ(match_depth(rule(deny_read, "/**/b"), "/a/b/b/c"), 3U);
  EXPECT_EQ(match_depth(rule(deny_read, "/"), "/a"), 0U);
  EXPECT_EQ(match_depth(rule(deny_read, "/x"), "/a"), std::nullopt);
}

}  // namespace
}  // namespace ward::policy
