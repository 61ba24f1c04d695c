// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Internet: an internet of the test's own. The test's process moves into a network and a mount
// namespace (as an ordinary user into a user namespace as well, with its own id), where the only
// way out is a link to a second network namespace; there internet.py answers names and serves HTTP,
// TLS and raw TCP at public, private and metadata addresses, with IPv4 and IPv6. The machine's own
// network is out of reach of whatever the test starts. Trust: the lab's certificate authority is
// added to the host's bundle. Owned by one test; what the process is, it stays.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "support/sandbox.h"
#include "support/temp_dir.h"

namespace ward::test {

class Internet {
 public:
  // WARD_NEEDS_INTERNET comes first: why() says what this machine does not have.
  Internet();
  Internet(const Internet&) = delete;
  Internet& operator=(const Internet&) = delete;
  ~Internet();

  bool ok() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  // What has reached it, one line each: "dns NAME TYPE", "http METHOD HOST PATH", "sni NAME",
  // "tcp PORT", "ssh NAME", "udp PORT SIZE".
  std::string log() const;
  // The certificate authority's file.
  std::string ca() const { return folder_ / "ca.pem"; }
  // The host's JVMs trust the authority, too, from here on; it takes keytool a second.
  void make_java_trust_it();
  // One package each at npm, pip, cargo, maven, go and code.site.example, the same at evil.example
  // (registries.py).
  void open_registries();
  // Over SSH as well: the key of whoever runs the test, and the line that the server is known by.
  void open_ssh();
  std::string ssh_key() const { return folder_ / "ssh_key"; }
  std::string ssh_known_hosts() const;

 private:
  void begin();
  void leave_the_machine();
  void start_servers();
  void connect_link();
  void put_files_in_place();
  void cover(const std::string& path, const std::string& by);
  void run(const std::string& command);
  void fail(const std::string& why);

  TempDir folder_;
  std::string why_;
  std::vector<std::string> covered_;  // paths that are files of the lab meanwhile
  UniqueFd to_servers_, from_servers_;
  int servers_ = -1;
};

// A sandbox in an internet of its own. A fixture that derives from it goes on in its SetUp() only
// where IsSkipped() is false.
class InternetTest : public ::testing::Test {
 protected:
  void SetUp() override;

  Sandbox box_;
  std::optional<Internet> lab_;
};

}  // namespace ward::test

#define WARD_NEEDS_INTERNET(lab) \
  if (!(lab).ok()) GTEST_SKIP() << "needs internet: " << (lab).why()
