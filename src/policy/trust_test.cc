// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/trust.h"

#include <gtest/gtest.h>

namespace ward::policy {
namespace {

TEST(Trust, TheStoreReadsBackWhatItPrints) {
  TrustSet set;
  const std::string hash = trust_hash("/w", {{"/w/ward.yaml", "version: 1\n"}});
  set.add(hash, "/w with space");
  const TrustSet again = TrustSet::parse(set.print()).value();
  EXPECT_TRUE(again.contains(hash));
  EXPECT_EQ(again.print(), set.print());
}

TEST(Trust, NewTrustOfAWorkspaceReplacesTheOld) {
  TrustSet set;
  const std::string a(64, 'a'), b(64, 'b');
  set.add(a, "/w");
  set.add(b, "/w");
  EXPECT_FALSE(set.contains(a));
  EXPECT_TRUE(set.contains(b));
  EXPECT_TRUE(set.remove_workspace("/w"));
  EXPECT_FALSE(set.contains(b));
  EXPECT_FALSE(set.remove_workspace("/w"));
}

constexpr const char* kSomeHash =
    "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd";

TEST(Trust, ADamagedStoreIsAnError) {
  EXPECT_FALSE(TrustSet::parse("xyz /w\n"));
  EXPECT_FALSE(TrustSet::parse(kSomeHash));
  EXPECT_FALSE(TrustSet::parse(std::string(kSomeHash).append(" relative\n")));
  EXPECT_TRUE(TrustSet::parse("# remark\n\n"));
}

TEST(Trust, EveryPartCountsInTheHash) {
  const std::string base = trust_hash("/w", {{"/w/a", "1"}, {"/w/b", "2"}});
  EXPECT_EQ(base, trust_hash("/w", {{"/w/a", "1"}, {"/w/b", "2"}}));
  EXPECT_NE(base, trust_hash("/v", {{"/w/a", "1"}, {"/w/b", "2"}}));
  EXPECT_NE(base, trust_hash("/w", {{"/w/a", "1"}, {"/w/b", "3"}}));
  EXPECT_NE(base, trust_hash("/w", {{"/w/a", "1/w/b"}, {"", "2"}}));
  EXPECT_NE(base, trust_hash("/w", {{"/w/b", "2"}, {"/w/a", "1"}}));
}

}  // namespace
}  // namespace ward::policy
