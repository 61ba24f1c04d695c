// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Glob: an absolute pattern over path components. `*`, `?`, `[...]` and `[!...]` stay within one
// component (and match a leading dot), `**` as a whole component stands for any number of them, a
// backslash makes the next character ordinary. GlobSet holds several, compiled once; GlobStepper
// follows all of them down a tree one component at a time, so one walk serves every pattern. Globs
// and sets are immutable values, safe to share between threads; a stepper is one thread's.
//
// Names are bytes: `?` and a set take one UTF-8 character, or one byte that is not part of one. No
// pattern costs more than its length times the path's to match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ward::policy {

inline constexpr std::size_t kMaxGlobBytes = 4096;
inline constexpr std::size_t kMaxGlobComponents = 63;
inline constexpr std::size_t kMaxGlobs = 4096;

// True where the text holds a character that is special in a pattern.
bool has_wildcard(std::string_view text);
// The pattern that matches exactly this path.
std::string escape_glob(std::string_view path);

class Glob {
 public:
  // Refuses (invalid, with the 1-based position) a pattern that is relative, has an empty, `.` or
  // `..` component, an open or empty set, a reversed range, a `**` that is only part of a component
  // or a backslash at the end. A trailing `/` or `/**` is dropped: a pattern covers what it names
  // and everything below.
  static Result<Glob> compile(std::string_view pattern);

  // Whether the pattern names exactly this path.
  // Preconditions (here and below): `path` is absolute and lexically normal.
  bool matches(std::string_view path) const;
  // How many components the longest ancestor-or-self of `path` has that the pattern names; nothing
  // where none does. The root folder has 0.
  std::optional<std::size_t> match_depth(std::string_view path) const;

  // The folder at or below which every match lies: what stands before the first wildcard.
  const std::string& literal_prefix() const { return literal_prefix_; }
  const std::string& pattern() const { return pattern_; }

  // A set of places in the pattern, bit i before component i; the bit after the last component
  // means the whole pattern was matched.
  using Places = std::uint64_t;
  Places start() const { return closure(1); }
  Places step(Places places, std::string_view name) const;
  bool complete(Places places) const { return ((places >> components_.size()) & 1U) != 0; }

  // What one component matches.
  struct CharacterRange {
    std::uint32_t first, last;
  };
  struct Token {
    enum class Kind : std::uint8_t { text, one, any, set };
    Kind kind = Kind::text;
    bool negated = false;
    std::string text;
    std::vector<CharacterRange> ranges;
  };
  struct Component {
    enum class Kind : std::uint8_t { literal, wild, any_depth };
    Kind kind = Kind::literal;
    std::string literal;
    std::vector<Token> tokens;
    bool matches(std::string_view name) const;
  };
  const std::vector<Component>& components() const { return components_; }

 private:
  Glob() = default;
  Places closure(Places places) const;

  std::string pattern_;
  std::string literal_prefix_;
  std::vector<Component> components_;
};

class GlobSet {
 public:
  GlobSet() = default;
  // Refuses (exhausted) more than kMaxGlobs.
  static Result<GlobSet> compile(std::vector<Glob> globs);

  std::size_t size() const { return globs_.size(); }
  const Glob& operator[](std::size_t index) const { return globs_[index]; }

 private:
  std::vector<Glob> globs_;
};

// Follows a GlobSet down a tree. A state belongs to a folder and says which patterns may still
// match below it; equal states are one, and the work for a name that no pattern knows is one hash.
class GlobStepper {
 public:
  using State = std::uint32_t;
  // No pattern can match anything below a folder of this state.
  static constexpr State kNothingBelow = 0;
  // Named maximum of states that may be held; only hostile sets of patterns and trees reach it.
  static constexpr std::size_t kMaxStates = 1U << 16U;

  // `set` must outlive the stepper.
  explicit GlobStepper(const GlobSet& set);
  ~GlobStepper();
  GlobStepper(const GlobStepper&) = delete;
  GlobStepper& operator=(const GlobStepper&) = delete;

  // The state of the root folder.
  State root() const { return root_; }
  // Fills `globs` with the patterns that name the entry `name` of a folder of this state, in order.
  // Returns whether there are any.
  bool match(State state, std::string_view name, std::vector<std::uint32_t>& globs);
  // The state of the sub-folder `name`. Fails (exhausted) over kMaxStates.
  Result<State> enter(State state, std::string_view name);
  // The state of the folder at an absolute path.
  Result<State> enter_path(std::string_view path);

 private:
  struct Node;
  using Active = std::vector<std::pair<std::uint32_t, Glob::Places>>;
  Result<State> intern(Active active);

  const GlobSet& set_;
  std::vector<std::unique_ptr<Node>> nodes_;
  struct Interned;
  std::unique_ptr<Interned> interned_;
  State root_ = kNothingBelow;
};

}  // namespace ward::policy
