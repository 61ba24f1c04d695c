// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "policy/path_decision.h"
#include "policy/test_files.h"

namespace ward::policy {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Pair;

std::map<std::string, std::string> notes_of(const Imported& imported) {
  std::map<std::string, std::string> notes;
  for (const ImportNote& note : imported.notes) notes[note.key] = note.why;
  return notes;
}

Policy policy_of(const Imported& imported) {
  Result<Policy> policy = load_text("imported.yaml", imported.yaml, test_place());
  EXPECT_TRUE(policy) << policy.error().describe() << imported.yaml;
  return policy ? std::move(*policy) : Policy{};
}

constexpr const char* kSrt = R"({
  "network": {
    "allowedDomains": ["api.example.com", "*.example.org:443", "*"],
    "deniedDomains": ["*:22", "evil.example.com"],
    "deniedResolvedAddresses": ["10.0.0.0/8"],
    "strictAllowlist": true,
    "allowUnixSockets": ["/run/pg.sock"],
    "tlsTerminate": {}
  },
  "filesystem": {
    "denyRead": ["~/private", {"path": "a[1]", "literal": true}],
    "allowRead": ["~/private/open"],
    "allowWrite": [".", "/tmp/claude", "gen/deep", "$HOME/x"],
    "denyWrite": ["gen", "**/*.lock"],
    "disabled": true
  },
  "credentials": {
    "files": [{"path": "~/.token", "mode": "mask"}],
    "envVars": [{"name": "A_TOKEN", "mode": "mask", "injectHosts": ["api.example.com"]},
                {"name": "B_TOKEN", "mode": "deny"}]
  },
  "allowNestedUserNamespaces": true,
  "bwrapPath": "/x",
  "frobnicate": 1
})";

TEST(ImportSrt, EachKeyIsHonouredOrNamedWithTheReason) {
  const Result<Imported> imported = import_srt("srt.json", kSrt);
  ASSERT_TRUE(imported) << imported.error().describe();
  const auto notes = notes_of(*imported);
  EXPECT_THAT(notes, Contains(Pair("network.allowedDomains", HasSubstr("'*' is every host"))));
  EXPECT_THAT(notes, Contains(Key("network.strictAllowlist")));
  EXPECT_THAT(notes, Contains(Key("network.tlsTerminate")));
  EXPECT_THAT(notes,
              Contains(Pair("filesystem.allowWrite[1]", HasSubstr("private temporary folder"))));
  EXPECT_THAT(notes,
              Contains(Pair("filesystem.allowWrite[3]", HasSubstr("variables are not expanded"))));
  EXPECT_THAT(notes, Contains(Pair("filesystem.disabled", HasSubstr("no way to run unconfined"))));
  EXPECT_THAT(notes,
              Contains(Pair("allowWrite \"gen/deep\"", HasSubstr("denyWrite \"gen\" wins"))));
  EXPECT_THAT(notes, Contains(Key("credentials.files[0]")));
  EXPECT_THAT(notes, Contains(Key("credentials.envVars[1]")));
  EXPECT_THAT(notes, Contains(Key("bwrapPath")));
  EXPECT_THAT(notes, Contains(Pair("frobnicate", HasSubstr("unknown key"))));
}

TEST(ImportSrt, TheDocumentSaysWhatTheSettingsSaid) {
  const Policy policy = policy_of(import_srt("srt.json", kSrt).value());
  const PathDecider decider(policy.filesystem);
  EXPECT_TRUE(decider.decide("/home/u/proj/x").write.allowed);
  EXPECT_FALSE(decider.decide("/home/u/proj/gen/deep/x").write.allowed);
  EXPECT_FALSE(decider.decide("/home/u/proj/a/b.lock").write.allowed);
  EXPECT_FALSE(decider.decide("/home/u/private/x").read.allowed);
  EXPECT_TRUE(decider.decide("/home/u/private/open").read.allowed);
  EXPECT_FALSE(decider.decide("/home/u/proj/a[1]").read.allowed);
  EXPECT_FALSE(decider.decide("/home/u/.token").read.allowed);
  EXPECT_FALSE(decider.decide("/srv/x").write.allowed);
  EXPECT_EQ(policy.network.allow.size(), 2U);
  EXPECT_EQ(policy.network.deny.size(), 3U);
  EXPECT_EQ(policy.network.unix_sockets.at(0).path, "/run/pg.sock");
  EXPECT_EQ(policy.secrets.at(0).name, "A_TOKEN");
  EXPECT_EQ(policy.secrets.at(0).from, "env:A_TOKEN");
  EXPECT_TRUE(policy.process.nested_namespaces);
}

constexpr const char* kClaude = R"json({
  "$schema": "x",
  "model": "opus",
  "sandbox": {
    "enabled": true,
    "excludedCommands": ["docker *"],
    "allowUnsandboxedCommands": true,
    "filesystem": {"allowWrite": ["//srv/build", "~/.cache/app", "out"], "denyRead": ["~/.aws/"]},
    "network": {"allowedDomains": ["a.example.com"], "allowAllUnixSockets": true}
  },
  "permissions": {
    "allow": ["Edit(docs/**)", "Read(~/notes)", "WebFetch(domain:b.example.com)", "Bash(npm test)"],
    "deny": ["Read(secrets.txt)", "Edit(//etc/**)", "WebFetch(domain:c.example.com)"],
    "ask": ["Bash(git push *)"],
    "defaultMode": "plan"
}
})json";

TEST(ImportClaude, SandboxAndPermissionRulesJoin) {
  const Imported imported =
      import_claude("settings.json", kClaude, ClaudeSettings::project).value();
  const Policy policy = policy_of(imported);
  const PathDecider decider(policy.filesystem);
  EXPECT_TRUE(decider.decide("/home/u/proj/docs/x").write.allowed);
  EXPECT_TRUE(decider.decide("/srv/build/x").write.allowed);
  EXPECT_TRUE(decider.decide("/home/u/.cache/app/x").write.allowed);
  EXPECT_FALSE(decider.decide("/home/u/.aws/credentials").read.allowed);
  EXPECT_FALSE(decider.decide("/home/u/proj/deep/secrets.txt").read.allowed);
  EXPECT_FALSE(decider.decide("/etc/x").write.allowed);
  EXPECT_EQ(policy.network.allow.size(), 2U);
  EXPECT_EQ(policy.network.deny.at(0).host, "c.example.com");
}

TEST(ImportClaude, WhatIsNotHonouredIsNamed) {
  const auto notes =
      notes_of(import_claude("settings.json", kClaude, ClaudeSettings::project).value());
  EXPECT_THAT(notes, Contains(Pair("sandbox.excludedCommands",
                                   HasSubstr("no way to run a command unconfined"))));
  EXPECT_THAT(notes, Contains(Key("sandbox.allowUnsandboxedCommands")));
  EXPECT_THAT(notes, Contains(Key("sandbox.network.allowAllUnixSockets")));
  EXPECT_THAT(notes, Contains(Key("permissions.allow Bash(npm test)")));
  EXPECT_THAT(notes, Contains(Key("permissions.allow Read(~/notes)")));
  EXPECT_THAT(notes, Contains(Key("permissions.ask")));
  EXPECT_THAT(notes, Contains(Key("permissions.defaultMode")));
  EXPECT_THAT(notes, Contains(Key("model")));
}

TEST(ImportClaude, RelativePathsOfUserSettingsStartInTheirFolder) {
  const Imported imported =
      import_claude("settings.json", R"({"sandbox": {"filesystem": {"denyRead": ["x"]}}})",
                    ClaudeSettings::user)
          .value();
  EXPECT_FALSE(
      PathDecider(policy_of(imported).filesystem).decide("/home/u/.claude/x").read.allowed);
}

TEST(Import, WhatIsNoJsonIsRefusedWithItsLine) {
  EXPECT_THAT(import_srt("s.json", "{\n x}").error().describe(),
              HasSubstr("s.json:2: not valid JSON"));
  EXPECT_THAT(import_claude("s.json", "[]", ClaudeSettings::project).error().describe(),
              HasSubstr("expected a mapping"));
}

TEST(Import, TextThatYamlWouldReadOtherwiseIsQuoted) {
  const char* settings =
      R"({"filesystem": {"denyRead": ["null", "yes", "- x", "a: b", "#c", "12", "q\"uote", "tab\\t"], "allowRead": [], "allowWrite": [], "denyWrite": []}})";
  const Policy policy = policy_of(import_srt("s.json", settings).value());
  const PathDecider decider(policy.filesystem);
  for (const char* name : {"null", "yes", "- x", "a: b", "#c", "12", "q\"uote"})
    EXPECT_FALSE(decider.decide(std::string("/home/u/proj/") + name).read.allowed) << name;
}

}  // namespace
}  // namespace ward::policy
