// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A secret of the policy through a real run, in an internet of the test's own: its value is nowhere
// inside, reaches its hosts in its header, and goes nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/digest.h"
#include "support/internet.h"
#include "support/needs.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kValue = "sk-the-real-value-0123456789";

class PlaceholderTest : public InternetTest {
 protected:
  void SetUp() override {
    InternetTest::SetUp();
    if (IsSkipped()) return;
    box_.process.env["REAL_TOKEN"] = kValue;
    set_secret("env:REAL_TOKEN");
  }

  void set_secret(const std::string& source, const std::string& more = "") {
    box_.set_policy(
        "version: 1\nextends: workspace\nnetwork:\n"
        "  allow: [www.site.example, other.site.example]\nsecrets:\n"
        "  - {name: API_TOKEN, from: \"" +
        source + "\", hosts: [www.site.example], header: Authorization, format: \"Bearer {}\"}\n" +
        more);
  }
  std::string denied_rules(const SandboxResult& result) const {
    std::string rules;
    for (const auto& denial :
         result.report.value("/denials/list"_json_pointer, nlohmann::json::array()))
      rules += denial.value("target", "") + " by " + denial.value("rule", "") + "\n";
    return rules;
  }
};

TEST_F(PlaceholderTest, TheServerGetsTheValueAndTheCommandNeverSeesIt) {
  const SandboxResult result = box_.run(
      "curl -sS -H \"Authorization: Bearer $API_TOKEN\" https://www.site.example/digest\n"
      "curl -sS -H \"Authorization: Bearer $API_TOKEN\" https://www.site.example/echo");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(sha256_hex(std::string("Bearer ") + kValue)));
  EXPECT_THAT(result.out, AllOf(HasSubstr("Bearer ****"), Not(HasSubstr(kValue))));
  // The log says which secret was put in, and for whom.
  const RunResult log = run_ward({"audit", "egress", "--json"}, box_.process_options());
  EXPECT_THAT(log.out, AllOf(HasSubstr("API_TOKEN"), Not(HasSubstr(kValue))));
}

TEST_F(PlaceholderTest, TheValueIsNowhereInside) {
  box_.process.env["URL_WITH_IT"] = std::string("https://u:") + kValue + "@www.site.example/";
  set_secret("env:REAL_TOKEN", "env: {inherit: all}\n");
  const std::string look =
      "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; "
      "for f in /proc/[0-9]*/mem; do head -c 1 $f; done 2>&1 | head -3; find / -xdev -newer "
      "/proc/self -name '*.pem' -exec grep -l real-value {} + 2>/dev/null; true";
  const SandboxResult result = box_.run(look);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("API_TOKEN=ward-placeholder-"), Not(HasSubstr(kValue))));
  EXPECT_THAT(result.err, Not(HasSubstr(kValue)));
  EXPECT_THAT(result.report.dump(), Not(HasSubstr(kValue)));
  // Nor in what Ward keeps of the run.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(box_.home())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(read_text(entry.path()), Not(HasSubstr(kValue))) << entry.path();
  }
  // The control: outside it is there.
  EXPECT_THAT(box_.outside("env").out, HasSubstr(kValue));
}

TEST_F(PlaceholderTest, AFileThatASecretComesFromCannotBeRead) {
  const std::string path = box_.home_file("tokens/api", std::string(kValue) + "\n");
  set_secret("file:~/tokens/api", "filesystem: {allowRead: [\"~/tokens\"]}\n");
  const SandboxResult result = box_.run(
      "cat ~/tokens/api; curl -sS -H \"Authorization: $API_TOKEN\" "
      "https://www.site.example/digest");
  EXPECT_THAT(result.out, HasSubstr(sha256_hex(std::string("Bearer ") + kValue))) << result.err;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr(kValue)));
  EXPECT_THAT(box_.outside("cat ~/tokens/api").out, HasSubstr(kValue));
}

TEST_F(PlaceholderTest, ElsewhereItIsRefusedReportedAndNeverArrives) {
  const char* ways[] = {
      "curl -sS -H \"X-Other: $API_TOKEN\" https://www.site.example/digest",
      "curl -sS -H \"Authorization: Bearer $API_TOKEN\" https://other.site.example/digest",
      "curl -sS -H \"Authorization: Bearer $API_TOKEN\" http://www.site.example/digest",
      "curl -sS --noproxy '*' -H \"Authorization: Bearer $API_TOKEN\" http://www.site.example/",
      "curl -sS \"https://www.site.example/digest?key=$API_TOKEN\"",
      "curl -sS -u \"x:$API_TOKEN\" https://www.site.example/digest",
      "curl -sS -d \"key=$API_TOKEN\" https://www.site.example/digest",
      "curl -sS -b \"session=$(printf %s \"$API_TOKEN\" | base64 -w0)\" https://www.site.example/",
  };
  for (const char* way : ways) {
    const std::string before = lab_->log();
    const SandboxResult result = box_.run(way);
    EXPECT_THAT(result.out, HasSubstr("denied by secret API_TOKEN")) << way << result.err;
    EXPECT_THAT(denied_rules(result), HasSubstr("by secret API_TOKEN")) << way;
    EXPECT_THAT(lab_->log().substr(before.size()), Not(HasSubstr("http"))) << way;
  }
}

TEST_F(PlaceholderTest, ItDoesNotFollowARedirectToAnotherHost) {
  const std::string before = lab_->log();
  const SandboxResult result = box_.run(
      "curl -sS -L --location-trusted -H \"Authorization: Bearer $API_TOKEN\" "
      "'https://www.site.example/redirect?to=https://other.site.example/digest'");
  EXPECT_THAT(result.out, HasSubstr("denied by secret API_TOKEN")) << result.err;
  EXPECT_THAT(lab_->log().substr(before.size()), Not(HasSubstr("other.site.example /digest")));
}

TEST_F(PlaceholderTest, AnArgumentWithTheValueRunsNothing) {
  const SandboxResult result = box_.run(std::string("echo ran ") + kValue);
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.out, Not(HasSubstr("ran")));
  EXPECT_THAT(result.err, AllOf(HasSubstr("API_TOKEN"), Not(HasSubstr(kValue))));
}

TEST_F(PlaceholderTest, ASourceWithoutAValueRunsNothingAndNamesItsLine) {
  for (const char* source : {"env:ABSENT", "file:~/absent", "file:/etc"}) {
    set_secret(source);
    const SandboxResult result = box_.run("echo ran");
    EXPECT_EQ(result.status, 125) << source;
    EXPECT_THAT(result.err, HasSubstr("policy.yaml:6: secret API_TOKEN")) << source;
    EXPECT_THAT(result.out, Not(HasSubstr("ran"))) << source;
  }
}

TEST_F(PlaceholderTest, AJvmThatIsHiddenInsideIsLeftAlone) {
  box_.home_file("jdk/lib/security/cacerts", "a store");
  box_.process.env["JAVA_HOME"] = box_.home() + "/jdk";
  EXPECT_EQ(box_.run("true").status, 0);
}

TEST_F(PlaceholderTest, RulesNarrowAHostInsideTlsForEveryKindOfProgram) {
  box_.set_policy(
      "version: 1\nextends: workspace\nnetwork:\n  allow: [www.site.example]\n"
      "  rules: [{host: www.site.example, methods: [GET], paths: [/v1/**]}]\n");
  box_.workspace_file("get.js",
                      "require('https').get(process.argv[2], r => r.on('data', d => "
                      "console.log(String(d))))");
  box_.workspace_file("get.py",
                      "import sys, urllib.request as u\n"
                      "print(u.urlopen(sys.argv[1]).read().decode())");
  box_.workspace_file("Get.java",
                      "import java.net.*;\npublic class Get { public static void main(String[] a) "
                      "throws Exception { System.out.print(new String(new "
                      "URL(a[0]).openStream().readAllBytes())); } }");
  const std::pair<const char*, const char*> programs[] = {{"curl", "curl -sS"},
                                                          {"node", "node get.js"},
                                                          {"python3", "python3 get.py"},
                                                          {"java", "java Get.java"}};
  for (const auto& [program, call] : programs) {
    if (std::system((std::string("command -v ") + program + " >/dev/null").c_str()) != 0) continue;
    const std::string before = lab_->log();
    const SandboxResult result = box_.run(std::string(call) + " https://www.site.example/v1/a; " +
                                          call + " https://www.site.example/v2/secret; " + call +
                                          " https://www.site.example/v1/%2e%2e/v2/secret");
    EXPECT_THAT(result.out, HasSubstr("hello from https www.site.example")) << call << result.err;
    EXPECT_THAT(lab_->log().substr(before.size()), AllOf(HasSubstr("/v1/a"), Not(HasSubstr("v2"))))
        << call;
  }
}

}  // namespace
}  // namespace ward::test
