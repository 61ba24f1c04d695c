// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/quantities.h"

#include <gtest/gtest.h>

namespace ward::policy {
namespace {

using namespace std::chrono_literals;

TEST(Quantities, SizesHaveBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_size("4096").value(), 4096U);
  EXPECT_EQ(parse_size("2GiB").value(), 2ULL << 30U);
  EXPECT_EQ(parse_size("3MB").value(), 3'000'000U);
  EXPECT_FALSE(parse_size("1.5GiB"));
  EXPECT_FALSE(parse_size("GiB"));
  EXPECT_FALSE(parse_size("9223372036854775808"));
  EXPECT_FALSE(parse_size("8388608TiB"));
}

TEST(Quantities, DurationsAddUpFromTheLargestUnitDown) {
  EXPECT_EQ(parse_duration("1h30m").value(), 90min);
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("30d").value(), 720h);
  EXPECT_FALSE(parse_duration(""));
  EXPECT_FALSE(parse_duration("0s"));
  EXPECT_FALSE(parse_duration("1s1s"));
  EXPECT_FALSE(parse_duration("-1s"));
  EXPECT_FALSE(parse_duration("18446744073709551616s"));
}

TEST(Quantities, WhatIsPrintedIsReadBackTheSame) {
  for (const auto duration : {1ms, 1500ms, 90000ms, 3'600'000ms, 90'061'001ms})
    EXPECT_EQ(parse_duration(print_duration(duration)).value(), duration);
  for (const std::uint64_t size : {1ULL, 1000ULL, 1024ULL, 1536ULL, 5ULL << 30U})
    EXPECT_EQ(parse_size(print_size(size)).value(), size);
}

TEST(Quantities, SecretsComeFromAVariableOrAFile) {
  EXPECT_TRUE(check_secret_source("env:A_1"));
  EXPECT_TRUE(check_secret_source("file:/run/x"));
  EXPECT_TRUE(check_secret_source("file:~/x"));
  EXPECT_FALSE(check_secret_source("env:"));
  EXPECT_FALSE(check_secret_source("file:x"));
  EXPECT_FALSE(check_secret_source("cmd:ls"));
}

}  // namespace
}  // namespace ward::policy
