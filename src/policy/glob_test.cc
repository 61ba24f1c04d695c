// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/glob.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ward::policy {
namespace {

Glob must_compile(std::string_view pattern) {
  Result<Glob> glob = Glob::compile(pattern);
  if (!glob) throw std::runtime_error(glob.error().message());
  return *glob;
}

bool matches(std::string_view pattern, std::string_view path) {
  return must_compile(pattern).matches(path);
}

std::string refusal(std::string_view pattern) {
  Result<Glob> glob = Glob::compile(pattern);
  return glob ? "accepted" : glob.error().message();
}

TEST(Glob, StarStaysWithinAComponentAndMatchesALeadingDot) {
  EXPECT_TRUE(matches("/a/*", "/a/b"));
  EXPECT_TRUE(matches("/a/*", "/a/.b"));
  EXPECT_FALSE(matches("/a/*", "/a/b/c"));
  EXPECT_FALSE(matches("/a/*", "/a"));
  EXPECT_TRUE(matches("/a/*.pem", "/a/.pem"));
  EXPECT_TRUE(matches("/a/.env*", "/a/.env"));
  EXPECT_TRUE(matches("/a/.env*", "/a/.env.local"));
  EXPECT_FALSE(matches("/a/*b*c", "/a/bcb"));
}

TEST(Glob, DoubleStarStandsForAnyNumberOfComponents) {
  for (const char* path : {"/.env", "/a/.env", "/a/b/c/.env"})
    EXPECT_TRUE(matches("/**/.env", path));
  EXPECT_FALSE(matches("/**/.env", "/a/x.env"));
  EXPECT_FALSE(matches("/**/.env", "/a/.env/b"));
  EXPECT_TRUE(matches("/a/**/b/**/c", "/a/b/c"));
  EXPECT_TRUE(matches("/a/**/b/**/c", "/a/x/b/y/b/z/c"));
  EXPECT_FALSE(matches("/a/**/b/**/c", "/a/x/c"));
  EXPECT_TRUE(matches("/a/**/**/c", "/a/c"));
}

TEST(Glob, QuestionMarkTakesOneCharacterOfSeveralBytes) {
  EXPECT_TRUE(matches("/caf?", "/caf\xC3\xA9"));
  EXPECT_FALSE(matches("/caf??", "/caf\xC3\xA9"));
  EXPECT_TRUE(matches("/caf?", "/caf\xE9"));  // not UTF-8: a byte
  EXPECT_TRUE(matches("/*?", "/\xC3\xA9"));
}

TEST(Glob, SetsHoldRangesNegationAndEscapes) {
  EXPECT_TRUE(matches("/[a-c]x", "/bx"));
  EXPECT_FALSE(matches("/[a-c]x", "/dx"));
  EXPECT_TRUE(matches("/[!a-c]x", "/dx"));
  EXPECT_TRUE(matches("/[^a-c]x", "/dx"));
  EXPECT_TRUE(matches("/[]]x", "/]x"));
  EXPECT_TRUE(matches("/[a-]x", "/-x"));
  EXPECT_TRUE(matches("/[\\]]x", "/]x"));
  EXPECT_TRUE(matches("/[\xC3\xA0-\xC3\xBF]", "/\xC3\xA9"));
  EXPECT_FALSE(matches("/[a-z]", "/\xE9"));
}

TEST(Glob, BackslashMakesACharacterOrdinary) {
  EXPECT_TRUE(matches("/a\\*b", "/a*b"));
  EXPECT_FALSE(matches("/a\\*b", "/axb"));
  EXPECT_TRUE(matches("/\\[slug\\]", "/[slug]"));
  const std::string odd = "/a*b/[c]?/d\\e";
  EXPECT_TRUE(matches(escape_glob(odd), odd));
  EXPECT_EQ(must_compile(escape_glob(odd) + "/*").literal_prefix(), odd);
}

TEST(Glob, TrailingSlashAndDoubleStarCoverTheFolderItself) {
  for (const char* pattern : {"/a/b", "/a/b/", "/a/b/**", "/a/b/**/"}) {
    EXPECT_TRUE(matches(pattern, "/a/b")) << pattern;
    EXPECT_EQ(must_compile(pattern).match_depth("/a/b/c/d"), 2U) << pattern;
  }
  EXPECT_EQ(must_compile("/**").match_depth("/x"), 0U);
  EXPECT_TRUE(matches("/", "/"));
}

TEST(Glob, MatchDepthIsThatOfTheLongestAncestor) {
  Glob glob = must_compile("/**/.env");
  EXPECT_EQ(glob.match_depth("/a/.env/b/.env/c"), 4U);
  EXPECT_EQ(glob.match_depth("/a/.env/b"), 2U);
  EXPECT_EQ(glob.match_depth("/a/b"), std::nullopt);
}

TEST(Glob, LiteralPrefixIsTheFolderToSearch) {
  EXPECT_EQ(must_compile("/home/u/**/.env").literal_prefix(), "/home/u");
  EXPECT_EQ(must_compile("/home/u/*.pem").literal_prefix(), "/home/u");
  EXPECT_EQ(must_compile("/home/u/x/.env").literal_prefix(), "/home/u/x");
  EXPECT_EQ(must_compile("/**/.env").literal_prefix(), "/");
  EXPECT_EQ(must_compile("/*").literal_prefix(), "/");
}

TEST(Glob, BadPatternsAreRefusedWithTheirPosition) {
  EXPECT_EQ(refusal("a/b"), "pattern a/b: no `/` at character 1");
  EXPECT_EQ(refusal("/a//b"), "pattern /a//b: an empty component at character 4");
  EXPECT_EQ(refusal("/a/[bc"), "pattern /a/[bc: `[` without `]` at character 4");
  EXPECT_EQ(refusal("/a/[b/c]"), "pattern /a/[b/c]: `[` without `]` at character 4");
  EXPECT_EQ(refusal("/a[z-b]"), "pattern /a[z-b]: a reversed range at character 4");
  EXPECT_EQ(refusal("/x**"),
            "pattern /x**: `**` has to stand alone between slashes at character 3");
  EXPECT_EQ(refusal("/x\\"), "pattern /x\\: a backslash with nothing after it at character 3");
  EXPECT_EQ(refusal("/[[:alpha:]]"),
            "pattern /[[:alpha:]]: a character class inside `[...]` at character 3");
  EXPECT_NE(refusal("/a/../b"), "accepted");
  EXPECT_NE(refusal("/a/./b"), "accepted");
  EXPECT_NE(refusal("/a/\\.\\./b"), "accepted");
  EXPECT_NE(refusal(""), "accepted");
  EXPECT_NE(refusal("//"), "accepted");
  EXPECT_NE(refusal(std::string_view("/a\0b", 4)), "accepted");
  EXPECT_NE(refusal("/" + std::string(kMaxGlobBytes, 'a')), "accepted");
  std::string deep;
  for (std::size_t i = 0; i <= kMaxGlobComponents; ++i) deep += "/a";
  EXPECT_NE(refusal(deep), "accepted");
}

// The meaning of a pattern, spelled out as plainly as possible.
bool naive_component(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*')
    return naive_component(pattern.substr(1), name) ||
           (!name.empty() && naive_component(pattern, name.substr(1)));
  if (name.empty()) return false;
  if (pattern.front() == '[') {
    bool in = (pattern[1] == '!') != (pattern.find(name.front(), 1) < pattern.find(']'));
    return in && naive_component(pattern.substr(pattern.find(']') + 1), name.substr(1));
  }
  return (pattern.front() == '?' || pattern.front() == name.front()) &&
         naive_component(pattern.substr(1), name.substr(1));
}

bool naive_path(const std::vector<std::string>& pattern, std::size_t p,
                const std::vector<std::string>& path, std::size_t n) {
  if (p == pattern.size()) return n == path.size();
  if (pattern[p] == "**")
    return naive_path(pattern, p + 1, path, n) ||
           (n < path.size() && naive_path(pattern, p, path, n + 1));
  return n < path.size() && naive_component(pattern[p], path[n]) &&
         naive_path(pattern, p + 1, path, n + 1);
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += '/' + part;
  return text;
}

class RandomTrees {
 public:
  std::vector<std::string> pattern() {
    std::vector<std::string> parts =
        pick_parts({"a", "b", "*", "?", "a*", "*b", "[ab]", "[!a]b", "**", "*a*b", "?*"}, 4);
    while (parts.size() > 1 && parts.back() == "**") parts.pop_back();
    if (parts.back() == "**") parts.back() = "a";
    return parts;
  }
  std::vector<std::string> path() {
    return pick_parts({"a", "b", "ab", "ba", "aab", "bb", "abab", "c"}, 5);
  }

 private:
  std::vector<std::string> pick_parts(const std::vector<std::string>& from, std::size_t most) {
    std::vector<std::string> parts(1 + random_() % most);
    for (std::string& part : parts) part = from[random_() % from.size()];
    return parts;
  }
  std::mt19937 random_{20260301};
};

TEST(Glob, AgreesWithTheNaiveMeaningOnRandomPatternsAndPaths) {
  RandomTrees random;
  for (int i = 0; i < 60000; ++i) {
    auto pattern = random.pattern();
    auto path = random.path();
    Glob glob = must_compile(join(pattern));
    ASSERT_EQ(glob.matches(join(path)), naive_path(pattern, 0, path, 0))
        << join(pattern) << " on " << join(path);
    std::optional<std::size_t> deepest;
    for (std::size_t n = 1; n <= path.size(); ++n)
      if (naive_path(pattern, 0, {path.begin(), path.begin() + static_cast<long>(n)}, 0))
        deepest = n;
    ASSERT_EQ(glob.match_depth(join(path)), deepest) << join(pattern) << " on " << join(path);
  }
}

TEST(GlobStepper, AgreesWithEachGlobAtEveryStepOfRandomTrees) {
  RandomTrees random;
  for (int round = 0; round < 500; ++round) {
    std::vector<Glob> globs;
    for (int i = 0; i < 6; ++i) globs.push_back(must_compile(join(random.pattern())));
    auto set = GlobSet::compile(globs);
    ASSERT_TRUE(set);
    GlobStepper stepper(*set);
    for (int i = 0; i < 40; ++i) {
      auto state = stepper.root();
      std::string path;
      for (const std::string& name : random.path()) {
        std::string entry = path + '/' + name;
        std::vector<std::uint32_t> expected, found;
        for (std::uint32_t g = 0; g < globs.size(); ++g)
          if (globs[g].matches(entry)) expected.push_back(g);
        ASSERT_EQ(stepper.match(state, name, found), !expected.empty());
        ASSERT_EQ(found, expected) << entry;
        state = *stepper.enter(state, name);
        path = entry;
      }
      ASSERT_EQ(*stepper.enter_path(path), state);
    }
  }
}

TEST(GlobStepper, SaysWhereNothingCanMatchBelow) {
  auto set = GlobSet::compile({must_compile("/a/*/c"), must_compile("/a/b/**/.env")});
  ASSERT_TRUE(set);
  GlobStepper stepper(*set);
  EXPECT_EQ(*stepper.enter_path("/x"), GlobStepper::kNothingBelow);
  EXPECT_NE(*stepper.enter_path("/a/x"), GlobStepper::kNothingBelow);
  EXPECT_EQ(*stepper.enter_path("/a/x/c"), GlobStepper::kNothingBelow);
  EXPECT_NE(*stepper.enter_path("/a/b/x/y/z"), GlobStepper::kNothingBelow);
  EXPECT_EQ(*stepper.enter_path("/a/b/x"), *stepper.enter_path("/a/b/c/d"));
  GlobSet none;
  EXPECT_EQ(GlobStepper(none).root(), GlobStepper::kNothingBelow);
}

TEST(GlobStepper, RefusesAnExplosionOfStatesInsteadOfForgetting) {
  // Each of these remembers a different subset of "an `a` stood n components ago".
  std::vector<Glob> globs;
  for (int n = 1; n < 20; ++n) {
    std::string pattern = "/**/a";
    for (int i = 0; i < n; ++i) pattern += "/?";
    globs.push_back(must_compile(pattern));
  }
  auto set = GlobSet::compile(globs);
  ASSERT_TRUE(set);
  GlobStepper stepper(*set);
  std::mt19937 random{7};
  Result<GlobStepper::State> state = stepper.root();
  for (std::size_t i = 0; i < 4 * GlobStepper::kMaxStates && state; ++i)
    state = stepper.enter(*state, (random() & 1U) != 0 ? "a" : "b");
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().kind(), ErrorKind::exhausted);
}

TEST(Glob, PathologicalPatternsStayBounded) {
  // Backtracking over each star would need more steps than there are atoms; this returns.
  std::string pattern = "/";
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  pattern += "b";
  EXPECT_FALSE(matches(pattern, "/" + std::string(4000, 'a')));
  std::string deep_pattern, deep_path;
  for (int i = 0; i < 31; ++i) deep_pattern += "/**/a";
  for (int i = 0; i < 2000; ++i) deep_path += "/a";
  EXPECT_FALSE(matches(deep_pattern + "/b", deep_path));
  EXPECT_TRUE(matches(deep_pattern, deep_path));
}

}  // namespace
}  // namespace ward::policy
