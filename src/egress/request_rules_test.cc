// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/request_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "egress/url_path.h"

namespace ward::egress {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

policy::Origin at(std::string file, int line) {
  return {std::move(file), line, policy::Scope::user};
}

policy::Gate purchase_gate(std::string path = "/purchase*") {
  policy::Gate gate;
  gate.host = "*.example.com";
  gate.methods = {"POST"};
  gate.paths = {std::move(path)};
  return gate;
}

RequestVerdict decide(const RequestRules& rules, std::string_view method, std::string_view target,
                      std::vector<std::string_view> overrides = {}) {
  return rules.decide({"api.example.com", method, target, std::move(overrides)});
}

TEST(UrlPath, PatternsStayInTheirSegmentOrCross) {
  EXPECT_TRUE(url_path_matches("/v1/**", "/v1/a/b"));
  EXPECT_TRUE(url_path_matches("/v1/**", "/v1/"));
  EXPECT_FALSE(url_path_matches("/v1/**", "/v2/a"));
  EXPECT_FALSE(url_path_matches("/v1/**", "/v1x/a"));
  EXPECT_TRUE(url_path_matches("/a/*/c", "/a/b/c"));
  EXPECT_FALSE(url_path_matches("/a/*/c", "/a/b/b/c"));
  EXPECT_TRUE(url_path_matches("/a/**/c", "/a/c"));
  EXPECT_TRUE(url_path_matches("/a/**/c", "/a/b/b/c"));
  EXPECT_FALSE(url_path_matches("/a/**/c", "/ac"));
  EXPECT_TRUE(url_path_matches("/purchase*", "/purchases"));
  EXPECT_FALSE(url_path_matches("/purchase*", "/purchase/1"));
  EXPECT_TRUE(url_path_matches("/x.[ab]", "/x.[ab]"));
  EXPECT_FALSE(url_path_matches("/x.[ab]", "/x.a"));
  EXPECT_TRUE(url_path_matches("/Buy", "/bUY", Letters::any_case));
  EXPECT_FALSE(url_path_matches("/Buy", "/buy"));
}

TEST(UrlPath, APlainPathHasOneReading) {
  EXPECT_THAT(*path_readings("/v1/a-b?x=../.."), ElementsAre("/v1/a-b"));
  EXPECT_THAT(*path_readings("/v1/%61%2D"), ElementsAre("/v1/a-"));
}

TEST(UrlPath, EverythingAServerMayReadIsAReading) {
  EXPECT_THAT(*path_readings("/@scope%2fname"),
              UnorderedElementsAre("/@scope%2Fname", "/@scope/name"));
  EXPECT_THAT(*path_readings("/a;b=c/d"), UnorderedElementsAre("/a;b=c/d", "/a/d"));
  EXPECT_THAT(*path_readings("//a"), UnorderedElementsAre("//a", "/a"));
  EXPECT_THAT(*path_readings("/a%3bb"), Contains("/a"));
  EXPECT_THAT(*path_readings("/a/%2f;x/b"), Contains("/a/b"));
}

TEST(UrlPath, WaysToAnotherFolderAreRefusedInEverySpelling) {
  for (const char* target : {"/v1/../admin",
                             "/v1/./a",
                             "/v1/%2e%2e/admin",
                             "/v1/.%2E/admin",
                             "/v1/%2e/a",
                             "/v1/..",
                             "/v1/..;/admin",
                             "/v1/..;x=y/admin",
                             "/v1/..%2fadmin",
                             "/v1/%2e%2e%2fadmin",
                             "/v1/%c0%ae%c0%ae/admin",
                             "/v1/\xc0\xae/admin",
                             "/v1/%252e%252e/admin",
                             "/v1/..%3b/admin",
                             "/v1\\..\\admin",
                             "/v1/%5c../x",
                             "/v1/%00",
                             "/v1/%0a",
                             "/v1/%2",
                             "/v1/%zz",
                             "/v1#x",
                             "v1",
                             "http://api.example.com/v1",
                             ""})
    EXPECT_FALSE(path_readings(target)) << target;
}

TEST(RequestRules, AHostWithoutRulesIsNotSpokenOf) {
  const RequestRules rules({{"api.example.com", {"GET"}, {}, at("u", 1)}}, {});
  EXPECT_TRUE(rules.speak_of("api.example.com"));
  EXPECT_FALSE(rules.speak_of("other.example.com"));
  EXPECT_TRUE(rules.decide({"other.example.com", "DELETE", "/../x"}).allowed);
}

TEST(RequestRules, RulesOfOneFileAreAlternatives) {
  const RequestRules rules({{"api.example.com", {"GET"}, {"/v1/**"}, at("u", 1)},
                            {"*.example.com", {"POST"}, {"/v1/jobs"}, at("u", 2)}},
                           {});
  EXPECT_TRUE(decide(rules, "GET", "/v1/a").allowed);
  EXPECT_TRUE(decide(rules, "POST", "/v1/jobs?x").allowed);
  EXPECT_THAT(decide(rules, "POST", "/v1/jobs").rule, HasSubstr("u:2"));
  const RequestVerdict refused = decide(rules, "DELETE", "/v1/a");
  EXPECT_FALSE(refused.allowed);
  EXPECT_THAT(refused.rule, HasSubstr("u:1"));
  EXPECT_THAT(refused.reason, HasSubstr("DELETE"));
  EXPECT_FALSE(decide(rules, "GET", "/v2").allowed);
}

TEST(RequestRules, EveryFileMustPermit) {
  const RequestRules rules({{"api.example.com", {"GET", "POST"}, {}, at("user", 1)},
                            {"api.example.com", {"GET"}, {}, at("managed", 9)}},
                           {});
  EXPECT_TRUE(decide(rules, "GET", "/").allowed);
  EXPECT_THAT(decide(rules, "POST", "/").rule, HasSubstr("managed:9"));
}

TEST(RequestRules, EveryReadingMustBePermitted) {
  const RequestRules rules({{"api.example.com", {}, {"/public/*", "/@*/*"}, at("u", 1)}}, {});
  EXPECT_TRUE(decide(rules, "GET", "/public/a").allowed);
  EXPECT_FALSE(decide(rules, "GET", "/public/a%2fb").allowed);
  EXPECT_FALSE(decide(rules, "GET", "/public/;/x").allowed);
  EXPECT_FALSE(decide(rules, "GET", "/public/%2e%2e/private").allowed);
  EXPECT_FALSE(decide(rules, "OPTIONS", "*").allowed);
}

TEST(RequestRules, AMethodInAHeaderCountsAsAMethodToo) {
  const RequestRules rules({{"api.example.com", {"POST"}, {}, at("u", 1)}}, {});
  EXPECT_TRUE(decide(rules, "POST", "/").allowed);
  EXPECT_FALSE(decide(rules, "POST", "/", {"POST", "DELETE"}).allowed);
}

TEST(RequestRules, AGateHoldsWhateverTheSpelling) {
  const RequestRules rules({}, {purchase_gate("/purchase")});
  EXPECT_TRUE(rules.speak_of("shop.example.com"));
  for (const char* target : {"/purchase", "/purchase?now", "/purchase/", "/PURCHASE", "/purchas%65",
                             "//purchase", "/purchase;v=1", "/%2Fpurchase"})
    EXPECT_NE(decide(rules, "POST", target).gate, nullptr) << target;
  EXPECT_NE(decide(rules, "GET", "/purchase", {"POST"}).gate, nullptr);
  EXPECT_NE(decide(rules, "GET", "/purchase", {"GET", "post"}).gate, nullptr);
  EXPECT_EQ(decide(rules, "GET", "/purchase").gate, nullptr);
  EXPECT_EQ(decide(rules, "POST", "/basket").gate, nullptr);
  EXPECT_FALSE(decide(rules, "POST", "/x/../purchase").allowed);
}

TEST(RequestRules, GatesOfOtherKindsAreNotAboutRequests) {
  policy::Gate gate;
  gate.when = policy::Gate::When::dialog;
  EXPECT_FALSE(RequestRules({}, {gate}).speak_of("api.example.com"));
}

}  // namespace
}  // namespace ward::egress
