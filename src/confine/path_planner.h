// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// PathPlanner makes one PathPlan (path_plan.h): it collects marks (this rule speaks of that path),
// sorts them into nodes, gives each node its state, and emits what differs from the state around
// it. A verdict can only change at a path that some rule names, so the nodes are all there is to
// look at, and the cost is linear in their number. Lives for one call of plan_paths(), one thread.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "confine/git_layout.h"
#include "confine/path_plan.h"
#include "confine/path_resolver.h"
#include "confine/protected.h"
#include "confine/tree_walk.h"
#include "policy/glob.h"
#include "policy/path_decision.h"

namespace ward::confine {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// The rules of a policy together with a decider over them, which refers to them.
struct DecidedRules {
  explicit DecidedRules(policy::Filesystem from)
      : filesystem(std::move(from)), decider(filesystem) {}
  DecidedRules(const DecidedRules&) = delete;
  DecidedRules& operator=(const DecidedRules&) = delete;
  policy::Filesystem filesystem;
  policy::PathDecider decider;
};

struct AccessRules::Tables {
  std::shared_ptr<const DecidedRules> decided;
  std::vector<std::string> texts;  // of each rule
  struct Special {
    std::string own, protect;  // the reason, where it is one
    bool private_folder = false;
  };
  std::unordered_map<std::string, Special, TextHash, std::equal_to<>> special;
  TextSet reopened;  // what a rule shows of a private folder's host side
};

// Strictest first.
enum class PathState : std::uint8_t { hidden, read_only, writable };

enum class MarkKind : std::uint8_t {
  rule,            // `index` is a rule of the policy
  protect,         // `index` is a text
  own,             // `index` is a text
  private_folder,  //
  pin,             // `index` is a text
  link,            // a link on the way of rule `index`
  frozen,          // a name that has to stay what it is; `index` is a text
};

struct Mark {
  std::string path;
  MarkKind kind = MarkKind::rule;
  std::uint32_t index = 0;
  PathNode::Kind what = PathNode::Kind::absent;
  sys::ObjectId object;  // where absent, of the folder that is there
  std::uint64_t links = 0;
  std::uint32_t there = 0;  // where absent, how much of `path` is that folder's
};

// The best rule among those of one scope and the stronger ones, for each weakest scope.
using Winners = std::array<const policy::PathRule*, 3>;

struct PlanNode {
  const Mark* marks = nullptr;
  std::uint32_t mark_count = 0;
  std::int32_t enclosing = -1;  // the next node around it; -1 for the root folder
  PathNode::Kind what = PathNode::Kind::absent;
  PathState state = PathState::read_only;
  bool in_private = false;  // stands for what is inside a private folder, not on the host
  bool below_private = false;
  bool private_root = false;
  bool has_row = false;
  bool pin = false;
  bool link_open = false;               // a link that an allowed path goes through
  std::int32_t own = -1, protect = -1;  // texts, here or around
  const policy::PathRule* decided = nullptr;
  std::string_view text;  // of what decides
  Winners read = {}, write = {};
  const std::string& path() const { return marks->path; }
};

// A file that may not be read or written, and has more than one name.
struct LinkedFile {
  const PlanNode* node = nullptr;  // itself, or the folder that protects it
  std::string path;
  std::uint64_t links = 0;
  std::uint64_t listed = 0;  // names that the plan knows to be as strict
};
using LinkedFiles = std::map<sys::ObjectId, LinkedFile>;

// Orders paths so that each folder stands right before all that is in it.
bool path_before(std::string_view a, std::string_view b);

class PathPlanner {
 public:
  PathPlanner(const policy::Filesystem& filesystem, const HostContext& host,
              const WalkCache* cache);
  Result<PathPlan> run();

 private:
  // An allow rule that goes through links: taken only if no sandbox could have made the links.
  struct PendingAllow {
    policy::PathRule rule;
    std::vector<std::string> links;
    std::optional<Mark> mark;  // of a literal
    bool glob = false;
  };
  struct GlobRule {
    policy::Glob glob;
    std::uint32_t rule = 0;
    bool matched = false;
    bool anywhere_below = false;  // PREFIX/**/NAME
  };

  // path_collect.cc, path_walk.cc
  Status collect_host();
  void add_base();
  void add_workspaces_in_private();
  void collect_literal(std::uint32_t index);
  Status collect_glob(std::uint32_t index);
  void add_glob(policy::Glob glob, std::uint32_t rule);
  void take_canonical(const policy::PathRule& rule, Resolution resolution, std::uint32_t index);
  void take_early_end(std::uint32_t index, const Resolution& resolution);
  void settle_pending();
  Status walk();
  void take_match(GlobMatch match, std::uint32_t rule);
  void take_unreadable(const Unreadable& folder);
  std::vector<AtMatch> at_match() const;
  std::vector<std::string> pruned() const;
  void add_other_repositories(std::vector<GitEntry>& entries);
  void protect_git_folder(const std::string& folder);
  void take_git(const std::vector<GitEntry>& entries);
  void take_layout(const GitLayout& layout, const std::string& top);
  void grant(const std::string& path, policy::PathList list, const std::string& top);
  void protect_project(const std::string& folder);
  void protect(const ProtectedPath& path);
  void add_special(const std::string& path, MarkKind kind, std::uint32_t text);

  std::uint32_t add_rule(policy::PathRule rule);
  std::uint32_t add_text(std::string text);
  void add_mark(const Resolution& resolution, MarkKind kind, std::uint32_t index);
  void note(PlanNote::Kind kind, const policy::PathRule& rule, std::string why,
            std::string remedy = "");
  bool in_private(std::string_view path) const;

  // path_states.cc
  void make_nodes();
  void decide_nodes();
  void decide_node(PlanNode& node);
  void level_objects();
  const policy::PathRule* winner(const Winners& winners) const;
  std::string_view text_of(const policy::PathRule& rule) const;
  const std::vector<policy::PathRule>& final_rules() const {
    return access_->tables_->decided->filesystem.rules;
  }

  // path_hard_links.cc
  Status check_hard_links();
  LinkedFiles linked_files() const;
  Status refuse_hard_link(const LinkedFile& file, const std::string& other,
                          std::uint64_t found) const;

  // path_rows.cc
  void emit_rows();
  void emit_row(PlanNode& node);
  void open_in_skeletons(std::string_view path);
  void emit_skeletons();
  std::vector<Stub> list_stubs(const std::string& folder, const TextSet& names);
  void emit_names();
  void emit_absent(const PlanNode& node);
  void freeze_above(const PlanNode& node, std::string_view from);
  void freeze(const std::string& path, std::string_view rule);
  void emit_notes();
  Status check_cwd() const;
  bool opens_writing(const PlanNode& node) const;
  const PlanNode& around(const PlanNode& node) const;
  const PlanNode* find_node(std::string_view path) const;
  const PlanNode& enclosing_of(std::string_view path) const;
  void make_access();

  const policy::Filesystem& given_;
  const HostContext& host_;
  const WalkCache* cache_;
  PathResolver resolver_;

  policy::Filesystem rules_;                    // with canonical forms and grants
  std::shared_ptr<const DecidedRules> before_;  // the policy alone, canonical
  std::vector<GlobRule> globs_;
  std::vector<PendingAllow> pending_;
  std::vector<Mark> marks_;
  std::size_t first_match_ = 0, match_count_ = 0;  // of them, what the walk found
  std::deque<std::string> texts_;                  // views of them stay valid
  std::string home_, cwd_;
  std::vector<std::string> workspaces_, private_folders_;

  std::vector<PlanNode> nodes_;
  std::map<std::string, TextSet> opened_;  // hidden folders: the names in them that are re-opened
  TextSet frozen_seen_, absent_seen_;
  std::shared_ptr<AccessRules> access_;
  PathPlan plan_;
};

}  // namespace ward::confine
