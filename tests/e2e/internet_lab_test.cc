// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The lab itself: what the tests of egress deny is there to be reached.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/internet.h"
#include "support/needs.h"
#include "support/process.h"

namespace ward::test {
namespace {

using testing::HasSubstr;

TEST(InternetLab, ServesNamesAddressesAndCertificates) {
  NEEDS(user_namespaces, tool("python3"), tool("openssl"), tool("ip"), tool("curl"));
  const Internet internet;
  WARD_NEEDS_INTERNET(internet);
  const RunResult result =
      run({"/bin/sh", "-c",
           "curl -sS http://www.site.example/ https://www.site.example/ https://[2a0e:66::10]/ "
           "http://private.site.example/ http://169.254.169.254/ http://six.site.example/"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("hello from https www.site.example"));
  EXPECT_THAT(internet.log(), HasSubstr("sni www.site.example"));
  EXPECT_THAT(internet.log(), HasSubstr("http GET 169.254.169.254 /"));
  EXPECT_THAT(internet.log(), HasSubstr("dns six.site.example 28"));
}

}  // namespace
}  // namespace ward::test
