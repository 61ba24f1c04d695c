// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/java_truststore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "egress/trust_bundle.h"
#include "support/needs.h"
#include "support/temp_dir.h"
#include "sys/program.h"

namespace ward::egress {
namespace {

using ::testing::HasSubstr;

TEST(JavaTruststore, AnEmptyOneIsTheFormatAndItsChecksum) {
  const std::string store = java_truststore("");
  EXPECT_EQ(store.substr(0, 12), std::string("\xfe\xed\xfe\xed\0\0\0\2\0\0\0\0", 12));
  EXPECT_EQ(store.size(), 12U + 20U);
}

// The JDK's own tool is the judge: it checks the checksum and every certificate.
TEST(JavaTruststore, TheJdkReadsTheHostsBundle) {
  NEEDS(tool("keytool"));
  const auto bundle = host_trust_bundle("");
  if (!bundle) GTEST_SKIP() << "needs trust_bundle: " << bundle.error().message();
  const test::TempDir folder;
  const std::string path = folder.write("cacerts", java_truststore(*bundle));
  std::size_t count = 0;
  for (std::size_t at = bundle->find("BEGIN CERT"); at != std::string::npos;
       at = bundle->find("BEGIN CERT", at + 1))
    ++count;
  const std::vector<std::string> argv = {
      "/usr/bin/keytool", "-J-Duser.language=en",          "-list", "-keystore", path,
      "-storepass",       std::string(kTruststorePassword)};
  const std::vector<std::string> env = {"PATH=/usr/bin:/bin"};
  const auto end = sys::run_program({argv, env, "/"});
  ASSERT_TRUE(end) << end.error().describe();
  EXPECT_EQ(end->exit_status, 0) << end->output;
  EXPECT_THAT(end->output, HasSubstr("contains " + std::to_string(count) + " entries"));
}

}  // namespace
}  // namespace ward::egress
