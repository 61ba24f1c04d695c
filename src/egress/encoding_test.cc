// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ward::egress {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Encoding, Base64IsThatOfTheRfc) {
  for (const auto& [plain, encoded] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(base64_encode(plain), encoded);
    EXPECT_EQ(base64_decode(encoded), plain);
  }
  EXPECT_EQ(base64_decode("Zg"), "f");
  EXPECT_EQ(base64_decode("_-__"), base64_decode("/+//"));
  EXPECT_FALSE(base64_decode("Zm9v!"));
  EXPECT_FALSE(base64_decode("Zm9vY"));
}

TEST(Encoding, PercentDecodingLeavesWhatIsNoSequence) {
  EXPECT_EQ(percent_decode("a%2Fb%2fc%"), "a/b/c%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
  EXPECT_EQ(percent_decode("%2541"), "%41");
}

TEST(Encoding, ASpellingOfAValueIsPartOfEveryBase64TextThatHoldsIt) {
  const std::string value = "s3cr3t+value/that?travels";
  const std::vector<std::string> all = spellings(value, 8);
  for (const char* before : {"", "u", "us", "use", "user:"})
    for (const char* after : {"", "x", "xy", "xyz"}) {
      const std::string text = base64_encode(before + value + after);
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::string& one) {
        return text.find(one) != std::string::npos;
      })) << text;
    }
}

TEST(Encoding, SpellingsHoldTheOnesOfUrlsJsonAndHexadecimal) {
  const std::vector<std::string> all = spellings("a/b \"c\"?&long", 4);
  EXPECT_THAT(all, Contains("a%2Fb%20%22c%22%3F%26long"));
  EXPECT_THAT(all, Contains("a%2fb%20%22c%22%3f%26long"));
  EXPECT_THAT(all, Contains("a%2Fb+%22c%22%3F%26long"));
  EXPECT_THAT(all, Contains("a/b \\\"c\\\"?&long"));
  EXPECT_THAT(all, Contains(HasSubstr("612f6220")));
}

}  // namespace
}  // namespace ward::egress
