// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "policy/explain.h"
#include "policy/take.h"
#include "policy/test_files.h"

namespace ward::policy {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Policy policy_of(const std::string& body, const Place& place = test_place()) {
  Result<Policy> policy = load_text("w.yaml", "version: 1\n" + body, place);
  EXPECT_TRUE(policy) << policy.error().describe();
  return policy ? std::move(*policy) : Policy{};
}

std::vector<std::string> findings_of(const std::string& body, const Place& place = test_place()) {
  std::vector<std::string> ids;
  for (const Finding& finding : lint(policy_of(body, place), place)) ids.push_back(finding.id);
  return ids;
}

struct Case {
  const char* name;
  const char* body;
  const char* finding;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Lint : public ::testing::TestWithParam<Case> {};

TEST_P(Lint, Finds) { EXPECT_THAT(findings_of(GetParam().body), Contains(GetParam().finding)); }

constexpr Case kCases[] = {
    {"WritableRoot", "filesystem: {allowWrite: [/]}\n", "writable-root"},
    {"WritableHome", "filesystem: {allowWrite: [~]}\n", "writable-home"},
    {"WritableHomeByWildcard", "filesystem: {allowWrite: [\"~/*\"]}\n", "writable-home"},
    {"WritableAncestorOfHome", "filesystem: {allowWrite: [/home]}\n", "writable-home"},
    {"WritableTemp", "filesystem: {allowWrite: [\"@tmp\"]}\n", "writable-temp"},
    {"WritableSystem", "filesystem: {allowWrite: [/usr/lib/x]}\n", "writable-system"},
    {"WritableCommands", "filesystem: {allowWrite: [~/.local]}\n", "writable-command-folder"},
    {"WritableCargoBin", "filesystem: {allowWrite: [~/.cargo]}\n", "writable-command-folder"},
    {"WritableStartup", "filesystem: {allowWrite: [~/.config]}\n", "writable-startup-file"},
    {"KeysAndNetwork", "filesystem: {allowRead: [~/.ssh/id_rsa]}\nnetwork: {allow: [a.example]}\n",
     "credentials-with-network"},
    {"KeysAlone", "filesystem: {allowRead: [~/.ssh/id_rsa]}\n", "readable-credentials"},
    {"Shadowed", "filesystem: {denyRead: [~/x], allowRead: [~/x]}\n", "shadowed-rule"},
    {"ShadowedHost", "network: {allow: [a.b.example], deny: [\"*.b.example\"]}\n", "shadowed-rule"},
    {"RuleWithoutHost", "network: {rules: [{host: a.example}]}\n", "rule-without-host"},
    {"SecretWithoutHost", "secrets: [{name: A, from: \"env:A\", hosts: [a.example]}]\n",
     "rule-without-host"},
    {"WideBlock", "network: {allow: [8.0.0.0/5]}\n", "wide-network"},
    {"Docker", "network: {unixSockets: [/var/run/docker.sock]}\n", "powerful-socket"},
    {"BroadEnv", "env: {inherit: all}\n", "broad-env"},
    {"Nested", "process: {nestedNamespaces: true}\n", "nested-namespaces"},
};
INSTANTIATE_TEST_SUITE_P(Table, Lint, ::testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(LintOfProfiles, BuiltInProfilesHaveNoFindings) {
  for (const char* profile : {"locked", "read-only", "workspace"})
    EXPECT_THAT(findings_of(std::string("extends: ") + profile + "\n"), IsEmpty()) << profile;
}

TEST(LintOfWorkspaces, HomeOrRootAsWorkspaceIsRefused) {
  Place place = test_place();
  place.workspaces = {"/home/u"};
  EXPECT_THAT(findings_of("", place), Contains("workspace-is-home"));
  place.workspaces = {"/"};
  EXPECT_THAT(findings_of("", place), Contains("workspace-is-root"));
}

TEST(LintOfWorkspaces, AFolderOfPathInsideTheWorkspaceIsNoted) {
  Place place = test_place();
  place.command_folders = {"/home/u/proj/.venv/bin", "/usr/bin"};
  EXPECT_THAT(findings_of("", place), ::testing::ElementsAre("command-folder-in-workspace"));
}

TEST(Refuse, NamesPlaceFindingRemedyAndOverride) {
  const Policy policy = policy_of("filesystem:\n  allowWrite: [~]\n");
  const Status status = refuse(lint(policy, test_place()));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().describe(),
              HasSubstr("w.yaml:3: writable-home: allowWrite ~ (w.yaml:3)"));
  EXPECT_THAT(status.error().describe(), HasSubstr("overrides: [writable-home]"));
}

TEST(Refuse, AnOverrideOfTheUserAcceptsItsFindingOnly) {
  const Policy policy = policy_of("filesystem: {allowWrite: [~]}\noverrides: [writable-home]\n");
  const std::vector<Finding> findings = lint(policy, test_place());
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].accepted_by, &policy.overrides[0]);
  EXPECT_TRUE(refuse(findings));
  EXPECT_FALSE(refuse(lint(
      policy_of("filesystem: {allowWrite: [~, /]}\noverrides: [writable-home]\n"), test_place())));
}

TEST(Refuse, NotesAndMistakesDoNotStopARun) {
  EXPECT_TRUE(refuse(
      lint(policy_of("filesystem: {allowRead: [~/.ssh]}\nenv: {inherit: all}\n"), test_place())));
}

TEST(FindingKinds, OverridesNameExactlyTheRefusedOnes) {
  std::string refused;
  std::string_view last;
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_LT(last, kind.id);
    last = kind.id;
    if (kind.severity == Severity::refused)
      refused += (refused.empty() ? "" : " ") + std::string(kind.id);
  }
  EXPECT_EQ(refused, kAcceptable);
}

// Else every policy that reaches a host would be refused in a home folder with a ~/.config.
TEST(Lint, AKeyStoreThatIsNotThereIsNoFinding) {
  Place place = test_place();
  place.home_names.emplace();
  place.home_names->add_folder("");
  place.home_names->add_folder(".config");
  place.home_names->add_name(".config");
  EXPECT_THAT(findings_of("network: {allow: [a.example]}\n", place), IsEmpty());
}

TEST(ProcessLayer, RefusesWhatItCannotEnforce) {
  EXPECT_TRUE(process_layer_accepts(policy_of("")));
  EXPECT_TRUE(process_layer_accepts(
      policy_of("network: {allow: [a.example], hostPorts: [5432]}\npublish: [3000]\n")));
  const Status gates = process_layer_accepts(policy_of("gates: [{when: dialog}]\n"));
  ASSERT_FALSE(gates);
  EXPECT_THAT(gates.error().describe(), HasSubstr("gates cannot be enforced by the process layer"));
  EXPECT_TRUE(process_layer_accepts(policy_of("gates: [{when: request, host: a.example}]\n")));
  EXPECT_FALSE(process_layer_accepts(policy_of("limits: {disk: 1GiB}\n")));
  EXPECT_FALSE(process_layer_accepts(policy_of("process: {seccomp: desktop}\n")));
  EXPECT_TRUE(
      process_layer_accepts(policy_of("container: {image: base}\nnetwork: {deny: [a.example]}\n")));
}

TEST(Explain, NamesTheRuleAndWhyTheOthersLost) {
  const Policy policy = policy_of(
      "extends: read-only\nfilesystem:\n  allowWrite: [.]\n  denyRead: [\"**/secret\"]\n  "
      "allowRead: [a/secret]\n");
  EXPECT_EQ(explain_path(policy, "/home/u/proj/a/secret/x").text(),
            "/home/u/proj/a/secret/x\n"
            "  read: allowed by allowRead a/secret (w.yaml:6)\n"
            "    because it names /home/u/proj/a/secret, which the path is below\n"
            "    not by allowRead . (profile read-only): less specific\n"
            "    not by denyRead ~ (profile read-only): less specific\n"
            "    not by allowWrite . (w.yaml:4): less specific\n"
            "    not by denyRead **/secret (w.yaml:5): as specific, but a literal path goes before "
            "a wildcard\n"
            "  write: denied by denyRead **/secret (w.yaml:5)\n"
            "    because it names /home/u/proj/a/secret, which the path is below (by a wildcard)\n"
            "    not by denyRead ~ (profile read-only): less specific\n"
            "    not by allowWrite . (w.yaml:4): less specific\n");
}

TEST(Explain, SaysWhenNoRuleSpeaks) {
  EXPECT_EQ(explain_path(policy_of(""), "/srv/x").text(),
            "/srv/x\n  read: allowed by the default: read\n    because no rule speaks of it\n"
            "  write: denied by the default: what no rule lets be written is read-only\n"
            "    because no rule speaks of it\n");
}

TEST(Explain, SpeaksOfHostsAndPorts) {
  const Policy policy = policy_of("network:\n  allow: [\"*.b.example\"]\n  deny: [x.b.example]\n");
  EXPECT_EQ(explain_host(policy, "x.b.example:443")->text(),
            "x.b.example\n  connect to port 443: denied by deny x.b.example (w.yaml:4)\n"
            "    because deny goes before rules and allow\n"
            "    not by allow *.b.example (w.yaml:3): deny goes before allow\n"
            "    to allow it, take that deny away, if the host is meant to be reached\n");
  EXPECT_THAT(explain_host(policy, "y.b.example:22")->text(),
              HasSubstr("another port, 80 and 443 are meant"));
  EXPECT_FALSE(explain_host(policy, "*.b.example"));
}

}  // namespace
}  // namespace ward::policy
