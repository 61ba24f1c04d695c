// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/path_decision.h"
#include "policy/test_files.h"

namespace ward::policy {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kManaged = "/etc/ward/managed.yaml";
constexpr const char* kUser = "/home/u/.config/ward/ward.yaml";
constexpr const char* kWorkspace = "/home/u/proj/ward.yaml";

Loaded load(const MapFiles& files, const LoadRequest& request = test_request()) {
  Result<Loaded> loaded = load_policy(request, files);
  EXPECT_TRUE(loaded) << loaded.error().describe();
  return loaded ? std::move(*loaded) : Loaded{};
}

std::string load_error(const MapFiles& files) {
  Result<Loaded> loaded = load_policy(test_request(), files);
  return loaded ? "no error" : loaded.error().describe();
}

Loaded load_trusted(const MapFiles& files) {
  LoadRequest request = test_request();
  for (const WorkspaceDocument& document : load(files).workspace_documents)
    request.trusted.add(document.hash, document.workspace);
  return load(files, request);
}

bool readable(const Loaded& loaded, const char* path) {
  return PathDecider(loaded.policy.filesystem).decide(path).read.allowed;
}
bool writable(const Loaded& loaded, const char* path) {
  return PathDecider(loaded.policy.filesystem).decide(path).write.allowed;
}

TEST(Load, WithoutAnyFileTheWorkspaceProfileIsInForce) {
  const Loaded loaded = load({});
  EXPECT_EQ(loaded.policy.profile, "workspace");
  EXPECT_TRUE(writable(loaded, "/home/u/proj/src/main.c"));
  EXPECT_TRUE(readable(loaded, "/usr/bin/gcc"));
  EXPECT_FALSE(writable(loaded, "/home/u/.bashrc"));
  EXPECT_FALSE(readable(loaded, "/home/u/.ssh/id_ed25519"));
  EXPECT_FALSE(readable(loaded, "/home/u/proj/sub/.env"));
  EXPECT_TRUE(readable(loaded, "/home/u/proj/sub/.env.example"));
  EXPECT_FALSE(loaded.policy.network.allows_anything());
  EXPECT_THAT(loaded.left_out, IsEmpty());
}

TEST(Load, AnUntrustedWorkspaceFileNarrowsAtOnceAndWidensNothing) {
  MapFiles files;
  files.texts[kWorkspace] =
      "version: 1\nfilesystem:\n  denyWrite: [gen]\n  allowRead: [~/.ssh]\n  allowWrite: [/srv]\n"
      "network: {allow: [example.com], deny: [evil.example.com]}\nlimits: {wall: 10m}\n"
      "env: {inherit: all, set: {A: b}}\nprocess: {nestedNamespaces: true, seccomp: strict, "
      "passFds: [3]}\n";
  const Loaded loaded = load(files);
  EXPECT_FALSE(writable(loaded, "/home/u/proj/gen/x"));
  EXPECT_FALSE(writable(loaded, "/srv/x"));
  EXPECT_FALSE(loaded.policy.network.allows_anything());
  EXPECT_THAT(loaded.policy.network.deny, SizeIs(1));
  EXPECT_EQ(loaded.policy.limits.wall, std::chrono::minutes(10));
  EXPECT_EQ(loaded.policy.env.inherit, EnvInherit::core);
  EXPECT_THAT(loaded.policy.env.set, IsEmpty());
  EXPECT_FALSE(loaded.policy.process.nested_namespaces);
  EXPECT_EQ(loaded.policy.process.seccomp, SyscallProfile::strict);
  EXPECT_THAT(loaded.policy.process.pass_fds, IsEmpty());
  std::vector<std::string> keys;
  for (const LeftOut& part : loaded.left_out) keys.push_back(part.key);
  EXPECT_THAT(keys, ::testing::UnorderedElementsAre("filesystem.allowRead", "filesystem.allowWrite",
                                                    "network.allow", "env.set", "env.inherit",
                                                    "process.nestedNamespaces", "process.passFds"));
  EXPECT_EQ(loaded.left_out[0].describe(),
            "/home/u/proj/ward.yaml:4: filesystem.allowRead: not applied: nobody has trusted this "
            "content");
}

TEST(Load, ATrustedWorkspaceFileWidens) {
  MapFiles files;
  files.texts[kWorkspace] =
      "version: 1\nfilesystem: {allowWrite: [/srv], allowRead: [~/.ssh/known_hosts]}\n";
  const Loaded loaded = load_trusted(files);
  EXPECT_TRUE(loaded.workspace_documents[0].trusted);
  EXPECT_TRUE(writable(loaded, "/srv/x"));
  EXPECT_TRUE(readable(loaded, "/home/u/.ssh/known_hosts"));
  EXPECT_FALSE(readable(loaded, "/home/u/.ssh/id_rsa"));
}

TEST(Load, TrustEndsWhenTheFileOrOneThatItExtendsChanges) {
  MapFiles files;
  files.texts[kWorkspace] = "version: 1\nextends: ./more.yaml\n";
  files.texts["/home/u/proj/more.yaml"] = "version: 1\nfilesystem: {allowWrite: [/srv]}\n";
  LoadRequest request = test_request();
  const WorkspaceDocument first = load(files).workspace_documents.at(0);
  EXPECT_TRUE(first.widens);
  request.trusted.add(first.hash, first.workspace);
  EXPECT_TRUE(writable(load(files, request), "/srv/x"));
  files.texts["/home/u/proj/more.yaml"] += "  # a remark\n";
  EXPECT_FALSE(writable(load(files, request), "/srv/x"));
}

TEST(Load, TrustOfOneWorkspaceDoesNotHoldForACopyElsewhere) {
  MapFiles files;
  files.texts[kWorkspace] = "version: 1\nfilesystem: {allowWrite: [/srv]}\n";
  files.texts["/home/u/copy/ward.yaml"] = files.texts[kWorkspace];
  LoadRequest request = test_request();
  const WorkspaceDocument first = load(files).workspace_documents.at(0);
  request.trusted.add(first.hash, first.workspace);
  request.place.workspaces = {"/home/u/copy"};
  EXPECT_FALSE(writable(load(files, request), "/srv/x"));
}

TEST(Load, ADenyOfAHigherScopeIsNotReopenedHoweverSpecific) {
  MapFiles files;
  files.texts[kManaged] = "version: 1\nfilesystem: {denyRead: [/srv/secret]}\n";
  files.texts[kUser] =
      "version: 1\nfilesystem: {allowRead: [/srv/secret/a/b], denyWrite: [./gen]}\n";
  files.texts[kWorkspace] = "version: 1\nfilesystem: {allowWrite: [./gen/mine]}\n";
  const Loaded loaded = load_trusted(files);
  EXPECT_FALSE(readable(loaded, "/srv/secret/a/b"));
  EXPECT_FALSE(writable(loaded, "/home/u/proj/gen/mine/x"));
}

TEST(Load, AnAllowOfAHigherScopeIsDeniedByALowerOne) {
  MapFiles files;
  files.texts[kUser] = "version: 1\nfilesystem: {allowWrite: [/srv]}\n";
  files.texts[kWorkspace] = "version: 1\nfilesystem: {denyWrite: [/srv/x]}\n";
  const Loaded loaded = load(files);
  EXPECT_TRUE(writable(loaded, "/srv/y"));
  EXPECT_FALSE(writable(loaded, "/srv/x/z"));
}

TEST(Load, TheNarrowestNamedProfileIsInForce) {
  MapFiles files;
  files.texts[kUser] = "version: 1\nextends: workspace\n";
  files.texts[kWorkspace] = "version: 1\nextends: read-only\n";
  const Loaded narrowed = load(files);
  EXPECT_EQ(narrowed.policy.profile, "read-only");
  EXPECT_FALSE(writable(narrowed, "/home/u/proj/x"));
  EXPECT_EQ(
      narrowed.left_out.at(0).describe(),
      "/home/u/.config/ward/ward.yaml:2: extends: the narrower profile read-only is named too, "
      "and is in force");
  files.texts[kUser] = "version: 1\nextends: locked\n";
  files.texts[kWorkspace] = "version: 1\nextends: workspace\n";
  EXPECT_FALSE(readable(load_trusted(files), "/srv/x"));
}

TEST(Load, AProfileThatAFileExtendsHasThatFilesScope) {
  MapFiles files;
  files.texts[kWorkspace] = "version: 1\nfilesystem: {allowRead: [~/.ssh/id_test]}\n";
  EXPECT_TRUE(readable(load_trusted(files), "/home/u/.ssh/id_test"));
  files.texts[kUser] = "version: 1\nextends: workspace\n";
  EXPECT_FALSE(readable(load_trusted(files), "/home/u/.ssh/id_test"));
}

TEST(Load, TheLowestLimitAndTheStrictestValueCount) {
  MapFiles files;
  files.texts[kManaged] = "version: 1\nlimits: {memory: 2GiB, wall: 5m}\nenv: {inherit: none}\n";
  files.texts[kUser] = "version: 1\nlimits: {memory: 1GiB, wall: 1h}\nenv: {inherit: core}\n";
  const Loaded loaded = load(files);
  EXPECT_EQ(loaded.policy.limits.memory_bytes, 1ULL << 30U);
  EXPECT_EQ(loaded.policy.limits.wall, std::chrono::minutes(5));
  EXPECT_EQ(loaded.policy.env.inherit, EnvInherit::none);
}

TEST(Load, EachWorkspacesFileSpeaksOfItsOwnFolder) {
  MapFiles files;
  files.texts["/b/ward.yaml"] = "version: 1\nfilesystem: {denyWrite: [gen]}\n";
  LoadRequest request = test_request();
  request.place.workspaces = {"/a", "/b"};
  const Loaded loaded = load(files, request);
  EXPECT_TRUE(writable(loaded, "/a/gen"));
  EXPECT_TRUE(writable(loaded, "/b/x"));
  EXPECT_FALSE(writable(loaded, "/b/gen"));
}

TEST(Load, ACircleOfExtendsIsRefusedWithItsPlace) {
  MapFiles files;
  files.texts[kUser] = "version: 1\nextends: ./a.yaml\n";
  files.texts["/home/u/.config/ward/a.yaml"] = "version: 1\nextends: ./b.yaml\n";
  files.texts["/home/u/.config/ward/b.yaml"] = "version: 1\nextends: ./a.yaml\n";
  EXPECT_THAT(load_error(files),
              HasSubstr("b.yaml:2: extends: '/home/u/.config/ward/a.yaml' extends "
                        "itself in the end"));
}

TEST(Load, AMisspeltProfileNamesTheNearest) {
  MapFiles files;
  files.texts[kUser] = "version: 1\nextends: workspce\n";
  EXPECT_THAT(load_error(files), HasSubstr("ward.yaml:2: extends: 'workspce' is neither a built-in "
                                           "profile nor a file (did you mean 'workspace'?)"));
}

TEST(Load, AMissingExtendedFileIsAnErrorWithItsPlace) {
  MapFiles files;
  files.texts[kUser] = "version: 1\nextends: ./gone.yaml\n";
  EXPECT_THAT(load_error(files),
              HasSubstr("ward.yaml:2: extends: open /home/u/.config/ward/gone.yaml"));
}

TEST(Load, TwoPolicyFilesInOneWorkspaceAreRefused) {
  MapFiles files;
  files.texts[kWorkspace] = "version: 1\n";
  files.texts["/home/u/proj/ward.json"] = "{\"version\": 1}";
  EXPECT_THAT(load_error(files), HasSubstr("both exist (keep one of them)"));
}

TEST(Load, OverridesInAWorkspaceFileAreRefused) {
  MapFiles files;
  files.texts[kWorkspace] = "version: 1\noverrides: [writable-home]\n";
  EXPECT_THAT(load_error(files),
              HasSubstr("ward.yaml:2: overrides[0]: a workspace's file cannot accept"));
}

TEST(Load, AManagedFileOrOneThatItExtendsThatIsNotRootsIsRefused) {
  MapFiles files;
  files.texts[kManaged] = "version: 1\nextends: ./base.yaml\n";
  files.texts["/etc/ward/base.yaml"] = "version: 1\nfilesystem: {denyRead: [/srv]}\n";
  EXPECT_FALSE(readable(load(files), "/srv/x"));
  files.not_roots = {"/etc/ward/base.yaml"};
  EXPECT_EQ(load_error(files),
            "/etc/ward/managed.yaml:2: extends: /etc/ward/base.yaml is not root's");
  files.not_roots = {kManaged};
  EXPECT_EQ(load_error(files), "/etc/ward/managed.yaml is not root's");
}

TEST(Load, TheUsersAndTheWorkspacesFilesNeedNotBeRoots) {
  MapFiles files;
  files.texts[kUser] = files.texts[kWorkspace] = "version: 1\nextends: ~/base.yaml\n";
  files.texts["/home/u/base.yaml"] = "version: 1\nfilesystem: {denyRead: [/srv]}\n";
  files.not_roots = {kUser, kWorkspace, "/home/u/base.yaml"};
  EXPECT_FALSE(readable(load(files), "/srv/x"));
}

TEST(Load, JsonAndYamlSayTheSame) {
  MapFiles files;
  files.texts["/home/u/proj/ward.json"] =
      "{\n\t\"version\": 1,\n\t\"filesystem\": {\"denyRead\": [\"~/x\", {\"path\": \"a[1]\", "
      "\"literal\": true}]}\n}";
  const Loaded loaded = load(files);
  EXPECT_FALSE(readable(loaded, "/home/u/x/y"));
  EXPECT_FALSE(readable(loaded, "/home/u/proj/a[1]/y"));
  EXPECT_TRUE(readable(loaded, "/home/u/proj/a1"));
}

}  // namespace
}  // namespace ward::policy
