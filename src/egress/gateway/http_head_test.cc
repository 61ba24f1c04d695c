// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/http_head.h"

#include <gtest/gtest.h>

namespace ward::egress {
namespace {

using Form = RequestHead::Form;
using std::string_literals::operator""s;

RequestHead parsed(const std::string& head) {
  auto result = parse_request_head(head);
  EXPECT_TRUE(result) << (result ? "" : result.error().message()) << "\n" << head;
  return result.value_or(RequestHead());
}
std::string problem(const std::string& head) {
  auto result = parse_request_head(head);
  EXPECT_FALSE(result) << head;
  return result ? "" : result.error().message();
}

TEST(RequestHead, ReadsEveryForm) {
  auto head = parsed("CONNECT Example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n");
  EXPECT_EQ(head.form, Form::authority);
  EXPECT_EQ(head.host, "example.org");
  EXPECT_EQ(head.port, 443);
  head = parsed("GET http://example.org/a?b HTTP/1.1\r\nHost: example.org\r\n\r\n");
  EXPECT_EQ(head.form, Form::absolute);
  EXPECT_EQ(head.path, "/a?b");
  head = parsed("GET HTTP://example.org?b HTTP/1.1\r\nHost: example.org:80\r\n\r\n");
  EXPECT_EQ(head.path, "/?b");
  head = parsed("GET /a HTTP/1.1\r\nHost: [fd00::1]:8080\r\n\r\n");
  EXPECT_EQ(head.form, Form::origin);
  EXPECT_EQ(head.host, "fd00::1");
  EXPECT_EQ(head.port, 8080);
  EXPECT_EQ(parsed("OPTIONS * HTTP/1.1\r\nHost: a.net\r\n\r\n").form, Form::asterisk);
}

TEST(RequestHead, AHostUnlikeTheTargetIsRefused) {
  EXPECT_EQ(problem("GET http://a.net/ HTTP/1.1\r\nHost: b.net\r\n\r\n"),
            "a Host header unlike the target");
  EXPECT_EQ(problem("GET http://a.net/ HTTP/1.1\r\nHost: a.net:81\r\n\r\n"),
            "a Host header unlike the target");
  EXPECT_EQ(problem("CONNECT a.net:443 HTTP/1.1\r\nHost: b.net:443\r\n\r\n"),
            "a Host header unlike the target");
  EXPECT_EQ(problem("GET / HTTP/1.1\r\nHost: a.net\r\nHost: b.net\r\n\r\n"), "two Host headers");
  EXPECT_EQ(problem("GET / HTTP/1.1\r\n\r\n"), "no Host header");
  EXPECT_EQ(problem("GET / HTTP/1.0\r\n\r\n"), "no Host header");
}

TEST(RequestHead, OddTargetsAreRefused) {
  for (const char* target : {"http://user@a.net/", "https://a.net/", "ftp://a.net/", "//a.net/x#y",
                             "http://0x7f.1/", "http://127.1/", "http://a.net:0/",
                             "http://a.net:99999/", "http:///x", "a.net", "http://a.net\\@b.net/"})
    problem("GET "s + target + " HTTP/1.1\r\nHost: a.net\r\n\r\n");
  problem("CONNECT a.net HTTP/1.1\r\nHost: a.net\r\n\r\n");
  problem("CONNECT http://a.net:443/ HTTP/1.1\r\nHost: a.net:443\r\n\r\n");
}

TEST(RequestHead, AmbiguousLengthsAreRefused) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a.net\r\n";
  problem(post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n");
  problem(post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n");
  problem(post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n");
  problem(post + "Content-Length: 3, 3\r\n\r\n");
  problem(post + "Content-Length: +3\r\n\r\n");
  problem(post + "Content-Length: -1\r\n\r\n");
  problem(post + "Content-Length: 0x3\r\n\r\n");
  problem(post + "Content-Length: 99999999999999999999\r\n\r\n");
  problem(post + "Transfer-Encoding: gzip, chunked\r\n\r\n");
  problem(post + "Transfer-Encoding: xchunked\r\n\r\n");
  problem(post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n");
  problem(post + "Transfer-Encoding : chunked\r\n\r\n");
  problem("POST / HTTP/1.0\r\nHost: a.net\r\nTransfer-Encoding: chunked\r\n\r\n");
  problem("CONNECT a.net:443 HTTP/1.1\r\nHost: a.net:443\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(parsed(post + "Content-Length: 3\r\n\r\n").length, 3U);
  EXPECT_EQ(parsed(post + "transfer-encoding: Chunked\r\n\r\n").body, RequestHead::Body::chunked);
}

// The attack: the server takes the first, HTTP/2 in the clear, in which each request names a host.
TEST(RequestHead, TwoUpgradesAreRefused) {
  const std::string get = "GET / HTTP/1.1\r\nHost: a.net\r\nConnection: Upgrade\r\n";
  EXPECT_EQ(problem(get + "Upgrade: h2c\r\nUpgrade: websocket\r\n\r\n"), "two Upgrade headers");
  EXPECT_EQ(problem(get + "Upgrade: websocket\r\nupgrade: h2c\r\n\r\n"), "two Upgrade headers");
  EXPECT_FALSE(parsed(get + "Upgrade: websocket, h2c\r\n\r\n").upgrade);
}

TEST(RequestHead, OddLinesAreRefused) {
  problem("GET / HTTP/1.1\nHost: a.net\n\n");
  problem("GET / HTTP/1.1\r\nHost: a.net\r\nX: a\r\n b\r\n\r\n");
  problem("GET / HTTP/1.1\r\nHost: a.net\r\nX: a\nY: b\r\n\r\n");
  problem("GET / HTTP/1.1\r\nHost: a.net\r\nX: a\rb\r\n\r\n");
  problem("GET / HTTP/1.1\r\nHost: a.net\r\nX: "s + '\0' + "\r\n\r\n");
  problem("GET / HTTP/1.1\r\nHost: a.net\r\n: x\r\n\r\n");
  problem("GET / HTTP/1.1\r\nHost : a.net\r\n\r\n");
  problem("GET / HTTP/1.1\r\nHost: a.net\r\nno colon\r\n\r\n");
  problem("GET  / HTTP/1.1\r\nHost: a.net\r\n\r\n");
  problem("PRI * HTTP/2.0\r\n\r\n");
  problem("GET / HTTP/1.1 x\r\nHost: a.net\r\n\r\n");
  problem("\r\nGET / HTTP/1.1\r\nHost: a.net\r\n\r\n");
}

TEST(RequestHead, HugeHeadsAreRefused) {
  problem("GET /" + std::string(kMaxHeadBytes, 'a') + " HTTP/1.1\r\nHost: a.net\r\n\r\n");
  std::string many = "GET / HTTP/1.1\r\nHost: a.net\r\n";
  for (std::size_t i = 0; i < kMaxHeaders; ++i) many += "X: y\r\n";
  EXPECT_EQ(problem(many + "\r\n"), "more than 200 headers");
  problem(std::string(30, 'A').append(" / HTTP/1.1\r\nHost: a.net\r\n\r\n"));
}

TEST(RequestHead, IsForwardedInOneForm) {
  auto head = parsed(
      "GET http://a.net/x HTTP/1.1\r\nHOST: A.net\r\nProxy-Authorization: Basic x\r\n"
      "Connection: keep-alive, X-Hop\r\nx-hop: 1\r\nX-End: 2\r\nUpgrade-Insecure-Requests: "
      "1\r\n\r\n");
  EXPECT_EQ(forwarded_head(head, "a.net", 80),
            "GET /x HTTP/1.1\r\nHost: a.net\r\nX-End: 2\r\nUpgrade-Insecure-Requests: 1\r\n"
            "Connection: close\r\n\r\n");
  head =
      parsed("GET / HTTP/1.1\r\nHost: a.net\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_EQ(forwarded_head(head, "fd00::1", 8080),
            "GET / HTTP/1.1\r\nHost: [fd00::1]:8080\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\n\r\n");
  head = parsed("GET / HTTP/1.1\r\nHost: a.net\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_EQ(forwarded_head(head, "a.net", 80),
            "GET / HTTP/1.1\r\nHost: a.net\r\nConnection: close\r\n\r\n");
}

TEST(RequestHead, FirstBytesTellHttpFromOthers) {
  EXPECT_EQ(looks_like_http("GET / HTTP/1.1\r\n"), Likeness::yes);
  EXPECT_EQ(looks_like_http("hello"), Likeness::no);
  EXPECT_EQ(looks_like_http("GET /"), Likeness::more);
  EXPECT_EQ(looks_like_http("GET key\r\n"), Likeness::no);
  EXPECT_EQ(looks_like_http("USER somebody\r\n"), Likeness::no);
  EXPECT_EQ(looks_like_http("GE"), Likeness::more);
  EXPECT_EQ(looks_like_http("SSH-2.0-OpenSSH_9.2\r\n"), Likeness::no);
  EXPECT_EQ(looks_like_http("\x16\x03\x01"), Likeness::no);
  EXPECT_EQ(looks_like_http(" GET"), Likeness::no);
  EXPECT_EQ(looks_like_http(std::string(40, 'A')), Likeness::no);
}

std::size_t fed(BodyEnd& body, std::string_view bytes) {
  auto used = body.feed(bytes);
  EXPECT_TRUE(used);
  return used.value_or(0);
}

TEST(BodyEnd, CountsALength) {
  BodyEnd body(RequestHead::Body::length, 5);
  EXPECT_EQ(fed(body, "abc"), 3U);
  EXPECT_FALSE(body.done());
  EXPECT_EQ(fed(body, "deGET / HTTP/1.1"), 2U);
  EXPECT_TRUE(body.done());
  EXPECT_TRUE(BodyEnd(RequestHead::Body::none, 0).done());
}

TEST(BodyEnd, FindsTheEndOfChunksHoweverTheyAreCut) {
  const std::string chunks = "5\r\nabcde\r\n00A\r\n0123456789\r\n0\r\n\r\n";
  for (std::size_t part = 1; part <= chunks.size(); ++part) {
    BodyEnd body(RequestHead::Body::chunked, 0);
    std::size_t used = 0;
    const std::string bytes = chunks + "GET /";
    for (std::size_t at = 0; at < bytes.size() && !body.done(); at += part)
      used += fed(body, std::string_view(bytes).substr(at, part));
    EXPECT_TRUE(body.done());
    EXPECT_EQ(used, chunks.size()) << part;
  }
}

TEST(BodyEnd, OddChunksAreRefused) {
  for (const char* bytes : {"5;x=y\r\n", "\r\n", "-1\r\n", "0x5\r\n", "5\n", "5 \r\n",
                            "5\r\nabcdeX", "1000000000000000\r\n", "0\r\nX: y\r\n\r\n", "g\r\n"}) {
    BodyEnd body(RequestHead::Body::chunked, 0);
    EXPECT_FALSE(body.feed(bytes)) << bytes;
    EXPECT_FALSE(body.done());
  }
}

}  // namespace
}  // namespace ward::egress
