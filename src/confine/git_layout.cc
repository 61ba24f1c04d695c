// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/git_layout.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace ward::confine {

namespace {

constexpr std::uint64_t kMaxLinkFile = 8192;  // a `.git`, `gitdir` or `commondir` file
constexpr std::uint64_t kMaxConfig = 1U << 20U;
constexpr int kMaxModuleDepth = 16;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string absolute(std::string_view path, const std::string& base) {
  return path.substr(0, 1) == "/" ? std::string(path) : join_path(base, path);
}

// The text of a small regular file that is not reached through a link in its last component.
std::optional<std::string> read_small(const std::string& path, std::uint64_t max) {
  auto fd = sys::open_path(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::nullopt;
  auto status = sys::stat_fd(fd->get());
  if (!status || !S_ISREG(status->st_mode)) return std::nullopt;
  auto text = sys::read_fd(fd->get(), max);
  if (!text) return std::nullopt;
  return std::move(*text);
}

GitConfig read_config(const std::string& path) {
  auto text = read_small(path, kMaxConfig);
  return text ? parse_git_config(*text) : GitConfig{};
}

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path.c_str()), &::closedir);
  if (!dir) return names;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != ".." && entry->d_type != DT_REG) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void add_names(std::vector<ProtectedPath>& out, const std::string& folder) {
  for (const ProtectedName& row : protected_git_names())
    out.push_back({join_path(folder, row.name), row.reason});
}

// Names of submodules have slashes in them, so their git folders lie at any depth.
void add_modules(std::vector<ProtectedPath>& out, const std::string& folder, PathResolver& resolver,
                 int depth) {
  if (resolver.look(folder).kind != PathNode::Kind::directory || depth > kMaxModuleDepth) return;
  for (const std::string& name : folders_in(folder)) {
    std::string path = join_path(folder, name);
    if (resolver.look(path).kind != PathNode::Kind::directory) continue;
    if (resolver.look(join_path(path, "HEAD")).kind == PathNode::Kind::absent)
      add_modules(out, path, resolver, depth + 1);
    else
      add_protected_git_folder(out, path, resolver);
  }
}

// What values of a configuration are relative to, and the work tree they are for.
struct ConfigPlace {
  std::string hooks_base, include_base, home, top;
};

// What git looks for in a folder of hooks.
constexpr std::array<std::string_view, 19> kHooks = {
    "applypatch-msg",     "commit-msg",       "fsmonitor-watchman",
    "post-applypatch",    "post-checkout",    "post-commit",
    "post-index-change",  "post-merge",       "post-rewrite",
    "pre-applypatch",     "pre-auto-gc",      "pre-commit",
    "pre-merge-commit",   "pre-push",         "pre-rebase",
    "prepare-commit-msg", "push-to-checkout", "reference-transaction",
    "sendemail-validate",
};

// Folders and files of the project that its git configuration makes git execute or obey.
void add_configured(std::vector<ProtectedPath>& out, const GitConfig& config,
                    const ConfigPlace& place) {
  auto expanded = [&](const std::string& value, const std::string& base) {
    if (value.starts_with("~/")) return join_path(place.home, value.substr(2));
    return absolute(value, base);
  };
  for (const std::string& value : config.hook_paths) {
    if (value.empty()) continue;
    constexpr std::string_view kReason = "git executes it: core.hooksPath names its folder";
    std::string path = expanded(value, place.hooks_base);
    while (path.size() > 1 && (path.back() == '/' || path.ends_with("/.")))
      path.resize(path.rfind('/'));
    if (path.empty()) path = "/";
    // A project whose hooks lie in its top folder stays writable but for them.
    if (lies_in(place.top, path))
      for (std::string_view hook : kHooks) out.push_back({join_path(path, hook), kReason});
    else
      out.push_back({path, kReason});
  }
  for (const std::string& value : config.includes)
    if (!value.empty())
      out.push_back({expanded(value, place.include_base),
                     "git takes commands from it: an include of its configuration names it"});
}

class LayoutReader {
 public:
  LayoutReader(std::string entry, const GitSurroundings& around, PathResolver& resolver)
      : entry_(std::move(entry)), top_(parent_of(entry_)), around_(around), resolver_(resolver) {}

  GitLayout read() {
    Resolution end = resolver_.resolve(entry_);
    const bool folder =
        end.end == Resolution::End::found && end.node.kind == PathNode::Kind::directory;
    // A folder is pinned, not read-only; a file or a link stays as it is.
    if (!folder || !end.links.empty()) {
      out_.link = entry_;
      if (!folder) out_.protect.push_back({entry_, "it names the git folder"});
    }
    add_configured(out_.protect, around_.user_config, {top_, around_.home, around_.home, top_});
    if (end.end != Resolution::End::found)
      refuse("it leads nowhere", "");
    else if (folder)
      own_folder(end.path);
    else
      follow_file(end.path);
    return std::move(out_);
  }

 private:
  void refuse(std::string why, const std::string& folder) {
    out_.refused = std::move(why);
    if (!folder.empty()) out_.remedy = "if you trust it: allowWrite " + folder;
  }

  void protect_folder(const std::string& folder, const std::string& common) {
    add_protected_git_folder(out_.protect, folder, resolver_);
    add_configured(out_.protect, read_config(join_path(common, "config")),
                   {top_, common, around_.home, top_});
    add_configured(out_.protect, read_config(join_path(folder, "config.worktree")),
                   {top_, folder, around_.home, top_});
  }

  // A git folder by itself: of an ordinary repository, or at the end of a link.
  void own_folder(const std::string& folder) {
    protect_folder(folder, folder);
    if (around_.writable(folder))
      out_.pins.push_back(folder);
    else if (around_.writable(top_))
      refuse("its git folder " + folder + " is not in a writable path", folder);
  }

  void follow_file(const std::string& file) {
    constexpr std::string_view kPrefix = "gitdir: ";
    auto text = read_small(file, kMaxLinkFile);
    if (!text || !text->starts_with(kPrefix)) return refuse("it names no git folder", "");
    std::string_view named = trimmed(std::string_view(*text).substr(kPrefix.size()));
    if (named.empty()) return refuse("it names no git folder", "");
    Resolution folder = resolver_.resolve(absolute(named, std::string(parent_of(file))));
    if (folder.end != Resolution::End::found || folder.node.kind != PathNode::Kind::directory)
      return refuse("the git folder that it names is not there", "");
    if (auto common = read_small(join_path(folder.path, "commondir"), kMaxLinkFile))
      return linked_worktree(folder.path, std::string(trimmed(*common)));
    submodule(folder.path);
  }

  // The folder of a worktree is COMMON/worktrees/NAME, and its `gitdir` names our `.git`. A common
  // folder is taken from the place of the git folder, never from the text of `commondir` alone:
  // a git folder inside the workspace could name any repository there.
  void linked_worktree(const std::string& folder, const std::string& common_text) {
    Resolution common = resolver_.resolve(absolute(common_text, folder));
    protect_folder(folder, common.path);
    std::string placed = join_path(join_path(common.path, "worktrees"), name_of(folder));
    if (common.end != Resolution::End::found || placed != folder)
      return refuse("its git folder " + folder + " is not one of the repository that it names", "");
    if (around_.writable(folder) && around_.writable(common.path)) {
      out_.pins.push_back(folder);
      return add_protected_git_folder(out_.protect, common.path, resolver_);
    }
    auto back = read_small(join_path(folder, "gitdir"), kMaxLinkFile);
    if (!back || !names_us(trimmed(*back), folder))
      return refuse("its git folder " + folder + " does not name this worktree back", folder);
    out_.write.push_back(folder);
    // Not the common folder as a whole: a git-rebase-todo or a commondir made there would be obeyed
    // in the main checkout.
    for (std::string_view name : {"lfs", "logs", "objects", "refs", "reftable"}) {
      std::string path = join_path(common.path, name);
      if (resolver_.look(path).kind == PathNode::Kind::directory) out_.write.push_back(path);
    }
    out_.read.push_back(common.path);
    out_.refused = "in " + common.path +
                   " only objects, refs and logs are writable: packed refs cannot be deleted or "
                   "packed anew from here";
    out_.remedy = "run git pack-refs or git gc outside";
  }

  bool names_us(std::string_view back, const std::string& folder) {
    std::string path = absolute(back, folder);
    if (name_of(path) != ".git") return false;
    Resolution top = resolver_.resolve(std::string(parent_of(path)));
    return top.end == Resolution::End::found && top.path == top_;
  }

  void submodule(const std::string& folder) {
    protect_folder(folder, folder);
    if (around_.writable(folder)) {
      out_.pins.push_back(folder);
      return;
    }
    std::string back = read_config(join_path(folder, "config")).worktree;
    if (!back.empty()) {
      Resolution top = resolver_.resolve(absolute(back, folder));
      if (top.end == Resolution::End::found && top.path == top_) {
        out_.write.push_back(folder);
        out_.read.push_back(folder);
        return;
      }
    }
    refuse("its git folder " + folder + " does not name this folder back", folder);
  }

  std::string entry_;
  std::string top_;
  const GitSurroundings& around_;
  PathResolver& resolver_;
  GitLayout out_;
};

}  // namespace

void add_protected_git_folder(std::vector<ProtectedPath>& out, const std::string& folder,
                              PathResolver& resolver) {
  add_names(out, folder);
  add_modules(out, join_path(folder, "modules"), resolver, 0);
  std::string worktrees = join_path(folder, "worktrees");
  if (resolver.look(worktrees).kind != PathNode::Kind::directory) return;
  for (const std::string& name : folders_in(worktrees)) {
    std::string path = join_path(worktrees, name);
    if (resolver.look(path).kind != PathNode::Kind::directory) continue;
    add_names(out, path);
    add_modules(out, join_path(path, "modules"), resolver, 0);
  }
}

GitConfig read_user_git_config(const std::string& home) {
  GitConfig config = read_config(join_path(home, ".config/git/config"));
  GitConfig own = read_config(join_path(home, ".gitconfig"));
  std::move(own.hook_paths.begin(), own.hook_paths.end(), std::back_inserter(config.hook_paths));
  std::move(own.includes.begin(), own.includes.end(), std::back_inserter(config.includes));
  return config;
}

GitLayout read_git_layout(const std::string& entry, const GitSurroundings& around,
                          PathResolver& resolver) {
  return LayoutReader(entry, around, resolver).read();
}

}  // namespace ward::confine
