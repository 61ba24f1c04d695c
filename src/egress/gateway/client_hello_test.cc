// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/client_hello.h"

#include <gtest/gtest.h>

#include "support/big_endian.h"

namespace ward::egress {
namespace {

using State = HelloVerdict::State;

using test::counted;
using test::number;
std::string extension(unsigned type, const std::string& content) {
  return number(type, 2) + counted(content, 2);
}
std::string server_name(const std::string& name) {
  return extension(0, counted(number(0, 1) + counted(name, 2), 2));
}
std::string handshake(const std::string& extensions) {
  const std::string body = number(0x0303, 2) + std::string(32, 'r') + counted("", 1) +
                           counted(number(0x1301, 2), 2) + counted(number(0, 1), 1) +
                           counted(extensions, 2);
  return number(1, 1) + counted(body, 3);
}
std::string record(const std::string& content) {
  return number(22, 1) + number(0x0301, 2) + counted(content, 2);
}
std::string hello(const std::string& extensions) { return record(handshake(extensions)); }

TEST(ClientHello, TellsTheNameInLowerCase) {
  const auto verdict =
      inspect_client_hello(hello(extension(10, "xx") + server_name("Example.ORG")));
  EXPECT_EQ(verdict.state, State::complete);
  EXPECT_EQ(verdict.server_name, "example.org");
}

TEST(ClientHello, WithoutANameIsCompleteAndNameless) {
  const auto verdict = inspect_client_hello(hello(extension(10, "xx")));
  EXPECT_EQ(verdict.state, State::complete);
  EXPECT_EQ(verdict.server_name, "");
}

TEST(ClientHello, EveryPrefixWaitsForMore) {
  const std::string whole = hello(server_name("example.org"));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(inspect_client_hello(std::string_view(whole).substr(0, size)).state, State::more)
        << size;
  EXPECT_EQ(inspect_client_hello(whole + "early data").state, State::complete);
}

TEST(ClientHello, MayBeCutIntoRecordsAnywhere) {
  const std::string whole = handshake(server_name("example.org"));
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const auto verdict =
        inspect_client_hello(record(whole.substr(0, cut)) + record(whole.substr(cut)));
    EXPECT_EQ(verdict.state, State::complete) << cut;
    EXPECT_EQ(verdict.server_name, "example.org");
  }
}

TEST(ClientHello, EncryptedNamesAreRefused) {
  EXPECT_EQ(inspect_client_hello(hello(server_name("a.net") + extension(0xfe0d, "x"))).state,
            State::bad);
  EXPECT_EQ(inspect_client_hello(hello(extension(0xffce, "x"))).state, State::bad);
}

TEST(ClientHello, TwoNamesAreRefused) {
  EXPECT_EQ(inspect_client_hello(hello(server_name("a.net") + server_name("b.net"))).state,
            State::bad);
  const std::string two = number(0, 1) + counted("a.net", 2) + number(0, 1) + counted("b.net", 2);
  EXPECT_EQ(inspect_client_hello(hello(extension(0, counted(two, 2)))).state, State::bad);
}

TEST(ClientHello, NamesThatAreNoHostNamesAreRefused) {
  for (const std::string& name : {std::string("a\0b.net", 7), std::string(""), std::string("*.net"),
                                  std::string("a b"), std::string("127.1")})
    EXPECT_EQ(inspect_client_hello(hello(server_name(name))).state, State::bad) << name;
}

TEST(ClientHello, DamagedOnesAreRefused) {
  std::string inner = handshake(server_name("example.org"));
  inner[4 + 2 + 32] = 40;  // a session id longer than 32
  EXPECT_EQ(inspect_client_hello(record(inner)).state, State::bad);
  EXPECT_EQ(inspect_client_hello(record(number(2, 1) + number(0, 3))).state, State::bad);
  EXPECT_EQ(inspect_client_hello(record(number(1, 1) + number(20000, 3))).state, State::bad);
  EXPECT_EQ(inspect_client_hello(number(22, 1) + number(0x0301, 2) + number(0, 2)).state,
            State::bad);
  EXPECT_EQ(inspect_client_hello(record("\x01") + number(23, 1) + number(0x0301, 2)).state,
            State::bad);
}

TEST(ClientHello, OtherProtocolsAreNotTls) {
  for (const char* bytes :
       {"GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "\x80\x2e\x01\x03\x01", "\x16\x02"})
    EXPECT_EQ(inspect_client_hello(bytes).state, State::not_tls);
}

}  // namespace
}  // namespace ward::egress
