// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/profiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/path_decision.h"
#include "policy/test_files.h"

namespace ward::policy {
namespace {

Policy profile(std::string_view name, bool superuser = true) {
  Place place = test_place();
  place.superuser = superuser;
  return load_text("w.yaml", "version: 1\nextends: " + std::string(name) + "\n", place).value();
}

PathVerdict decide(const Policy& policy, const std::string& path) {
  return PathDecider(policy.filesystem).decide(path);
}

TEST(Profiles, KeyStoresHistoriesAndEnvironmentFilesAreUnreadableInEach) {
  for (const char* name : {"locked", "read-only", "workspace"}) {
    const Policy policy = profile(name);
    for (const char* path : {".ssh/id_ed25519",
                             ".aws/credentials",
                             ".config/gh/hosts.yml",
                             ".netrc",
                             ".git-credentials",
                             ".config/git/credentials",
                             ".config/gcloud/x",
                             ".azure/x",
                             ".kube/config",
                             ".docker/config.json",
                             ".config/helm/x",
                             ".terraform.d/credentials.tfrc.json",
                             ".mozilla/firefox/x",
                             ".config/google-chrome/Default",
                             ".config/chromium/x",
                             ".local/share/keyrings/x",
                             ".gnupg/x",
                             ".bash_history",
                             ".zsh_history",
                             ".local/share/fish/fish_history",
                             ".python_history",
                             ".node_repl_history",
                             ".psql_history",
                             ".mysql_history",
                             ".sqlite_history",
                             ".lesshst",
                             ".password-store/x",
                             ".pypirc",
                             ".npmrc",
                             ".cargo/credentials.toml",
                             ".m2/settings-security.xml",
                             ".claude/.credentials.json",
                             ".codex/auth.json",
                             "work/deep/.env",
                             "work/.env.local",
                             "proj/.env",
                             "proj/a/.env.production.local",
                             "docs/passwords.kdbx",
                             ".bashrc",
                             "notes.txt",
                             ".config/unknown-tool/token"}) {
      EXPECT_FALSE(decide(policy, std::string("/home/u/") + path).read.allowed)
          << name << " " << path;
      EXPECT_FALSE(decide(policy, std::string("/home/u/") + path).write.allowed)
          << name << " " << path;
    }
  }
}

TEST(Profiles, WhatToolchainsReadIsReadableInWorkspace) {
  const Policy policy = profile("workspace");
  for (const char* path :
       {".gitconfig", ".config/git/config", ".config/git/ignore", ".nvm/versions/node/v20/bin/node",
        ".pyenv/shims/python", ".rustup/toolchains/x/bin/rustc", ".cargo/config.toml",
        ".cargo/bin/cargo", ".cargo/registry/x", "go/pkg/mod/x", ".m2/settings.xml",
        ".m2/repository/x", ".config/pip/pip.conf", ".local/lib/python3/x", ".ssh/known_hosts"})
    EXPECT_TRUE(decide(policy, std::string("/home/u/") + path).read.allowed) << path;
  for (const char* path :
       {"/usr/bin/gcc", "/etc/ssl/certs/x", "/etc/passwd", "/opt/x", "/home/u/proj/.env.example"})
    EXPECT_TRUE(decide(policy, path).read.allowed) << path;
}

TEST(Profiles, WhatADocumentNamesExactlyIsReopened) {
  Place place;
  place.workspaces = {"/home/u/proj"};
  place.home = "/home/u";
  const auto policy = load_text(
      "w.yaml", "version: 1\nextends: workspace\nfilesystem: {allowRead: [\"~\", ~/.npmrc]}\n",
      place);
  ASSERT_TRUE(policy);
  EXPECT_TRUE(decide(*policy, "/home/u/notes.txt").read.allowed);
  EXPECT_TRUE(decide(*policy, "/home/u/.npmrc").read.allowed);
  EXPECT_FALSE(decide(*policy, "/home/u/.ssh/id").read.allowed);
}

TEST(Profiles, CachesAreWritableAndWhatRunsOutsideIsNot) {
  const Policy policy = profile("workspace");
  for (const char* path :
       {"proj/x", ".npm/_cacache/x", ".npm/_logs/x", ".cache/pip/x", ".cache/go-build/x",
        "go/pkg/mod/x", ".cargo/registry/x", ".m2/repository/x", ".cache/ccache/x"})
    EXPECT_TRUE(decide(policy, std::string("/home/u/") + path).write.allowed) << path;
  for (const char* path : {".bashrc", ".profile", ".gitconfig", ".local/bin/x", ".cargo/bin/x",
                           ".cargo/config.toml", "go/bin/x", ".npm/_npx/x", ".cache/pre-commit/x",
                           ".cache/node/corepack/x", ".rustup/x", ".nvm/x", ".pyenv/x", ".config/x",
                           ".claude/settings.json", ".gradle/wrapper/x", ".m2/settings.xml", "x"})
    EXPECT_FALSE(decide(policy, std::string("/home/u/") + path).write.allowed) << path;
}

TEST(Profiles, ReadOnlyWritesNothingAndLockedReadsTheSystemAndTheWorkspaceOnly) {
  EXPECT_FALSE(decide(profile("read-only"), "/home/u/proj/x").write.allowed);
  EXPECT_TRUE(decide(profile("read-only"), "/srv/x").read.allowed);
  const Policy locked = profile("locked");
  EXPECT_TRUE(decide(locked, "/usr/bin/ls").read.allowed);
  EXPECT_TRUE(decide(locked, "/home/u/proj/x").read.allowed);
  EXPECT_FALSE(decide(locked, "/home/u/proj/x").write.allowed);
  EXPECT_FALSE(decide(locked, "/home/u/other/x").read.allowed);
  EXPECT_FALSE(decide(locked, "/srv/x").read.allowed);
}

TEST(Profiles, TheSystemsKeysAreDeniedWhereRootCalls) {
  EXPECT_FALSE(decide(profile("workspace"), "/etc/shadow").read.allowed);
  EXPECT_FALSE(decide(profile("workspace"), "/etc/ssh/ssh_host_rsa_key").read.allowed);
  EXPECT_TRUE(decide(profile("workspace", false), "/etc/shadow").read.allowed);
}

// A profile as text is the same policy as the built-in one.
TEST(Profiles, WrittenOutTheySayTheSame) {
  Place place = test_place();
  place.superuser = true;
  for (const Profile which : {Profile::locked, Profile::read_only, Profile::workspace}) {
    const Policy built_in = profile(to_string(which));
    const Policy written = load_text("w.yaml", profile_text(which), place).value();
    EXPECT_EQ(written.filesystem.default_access, built_in.filesystem.default_access);
    std::vector<std::pair<PathList, std::string>> a, b;
    for (const PathRule& rule : built_in.filesystem.rules) a.emplace_back(rule.list, rule.pattern);
    for (const PathRule& rule : written.filesystem.rules)
      if (!rule.origin.file.starts_with("profile")) b.emplace_back(rule.list, rule.pattern);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    EXPECT_EQ(a, b);
  }
}

TEST(Profiles, NoRowNamesAPathTwice) {
  std::vector<std::string> seen;
  for (const ProfileRows& rows : profile_rows())
    for (const std::string_view path : rows.paths)
      seen.push_back(std::to_string(static_cast<int>(rows.first)) +
                     std::to_string(static_cast<int>(rows.list)) + std::string(path));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace ward::policy
