// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "egress/encoding.h"
#include "egress/scrub.h"

namespace ward::egress {
namespace {

using ::testing::HasSubstr;
using Kind = HeaderOutcome::Kind;

constexpr const char* kPlaceholder = "ward-placeholder-01hzzzzzzzzzzzzzzzzzzzzzzz";
constexpr const char* kValue = "s3cr3t+value/that?travels";

Secret secret(std::string header = "", std::string format = "") {
  return {{"API_TOKEN",
           "env:API_TOKEN",
           {"api.example.com", "*.example.org"},
           std::move(header),
           std::move(format),
           {}},
          kValue,
          kPlaceholder};
}

SecretSet set(std::string header = "", std::string format = "") {
  return SecretSet({secret(std::move(header), std::move(format))});
}

HeaderOutcome put(const SecretSet& secrets, std::string_view name, std::string_view value,
                  std::string_view host = "api.example.com",
                  Channel channel = Channel::verified_tls) {
  return secrets.put_in(name, value, host, channel);
}

TEST(Secrets, APlaceholderIsRandomAndNeedsNoEncoding) {
  const auto one = make_placeholder();
  const auto other = make_placeholder();
  ASSERT_TRUE(one && other);
  EXPECT_NE(*one, *other);
  EXPECT_EQ(one->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
}

TEST(Secrets, TheValueIsPutIntoItsHeaderForItsHosts) {
  const HeaderOutcome outcome = put(set(), "authorization", std::string("Bearer ") + kPlaceholder);
  EXPECT_EQ(outcome.kind, Kind::put_in);
  EXPECT_EQ(outcome.value, std::string("Bearer ") + kValue);
  EXPECT_EQ(put(set(), "Authorization", kPlaceholder, "a.example.org").kind, Kind::put_in);
  EXPECT_EQ(put(set("X-Api-Key"), "x-api-key", kPlaceholder).value, kValue);
}

TEST(Secrets, AHeaderWithoutPlaceholderIsUntouched) {
  EXPECT_EQ(put(set(), "Authorization", "Bearer own-token").kind, Kind::untouched);
  EXPECT_EQ(put(set(), "Accept", "*/*", "other.example").kind, Kind::untouched);
}

TEST(Secrets, BasicCredentialsAreOpenedAndClosedAgain) {
  const HeaderOutcome outcome =
      put(set(), "Authorization",
          "Basic " + base64_encode(std::string("x-access-token:") + kPlaceholder));
  EXPECT_EQ(outcome.kind, Kind::put_in);
  EXPECT_EQ(outcome.value, "Basic " + base64_encode(std::string("x-access-token:") + kValue));
}

TEST(Secrets, AFormatIsTheWholeHeader) {
  const SecretSet secrets = set("Authorization", "Bearer {}");
  const std::string expected = std::string("Bearer ") + kValue;
  EXPECT_EQ(put(secrets, "Authorization", std::string("Bearer ") + kPlaceholder).value, expected);
  EXPECT_EQ(put(secrets, "Authorization", std::string("bearer ") + kPlaceholder).value, expected);
  EXPECT_EQ(put(secrets, "Authorization", kPlaceholder).value, expected);
  EXPECT_EQ(put(secrets, "Authorization", std::string("token ") + kPlaceholder).kind,
            Kind::refused);
}

TEST(Secrets, ItIsRefusedForAnotherHostAnotherHeaderAndWithoutTls) {
  const SecretSet secrets = set();
  EXPECT_THAT(put(secrets, "Authorization", kPlaceholder, "evil.example").reason,
              HasSubstr("none of its hosts"));
  EXPECT_THAT(put(secrets, "Authorization", kPlaceholder, "example.org").reason,
              HasSubstr("none of its hosts"));
  EXPECT_THAT(put(secrets, "X-Other", kPlaceholder).reason, HasSubstr("another header"));
  EXPECT_THAT(put(secrets, "Authorization", kPlaceholder, "api.example.com", Channel::plain).reason,
              HasSubstr("without TLS"));
}

TEST(Secrets, ItIsFoundInEverySpelling) {
  const SecretSet secrets = set();
  std::string percent;
  for (const char* c = kPlaceholder; *c != 0; ++c) {
    percent += '%';
    percent += "0123456789ABCDEF"[static_cast<unsigned char>(*c) >> 4U];
    percent += "0123456789ABCDEF"[static_cast<unsigned char>(*c) & 15U];
  }
  for (const std::string& text : {std::string("/p?key=") + kPlaceholder, "/p?key=" + percent,
                                  base64_encode(std::string("user:") + kPlaceholder),
                                  base64_encode(std::string("xuser:") + kPlaceholder + "tail"),
                                  base64_encode(std::string("xxuser:") + kPlaceholder)}) {
    EXPECT_NE(secrets.find_placeholder(text), nullptr) << text;
    EXPECT_EQ(put(secrets, "X-Other", text).kind, Kind::refused) << text;
  }
  EXPECT_EQ(secrets.find_placeholder("ward-placeholder-of-somebody-else"), nullptr);
}

TEST(Secrets, AValueThatCannotBeAHeaderIsRefused) {
  EXPECT_TRUE(check_secret_value(kValue));
  for (const std::string& bad : {std::string(), std::string("short"), std::string("with\nnewline"),
                                 std::string("with\0zero", 9), std::string("blank at end "),
                                 std::string(kMaxSecretBytes + 1, 'a')})
    EXPECT_FALSE(check_secret_value(bad)) << bad.size();
}

std::string scrub_in_parts(const SecretSet& secrets, const std::string& text, std::size_t part) {
  Scrubber scrubber(secrets.values());
  std::string result;
  for (std::size_t at = 0; at < text.size(); at += part)
    result += scrubber.take(std::string_view(text).substr(at, part));
  return result + std::string(scrubber.finish());
}

TEST(Scrubber, TakesOutTheValueInEverySpellingHoweverTheStreamIsCut) {
  const SecretSet secrets = set();
  for (const std::string& form : spellings(kValue, kMinSecretBytes)) {
    const std::string text = "before " + form + " between " + form + form + " after";
    const std::string stars(form.size(), '*');
    const std::string expected = "before " + stars + " between " + stars + stars + " after";
    for (std::size_t part = 1; part <= text.size(); ++part)
      ASSERT_EQ(scrub_in_parts(secrets, text, part), expected) << form << " in parts of " << part;
  }
}

TEST(Scrubber, TakesOutOverlappingValuesHoweverTheStreamIsCut) {
  Secret one = secret();
  one.value = "abcdabcdabcd";
  const SecretSet secrets({one});
  const std::string text = "xabcdabcdabcdabcdx";
  for (std::size_t part = 1; part <= text.size(); ++part)
    ASSERT_EQ(scrub_in_parts(secrets, text, part), "x****************x") << part;
}

TEST(Scrubber, AnEventIsNotHeldBack) {
  const SecretSet secrets = set();
  Scrubber scrubber(secrets.values());
  EXPECT_EQ(scrubber.take("data: {}\n\n"), "data: {}\n\n");
  EXPECT_EQ(scrubber.take("data: s3cr"), "data: ");
  EXPECT_EQ(scrubber.take("et\n\n"), "s3cret\n\n");
  EXPECT_EQ(scrubber.found(), 0U);
}

TEST(Scrubber, WithoutSecretsEverythingPasses) {
  const SecretSet secrets({});
  EXPECT_EQ(scrub_in_parts(secrets, "anything", 3), "anything");
  EXPECT_EQ(scrubbed("anything", secrets.values()), "anything");
}

}  // namespace
}  // namespace ward::egress
