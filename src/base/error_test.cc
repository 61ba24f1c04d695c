// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/result.h"

namespace ward {
namespace {

TEST(Error, ContextIsPrintedOutermostFirstAndTheCauseStays) {
  Error error = Error::from_errno(ENOENT, "open /x").with_context("mask /x").with_context("setup");
  EXPECT_EQ(error.message(), "setup: mask /x: open /x: No such file or directory");
  EXPECT_EQ(error.os_errno(), ENOENT);
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
}

TEST(Error, TheInnermostRemedyWins) {
  Error error = Error(ErrorKind::invalid, "bad").with_remedy("do this").with_remedy("do that");
  EXPECT_EQ(error.describe(), "bad (do this)");
}

// Returning a reference to itself made this a move onto itself, which emptied the message.
TEST(Error, CanBeAssignedToItselfWithMoreContext) {
  Error error(ErrorKind::invalid, "bad");
  error = std::move(error).with_context("reading").with_remedy("do this");
  EXPECT_EQ(error.describe(), "reading: bad (do this)");
}

Result<int> twice(Result<int> input) {
  WARD_ASSIGN(int value, std::move(input));
  return value * 2;
}

TEST(Result, AssignReturnsTheErrorOfItsExpression) {
  EXPECT_EQ(*twice(4), 8);
  EXPECT_EQ(twice(fail(ErrorKind::busy, "no")).error().kind(), ErrorKind::busy);
}

}  // namespace
}  // namespace ward
