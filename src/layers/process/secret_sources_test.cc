// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/secret_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "policy/path_decision.h"
#include "support/temp_dir.h"

namespace ward::process {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

policy::Secret from(std::string source) {
  return {"API_TOKEN", std::move(source), {"api.example.com"}, "", "", {"ward.yaml", 7, {}}};
}

Result<std::vector<egress::Secret>> resolve(const std::string& source, const std::string& home,
                                            const char* line = nullptr) {
  policy::Policy policy;
  policy.secrets = {from(source)};
  const char* const caller[] = {line, nullptr};
  return resolve_secrets(policy, {home, caller});
}

TEST(SecretSources, AVariableAndAFileGiveTheirValue) {
  const test::TempDir folder;
  folder.write("token", "token-of-the-file\r\n");
  EXPECT_EQ(resolve("env:MINE", "/h", "MINE=token-of-the-caller")->at(0).value,
            "token-of-the-caller");
  EXPECT_EQ(resolve("file:~/token", folder.path())->at(0).value, "token-of-the-file");
  EXPECT_EQ(resolve("file:" + (folder / "token"), "/h")->at(0).value, "token-of-the-file");
}

TEST(SecretSources, ASourceWithoutAUsableValueIsRefusedWithItsLine) {
  const test::TempDir folder;
  folder.write("empty", "");
  folder.write("lines", "one-of-two\ntwo-of-two\n");
  folder.make_dir("folder");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* source : {"env:MINE", "file:~/absent", "file:~/empty", "file:~/lines",
                             "file:~/folder", "file:~/pipe"}) {
    const auto secrets = resolve(source, folder.path());
    ASSERT_FALSE(secrets) << source;
    EXPECT_THAT(secrets.error().message(), HasSubstr("ward.yaml:7: secret API_TOKEN")) << source;
    EXPECT_FALSE(secrets.error().remedy().empty()) << source;
  }
  const auto empty = resolve("env:MINE", "/h", "MINE=");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message(), HasSubstr("env:MINE"));
  // What is said never holds the value.
  const auto control = resolve("env:MINE", "/h", "MINE=hidden\tvalue");
  ASSERT_FALSE(control);
  EXPECT_THAT(control.error().describe(), Not(HasSubstr("hidden")));
}

TEST(SecretSources, TheEnvironmentHoldsPlaceholdersOnly) {
  const auto secrets = resolve("env:MINE", "/h", "MINE=token-of-the-caller");
  ASSERT_TRUE(secrets);
  std::vector<std::string> environment = {"MINE=token-of-the-caller", "API_TOKEN=other",
                                          "URL=https://u:token-of-the-caller@x/", "PATH=/bin"};
  mask_environment(environment, *secrets);
  const std::string& placeholder = secrets->at(0).placeholder;
  EXPECT_THAT(environment,
              ElementsAre("MINE=" + placeholder, "URL=https://u:" + placeholder + "@x/",
                          "PATH=/bin", "API_TOKEN=" + placeholder));
}

TEST(SecretSources, AnArgumentWithAValueIsRefusedWithoutRepeatingIt) {
  const auto secrets = resolve("env:MINE", "/h", "MINE=token-of-the-caller");
  ASSERT_TRUE(secrets);
  const std::vector<std::string> clean = {"curl", "$API_TOKEN"};
  EXPECT_TRUE(check_arguments(clean, *secrets));
  const std::vector<std::string> dirty = {"curl", "-HX: token-of-the-caller"};
  const Status refused = check_arguments(dirty, *secrets);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().describe(),
              AllOf(HasSubstr("API_TOKEN"), Not(HasSubstr("token-of"))));
}

TEST(SecretSources, TheFileOfASecretCannotBeReadWhateverAllowsIt) {
  policy::Filesystem filesystem;
  filesystem.rules.push_back({policy::PathList::allow_read,
                              "/h/keys/token",
                              true,
                              "~/keys/token",
                              {"user.yaml", 1, policy::Scope::user}});
  const std::vector<policy::Secret> secrets = {from("file:~/keys/token"), from("env:X")};
  hide_secret_files(filesystem, secrets, "/h");
  EXPECT_EQ(filesystem.rules.size(), 2U);
  EXPECT_FALSE(policy::PathDecider(filesystem).decide("/h/keys/token").read.allowed);
  EXPECT_TRUE(policy::PathDecider(filesystem).decide("/h/keys/other").read.allowed);
}

}  // namespace
}  // namespace ward::process
