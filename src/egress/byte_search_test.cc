// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/byte_search.h"

#include <gtest/gtest.h>

#include <random>

namespace ward::egress {
namespace {

TEST(ByteSearch, FindsTheLeftmostAndOfSeveralTheLongest) {
  const ByteSearch search({"needle", "needles", "other"});
  const auto match = search.find("hay needles other");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->at, 4U);
  EXPECT_EQ(match->size, 7U);
  const auto next = search.find("hay needles other", match->at + match->size);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->at, 12U);
  EXPECT_FALSE(search.find("hay needl"));
}

TEST(ByteSearch, WithoutTextsFindsNothing) {
  const ByteSearch search({});
  EXPECT_TRUE(search.empty());
  EXPECT_FALSE(search.find("anything"));
  EXPECT_EQ(search.open_tail("anything"), 0U);
}

TEST(ByteSearch, HoldsBackOnlyWhatMayBeTheBeginningOfAText) {
  const ByteSearch search({"secretvalue", "secret-other"});
  EXPECT_EQ(search.open_tail("data: x\n\n"), 0U);
  EXPECT_EQ(search.open_tail("data: secretv"), 7U);
  EXPECT_EQ(search.open_tail("data: secret"), 6U);
  EXPECT_EQ(search.open_tail("s"), 1U);
  EXPECT_EQ(search.open_tail("secretvalue"), 0U);
  EXPECT_EQ(search.open_tail("ssecretvalu"), 10U);
}

// Few different bytes make near-matches frequent; the plain search is the judge.
TEST(ByteSearch, AgreesWithAPlainSearchOnRandomText) {
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same texts every time
  const auto text = [&](std::size_t size) {
    std::string result;
    while (result.size() < size) result += "abc"[random() % 3];
    return result;
  };
  for (int round = 0; round < 500; ++round) {
    const std::vector<std::string> texts = {text(4 + random() % 5), text(4 + random() % 5),
                                            text(12)};
    const std::string bytes = text(200);
    const ByteSearch search(texts);
    std::size_t first = std::string::npos;
    for (const std::string& one : texts) first = std::min(first, bytes.find(one));
    const auto match = search.find(bytes);
    ASSERT_EQ(match ? match->at : std::string::npos, first);
  }
}

}  // namespace
}  // namespace ward::egress
