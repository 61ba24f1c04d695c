// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/leftovers.h"

#include <dirent.h>
#include <linux/openat2.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>

#include "confine/tree_walk.h"
#include "layers/process/git_config_scan.h"
#include "policy/glob.h"
#include "sys/directory.h"
#include "sys/file.h"

namespace ward::process {

namespace {

constexpr std::uint64_t kMaxScannedBytes = 1U << 20U;

constexpr std::string_view kShell = "a shell or its hook runs it";
constexpr std::string_view kEditor = "an editor runs tasks and programs it names";
constexpr std::string_view kAgent = "an agent runs hooks and servers it names";
constexpr std::string_view kPackages = "a package manager runs programs it names";
constexpr std::string_view kTool = "a tool runs commands in it";

constexpr ExecutedName kExecutedNames[] = {
    {".aider.conf.yml", kAgent},
    {".autoenv.zsh", kShell},
    {".bash_profile", kShell},
    {".bashrc", kShell},
    {".bazelrc", kTool},
    {".cargo", kPackages},
    {".claude", kAgent},
    {".codex", kAgent},
    {".cursor", kAgent},
    {".devcontainer", kEditor},
    {".dir-locals.el", kEditor},
    {".envrc", kShell},
    {".exrc", kEditor},
    {".fleet", kEditor},
    {".gdbinit", kTool},
    {".gemini", kAgent},
    {".gitconfig", "git runs commands it names"},
    {".husky", "git runs hooks in it where a package set it up"},
    {".idea", kEditor},
    {".lldbinit", kTool},
    {".mcp.json", kAgent},
    {".mise.toml", kShell},
    {".nvim.lua", kEditor},
    {".nvimrc", kEditor},
    {".pnpmfile.cjs", kPackages},
    {".profile", kShell},
    {".vimrc", kEditor},
    {".vscode", kEditor},
    {".windsurf", kAgent},
    {".yarnrc", kPackages},
    {".yarnrc.yml", kPackages},
    {".zed", kEditor},
    {".zprofile", kShell},
    {".zshenv", kShell},
    {".zshrc", kShell},
    {"mise.toml", kShell},
    {"ward.yaml", "ward reads it as a policy"},
};

// package.json is everywhere; only one that has these scripts executes without being asked.
constexpr std::string_view kPackageFile = "package.json";
constexpr std::string_view kPackageScripts[] = {"\"preinstall\"", "\"install\"", "\"postinstall\"",
                                                "\"prepare\"", "\"prepublish\""};
// A git folder of any kind holds one.
constexpr std::string_view kGitHead = "HEAD";

bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/' || folder == "/");
}

class Search {
 public:
  explicit Search(const LeftoverRequest& request) : request_(request) {
    for (const std::string& folder : request.repositories)
      known_git_.insert((folder == "/" ? "" : folder) + "/.git");
  }

  Status run() {
    WARD_TRY(walk());
    for (const std::string& folder : git_folders_) look_into_git_folder(folder);
    return {};
  }

  Leftovers take() {
    std::sort(out_.found.begin(), out_.found.end());
    auto& found = out_.found;
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() > kMaxLeftovers) {
      out_.omitted = found.size() - kMaxLeftovers;
      found.resize(kMaxLeftovers);
    }
    return std::move(out_);
  }

 private:
  Status walk() {
    confine::WalkRequest walk;
    std::vector<policy::Glob> globs;
    std::vector<std::string_view> names;
    for (const ExecutedName& entry : kExecutedNames) names.push_back(entry.name);
    names.push_back(kPackageFile);
    names.push_back(kGitHead);
    for (std::string_view name : names) {
      WARD_ASSIGN(policy::Glob glob, policy::Glob::compile("/**/" + policy::escape_glob(name)));
      globs.push_back(std::move(glob));
    }
    WARD_ASSIGN(policy::GlobSet set, policy::GlobSet::compile(std::move(globs)));
    walk.globs = &set;
    walk.at_match.assign(set.size(), confine::AtMatch::descend);
    for (const std::string& workspace : request_.workspaces)
      walk.roots.push_back({workspace, {.git = true}});
    walk.prune = request_.prune;
    WARD_ASSIGN(confine::WalkResult found, confine::walk_tree(walk));
    for (const confine::GitEntry& entry : found.git) take_git_entry(entry);
    for (const confine::GlobMatch& match : found.matches) take_match(match, names[match.glob]);
    for (const confine::Unreadable& folder : found.unreadable)
      out_.unreadable.push_back(folder.path);
    return {};
  }

  void report(std::string path, std::string what) {
    out_.found.push_back({std::move(path), std::move(what)});
  }

  // Whether the run changed the object itself.
  bool is_new(const std::string& path) const {
    struct stat status = {};
    return sys::stat_entry(AT_FDCWD, path.c_str(), status) == 0 &&
           sys::change_stamp(status).ctime_ns >= request_.since_ns;
  }

  bool was_known(const std::string& git_path) const { return known_git_.contains(git_path); }

  void take_git_entry(const confine::GitEntry& entry) {
    using Type = confine::GitEntry::Type;
    if (entry.type == Type::directory) {
      git_folders_.insert(entry.path);
      return;
    }
    if (was_known(entry.path) && !is_new(entry.path)) return;
    if (entry.type == Type::symlink)
      report(entry.path, "a symbolic link: git takes what it leads to for a repository");
    else if (entry.type == Type::file)
      take_git_file(entry.path);
  }

  // A `.git` file names its git folder. One inside the workspaces is found by itself.
  void take_git_file(const std::string& path) {
    std::optional<std::string> text = read(path);
    if (!text) return report(path, "a `.git` file that cannot be read");
    std::string_view target = *text;
    while (!target.empty() && (target.back() == '\n' || target.back() == '\r'))
      target.remove_suffix(1);
    constexpr std::string_view kPrefix = "gitdir: ";
    if (target.starts_with(kPrefix)) target.remove_prefix(kPrefix.size());
    bool inside = false;
    if (!target.empty()) {
      std::string full(target);
      if (full.front() != '/') full = path.substr(0, path.rfind('/') + 1) + full;
      Result<UniqueFd> fd = sys::open_path(full, O_PATH | O_DIRECTORY);
      Result<std::string> real = fd ? sys::path_of_fd(fd->get()) : full;
      for (const std::string& workspace : request_.workspaces)
        inside = inside || (real && lies_in(*real, workspace));
    }
    if (!inside) report(path, "leads git to " + std::string(target.substr(0, 200)));
  }

  void take_match(const confine::GlobMatch& match, std::string_view name) {
    if (name == kGitHead) {
      if (!match.directory) take_head(match.path);
      return;
    }
    if (name == kPackageFile) {
      if (match.path.find("/node_modules/") == std::string::npos && is_new(match.path))
        take_package(match.path);
      return;
    }
    if (!is_new(match.path) && !(match.directory && holds_new(match.path, 0))) return;
    auto known = std::lower_bound(
        std::begin(kExecutedNames), std::end(kExecutedNames), name,
        [](const ExecutedName& entry, std::string_view wanted) { return entry.name < wanted; });
    report(match.path, std::string(known->reason));
  }

  // A folder that was there may have got new content, at any depth.
  bool holds_new(const std::string& folder, int depth) const {
    constexpr int kDepth = 32;
    bool found = depth >= kDepth;
    for_each_name(folder, [&](const std::string& path, std::uint8_t type) {
      found = found || is_new(path) || (type == DT_DIR && holds_new(path, depth + 1));
    });
    return found;
  }

  // HEAD beside objects and refs is what git takes for a git folder.
  void take_head(const std::string& path) {
    const std::string folder = path.substr(0, path.rfind('/'));
    struct stat status = {};
    for (const char* part : {"/objects", "/refs"})
      if (sys::stat_entry(AT_FDCWD, (folder + part).c_str(), status) != 0 &&
          sys::stat_entry(AT_FDCWD, (folder + "/commondir").c_str(), status) != 0)
        return;
    git_folders_.insert(folder);
  }

  void take_package(const std::string& path) {
    std::optional<std::string> text = read(path);
    if (!text) return;
    for (std::string_view script : kPackageScripts)
      if (text->find(script) != std::string::npos)
        return report(path, "has a " + std::string(script.substr(1, script.size() - 2)) +
                                " script, which npm runs on install");
  }

  void look_into_git_folder(const std::string& folder) {
    const bool all = counts_as_new(folder);
    for_each_name(folder + "/hooks", [&](const std::string& path, std::uint8_t type) {
      if (path.ends_with(".sample") || (!all && !is_new(path))) return;
      struct stat status = {};
      if (sys::stat_entry(AT_FDCWD, path.c_str(), status) != 0) return;
      if (type == DT_LNK || (S_ISREG(status.st_mode) && (status.st_mode & 0111U) != 0))
        report(path, "a hook that git runs");
    });
    for (const char* name : {"/config", "/config.worktree"}) {
      const std::string path = folder + name;
      struct stat status = {};
      if (sys::stat_entry(AT_FDCWD, path.c_str(), status) != 0 || (!all && !is_new(path))) continue;
      std::optional<std::string> text = read(path);
      if (!text) {
        report(path, "a git configuration that cannot be read");
        continue;
      }
      for (const ConfigFinding& finding : scan_git_config(*text))
        report(path, finding.key + " in line " + std::to_string(finding.line) + ": " +
                         std::string(finding.reason));
    }
  }

  // Whether everything in the git folder counts as new. Of folders not called `.git` (bare
  // repositories, those of submodules and worktrees) nobody noted which were there at the start;
  // their own change time tells whether they were made or moved.
  bool counts_as_new(const std::string& folder) const {
    if (was_known(folder)) return false;
    const bool inside_known =
        std::any_of(known_git_.begin(), known_git_.end(),
                    [&](const std::string& known) { return lies_in(folder, known); });
    return (folder.ends_with("/.git") && !inside_known) || is_new(folder) ||
           is_new(folder + "/HEAD");
  }

  // Only a regular file, no link on the way, at most kMaxScannedBytes.
  static std::optional<std::string> read(const std::string& path) {
    Result<UniqueFd> fd =
        sys::open_resolved(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
    if (!fd) return {};
    Result<struct stat> status = sys::stat_fd(fd->get());
    if (!status || !S_ISREG(status->st_mode)) return {};
    Result<std::string> text = sys::read_fd(fd->get(), kMaxScannedBytes);
    if (!text) return {};
    return std::move(*text);
  }

  template <class Visit>
  static void for_each_name(const std::string& folder, Visit visit) {
    Result<UniqueFd> fd = sys::open_directory(AT_FDCWD, folder.c_str());
    if (!fd) return;
    std::vector<std::pair<std::string, std::uint8_t>> names;
    std::vector<char> buffer(64U << 10U);
    for (;;) {
      auto records = sys::read_directory(fd->get(), buffer);
      if (!records || records->empty()) break;
      sys::DirectoryBatch batch(*records);
      for (sys::DirectoryEntry entry; batch.next(entry);)
        names.emplace_back(folder + '/' + std::string(entry.name), entry.type);
    }
    for (const auto& [path, type] : names) visit(path, type);
  }

  const LeftoverRequest& request_;
  std::set<std::string> known_git_;
  std::set<std::string> git_folders_;
  Leftovers out_;
};

}  // namespace

std::span<const ExecutedName> executed_names() { return kExecutedNames; }

NamesOfInterest names_of_interest() {
  // Of a HEAD only that it is there matters: git opens it, and its log, at every commit.
  NamesOfInterest names{{".git", "commondir", "config", "config.worktree", "hooks", kPackageFile},
                        {kGitHead}};
  for (const ExecutedName& entry : kExecutedNames) names.any.push_back(entry.name);
  return names;
}

Result<Leftovers> find_leftovers(const LeftoverRequest& request) {
  Search search(request);
  WARD_TRY(in_context(search.run(), "look for what the run left"));
  return search.take();
}

}  // namespace ward::process
