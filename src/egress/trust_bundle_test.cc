// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/trust_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace ward::egress {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(TrustBundle, TheOneThatTheCallerNamesIsRead) {
  const test::TempDir folder;
  const std::string path = folder.write("ca.pem", "PEM\n");
  EXPECT_EQ(host_trust_bundle(path).value_or(""), "PEM\n");
  const auto absent = host_trust_bundle(folder / "absent.pem");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("SSL_CERT_FILE"));
}

TEST(TrustBundle, InsideTheSandboxItHasTheAuthorityToo) {
  EXPECT_EQ(inside_bundle("HOST", "OWN\n"), "HOST\nOWN\n");
  EXPECT_EQ(inside_bundle("", "OWN\n"), "OWN\n");
}

TEST(TrustBundle, EveryKindOfProgramIsTold) {
  const auto lines = trust_variables("/run/ward/ca.pem");
  EXPECT_THAT(lines, Contains("SSL_CERT_FILE=/run/ward/ca.pem"));
  EXPECT_THAT(lines, Contains("NODE_EXTRA_CA_CERTS=/run/ward/ca.pem"));
}

}  // namespace
}  // namespace ward::egress
