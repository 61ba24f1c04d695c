// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The interceptor between a client and a server on loopback, with a stand-in for the gateway's
// dialling. The server's certificates come from an authority of the test's own "internet".
#include "egress/gateway/intercept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <functional>

#include "egress/encoding.h"
#include "egress/gateway/authority.h"
#include "egress/gateway/http_reader.h"
#include "egress/gateway/stream.h"
#include "egress/gateway/trust.h"

namespace ward::egress {
namespace {

using asio::ip::tcp;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kHost = "api.example.test";
constexpr const char* kPlaceholder = "ward-placeholder-01hzzzzzzzzzzzzzzzzzzzzzzz";
constexpr const char* kValue = "s3cr3t+value/that?travels";

class Lab : public Services {
 public:
  asio::io_context loop_;
  Authority internet = std::move(*Authority::make("internet"));
  std::shared_ptr<GatewaySpec> rules = std::make_shared<GatewaySpec>();
  std::string certificate_host = kHost;  // whom the server claims to be
  // What the server answers, and whether it closes then.
  std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  std::vector<std::string> seen;  // what reached the server: head lines, then the body
  std::vector<Record> records;
  std::vector<std::string> asked;
  Decision decision;
  int dialled = 0;
  std::unique_ptr<Interceptor> interceptor;

  Lab() : acceptor_(loop_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    rules->sandbox = "lab";
    rules->trust_bundle_pem = internet.certificate_pem();
  }

  void add_secret(std::string header = "", std::string format = "") {
    policy::Secret rule;
    rule.name = "API_TOKEN";
    rule.hosts = {kHost};
    rule.header = std::move(header);
    rule.format = std::move(format);
    rules->secrets.push_back({std::move(rule), kValue, kPlaceholder});
  }
  void add_rule(std::vector<std::string> methods, std::vector<std::string> paths) {
    rules->network.rules.push_back(
        {kHost, std::move(methods), std::move(paths), {"ward.yaml", 9, policy::Scope::user}});
  }

  // --- Services ---
  Task<Result<Socket>> dial(const Target&, Record& record) override {
    ++dialled;
    record.address = "127.0.0.1";
    co_return connect_server();
  }
  Task<Decision> ask(Ask question) override {
    asked.push_back(question.method + " " + question.url);
    co_return decision;
  }
  void report(Record record) override { records.push_back(std::move(record)); }
  std::shared_ptr<const GatewaySpec> spec() const override { return rules; }
  asio::io_context& loop() override { return loop_; }

  // Sends `text` through the interceptor and returns all that comes back until the end.
  std::string talk(const std::string& text, Content content = Content::tls) {
    make();
    std::string got;
    asio::co_spawn(loop_, talk_task(text, content, got), asio::detached);
    loop_.run();
    loop_.restart();
    return got;
  }
  const Record& request() const {
    for (const Record& record : records)
      if (record.kind == RecordKind::request) return record;
    static const Record kNone;
    return kNone;
  }

 private:
  void make() {
    if (interceptor) return;
    auto made = make_interceptor(*this, *rules);
    ASSERT_TRUE(made) << made.error().describe();
    interceptor = std::move(*made);
  }

  Socket connect_server() {
    Socket near(loop_.get_executor());
    near.connect(acceptor_.local_endpoint());
    asio::co_spawn(loop_, serve_server(acceptor_.accept()), asio::detached);
    return near;
  }

  Task<void> serve_server(asio::basic_stream_socket<tcp> accepted) {
    Socket socket(loop_.get_executor(), tcp::v4(), accepted.release());
    std::unique_ptr<Stream> stream;
    if (plain_) {
      stream = plain_stream(std::move(socket), "");
    } else {
      stream =
          std::move(*server_stream(std::move(socket), "", *internet.context_for(certificate_host)));
      if (!co_await tls_handshake(*stream)) co_return;
    }
    HttpReader reader(*stream, MessageKind::request);
    for (;;) {
      auto head = co_await reader.head();
      if (!head || !*head) break;
      std::string text = (**head).request.method + " " + (**head).request.path + "\n";
      for (const HttpField& field : (**head).fields) text += field.name + ": " + field.value + "\n";
      for (;;) {
        const auto part = co_await reader.body();
        if (!part || part->empty()) break;
        text += *part;
      }
      seen.push_back(text);
      std::string reply = answer;
      if (const std::size_t at = reply.find("<echo>"); at != std::string::npos)
        reply.replace(at, 6, text);
      if (!co_await stream->write(reply)) break;
      if (reply.find("Connection: close") != std::string::npos) break;
      if (reply.find(" 101 ") == std::string::npos) continue;
      std::string buffer(1024, '\0');
      const auto size = co_await stream->read(buffer);
      if (size) (void)co_await stream->write("echo:" + buffer.substr(0, *size));
      break;
    }
    stream->end_writing();
  }

  Task<void> talk_task(std::string text, Content content, std::string& got) {
    plain_ = content != Content::tls;
    tcp::acceptor inside(loop_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    Socket near(loop_.get_executor());
    near.connect(inside.local_endpoint());
    Socket far(loop_.get_executor(), tcp::v4(), inside.accept().release());
    OpenRecord record(*this, Protocol::connect);
    record->verdict = RecordVerdict::allowed;
    record->rule = "allow api.example.test (ward.yaml:3)";
    record->address = "127.0.0.1";
    const std::uint16_t port = plain_ ? 80 : 443;
    EXPECT_TRUE(interceptor->wants({kHost, port, false}, content));
    Flow flow{std::move(far),   "", content, {kHost, port, false}, connect_server(),
              std::move(record)};
    asio::co_spawn(loop_, interceptor->serve(std::move(flow)), asio::detached);

    std::unique_ptr<Stream> stream;
    UpstreamTrust inside_trust(interceptor->ca_certificate_pem());
    if (plain_) {
      stream = plain_stream(std::move(near), "");
    } else {
      stream = client_stream(std::move(near), *inside_trust.client_for(kHost, 443));
      const Status shaken = co_await tls_handshake(*stream);
      EXPECT_TRUE(shaken) << shaken.error().describe();
      if (!shaken) co_return;
    }
    (void)co_await stream->write(text);
    std::string buffer(4096, '\0');
    for (;;) {
      const auto size = co_await stream->read(buffer);
      if (!size) got += "<cut>";
      if (!size || *size == 0) break;
      got.append(buffer, 0, *size);
    }
    stream->close();
  }

  tcp::acceptor acceptor_;
  bool plain_ = false;
};

std::string get(const std::string& fields = "", const std::string& path = "/v1/a?q=1") {
  return "GET " + path + " HTTP/1.1\r\nHost: api.example.test\r\nConnection: close\r\n" + fields +
         "\r\n";
}

TEST(Intercept, ARequestAndItsAnswerPassAndAreWrittenDown) {
  Lab lab;
  lab.add_rule({"GET"}, {"/v1/**"});
  EXPECT_THAT(lab.talk(get("X-Own: 1\r\n")),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\n\r\nok")));
  ASSERT_EQ(lab.seen.size(), 1U);
  EXPECT_THAT(lab.seen[0], AllOf(StartsWith("GET /v1/a?q=1\n"), HasSubstr("X-Own: 1\n"),
                                 HasSubstr("Host: api.example.test\n")));
  EXPECT_EQ(lab.request().verdict, RecordVerdict::allowed);
  EXPECT_EQ(lab.request().path, "/v1/a");
  EXPECT_THAT(lab.request().rule, HasSubstr("ward.yaml:9"));
  EXPECT_EQ(lab.records.size(), 2U);
}

TEST(Intercept, WhatNoRulePermitsIsAnsweredWithTheRuleAndNeverSent) {
  Lab lab;
  lab.add_rule({"GET"}, {"/v1/**"});
  const std::string answer = lab.talk("DELETE /v1/a HTTP/1.1\r\nHost: api.example.test\r\n\r\n");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 403 Forbidden\r\n"),
                            HasSubstr("X-Ward-Denied: network.rules"), HasSubstr("ward.yaml:9"),
                            HasSubstr("to allow it, add")));
  EXPECT_THAT(lab.seen, IsEmpty());
  EXPECT_EQ(lab.request().verdict, RecordVerdict::denied);
  for (const char* path : {"/v2", "/v1/../v2", "/v1/%2e%2e/v2", "/v1/..%2fv2"})
    EXPECT_THAT(lab.talk(get("", path)), StartsWith("HTTP/1.1 403")) << path;
  EXPECT_THAT(lab.seen, IsEmpty());
}

// The attack: the server goes by the header, and by another one of them than the gateway.
TEST(Intercept, AHeaderThatNamesAnotherMethodOrPathIsNoWayAroundARule) {
  Lab lab;
  lab.add_rule({"GET"}, {"/v1/**"});
  for (const char* headers :
       {"X-HTTP-Method: GET\r\nX-HTTP-Method-Override: DELETE\r\n",
        "X-HTTP-Method-Override: GET\r\nX-HTTP-Method-Override: DELETE\r\n",
        "X_HTTP_Method_Override: DELETE\r\n", "X-Original-URL: /v2\r\n", "X-Rewrite-Url: /v2\r\n"})
    EXPECT_THAT(lab.talk(get(headers, "/v1/a")), StartsWith("HTTP/1.1 403")) << headers;
  EXPECT_THAT(lab.seen, IsEmpty());
  EXPECT_THAT(lab.talk(get("X-HTTP-Method-Override: GET\r\n", "/v1/a")),
              StartsWith("HTTP/1.1 200"));
}

TEST(Intercept, TheValueReachesItsHeaderAndIsTakenOutOfWhatComesBack) {
  Lab lab;
  lab.add_secret("Authorization", "Bearer {}");
  lab.answer = std::string("HTTP/1.1 302 Found\r\nLocation: https://other.test/?t=") + kValue +
               "\r\nConnection: close\r\n\r\n<echo> and " +
               base64_encode(std::string("u:") + kValue);
  const std::string answer = lab.talk(
      get(std::string("Authorization: Bearer ") + kPlaceholder + "\r\nAccept-Encoding: gzip\r\n"));
  ASSERT_EQ(lab.seen.size(), 1U);
  EXPECT_THAT(lab.seen[0], AllOf(HasSubstr(std::string("Authorization: Bearer ") + kValue),
                                 HasSubstr("Accept-Encoding: identity"), Not(HasSubstr("gzip"))));
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 302 Found"), Not(HasSubstr(kValue)),
                            Not(HasSubstr(base64_encode(std::string("u:") + kValue).substr(4, 12))),
                            HasSubstr("Bearer ****")));
  EXPECT_THAT(lab.request().secrets, ElementsAre("API_TOKEN"));
}

TEST(Intercept, APlaceholderElsewhereIsRefusedAndNeverSent) {
  Lab lab;
  lab.add_secret();
  const std::string placeholder = kPlaceholder;
  const std::string post = "POST /v1 HTTP/1.1\r\nHost: api.example.test\r\n";
  for (const std::string& text :
       {get("X-Other: " + placeholder + "\r\n"), get("", "/v1?key=" + placeholder),
        get("Cookie: a=" + base64_encode("xx" + placeholder) + "\r\n"),
        get(placeholder + ": 1\r\n"),
        post + "Content-Length: " + std::to_string(placeholder.size()) + "\r\n\r\n" + placeholder,
        post + "Transfer-Encoding: chunked\r\n\r\n10\r\n" + placeholder.substr(0, 16) +
            "\r\n1b\r\n" + placeholder.substr(16) + "\r\n0\r\n\r\n"}) {
    lab.records.clear();
    EXPECT_THAT(lab.talk(text), StartsWith("HTTP/1.1 403")) << text;
    EXPECT_EQ(lab.request().verdict, RecordVerdict::denied) << text;
    EXPECT_THAT(lab.request().reason, HasSubstr("placeholder")) << text;
    for (const std::string& one : lab.seen) EXPECT_THAT(one, Not(HasSubstr(placeholder)));
  }
}

TEST(Intercept, APlaceholderIsNotPutInWithoutTls) {
  Lab lab;
  lab.add_secret();
  EXPECT_THAT(lab.talk(get(std::string("Authorization: ") + kPlaceholder + "\r\n"), Content::http),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(lab.seen, IsEmpty());
  // The control: the same without it.
  EXPECT_THAT(lab.talk(get(), Content::http), StartsWith("HTTP/1.1 200"));
}

TEST(Intercept, AServerThatIsNotTheNamedOneGetsNothing) {
  Lab lab;
  lab.add_secret();
  lab.certificate_host = "other.example.test";
  const std::string answer = lab.talk(get(std::string("Authorization: ") + kPlaceholder + "\r\n"));
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 "), HasSubstr("certificate is not accepted")));
  EXPECT_THAT(lab.seen, IsEmpty());
  Lab untrusted;
  untrusted.add_secret();
  untrusted.rules->trust_bundle_pem = Authority::make("somebody else")->certificate_pem();
  EXPECT_THAT(untrusted.talk(get()), HasSubstr("certificate is not accepted"));
  EXPECT_THAT(untrusted.seen, IsEmpty());
}

TEST(Intercept, ACompressedAnswerThatCouldHideAValueIsRefused) {
  Lab lab;
  lab.add_secret();
  lab.answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok";
  EXPECT_THAT(lab.talk(get()), AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("compressed")));
}

TEST(Intercept, AConnectionServesSeveralRequestsOverOneToTheServer) {
  Lab lab;
  lab.add_rule({}, {});
  const std::string one = "GET /1 HTTP/1.1\r\nHost: api.example.test\r\n\r\n";
  const std::string answer = lab.talk(
      one + "POST /2 HTTP/1.1\r\nHost: api.example.test\r\nContent-Length: 3\r\n\r\nabc" + get());
  EXPECT_EQ(lab.seen.size(), 3U);
  EXPECT_EQ(lab.dialled, 0);
  EXPECT_THAT(lab.seen.at(1), HasSubstr("abc"));
  EXPECT_EQ(std::count(answer.begin(), answer.end(), 'k'), 3 + 2);  // ok, and keep-alive twice
}

TEST(Intercept, AServerThatClosesIsDialledAgain) {
  Lab lab;
  lab.add_rule({}, {});
  lab.answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
  lab.talk("GET /1 HTTP/1.1\r\nHost: api.example.test\r\n\r\n" + get());
  EXPECT_EQ(lab.seen.size(), 2U);
  EXPECT_EQ(lab.dialled, 1);
}

TEST(Intercept, WhatTwoServersMightReadDifferentlyIsRefused) {
  Lab lab;
  lab.add_rule({}, {});
  const std::string host = "Host: api.example.test\r\n";
  for (const std::string& text : std::vector<std::string>{
           "POST / HTTP/1.1\r\n" + host +
               "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
           "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
           "GET / HTTP/1.1\r\n" + host + "X: a\r\n b\r\n\r\n", "GET / HTTP/1.1\n" + host + "\r\n",
           "GET / HTTP/1.1\r\n" + host + "Host: other.test\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n",
           "GET https://other.test/ HTTP/1.1\r\n" + host + "\r\n",
           "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n",
           "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n",
           "TRACE / HTTP/1.1\r\n" + host + "\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + host}) {
    EXPECT_THAT(lab.talk(text),
                ::testing::AnyOf(StartsWith("HTTP/1.1 400"), StartsWith("HTTP/1.1 403")))
        << text;
    EXPECT_THAT(lab.seen, IsEmpty()) << text;
  }
}

TEST(Intercept, AnAnswerOfAmbiguousLengthIsNotPassedOn) {
  for (const char* answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        "garbage\r\n\r\n"}) {
    Lab lab;
    lab.add_rule({}, {});
    lab.answer = answer;
    EXPECT_THAT(lab.talk(get()), StartsWith("HTTP/1.1 502")) << answer;
  }
}

TEST(Intercept, AnAnswerThatIsCutIsCutForTheClientToo) {
  Lab lab;
  lab.add_rule({}, {});
  lab.answer = "HTTP/1.1 200 OK\r\nX: Connection: close\r\nContent-Length: 20\r\n\r\nhalf";
  const std::string got = lab.talk(get());
  EXPECT_THAT(got, AllOf(HasSubstr("half"), ::testing::EndsWith("<cut>")));
  EXPECT_EQ(lab.request().verdict, RecordVerdict::failed);
}

TEST(Intercept, BodiesOfEveryFramingArrive) {
  for (const char* answer :
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbod\r\n1\r\ny\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: Connection: close\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"}) {
    Lab lab;
    lab.add_rule({}, {});
    lab.answer = answer;
    std::string got = lab.talk(get());
    got.erase(0, got.find("\r\n\r\n") + 4);
    std::string body;
    for (const char c : got)
      if (std::string_view("body").find(c) != std::string_view::npos) body += c;
    EXPECT_EQ(body, "body") << answer;
    EXPECT_THAT(got, Not(HasSubstr("<cut>"))) << answer;
  }
}

TEST(Intercept, AnAnswerToHeadHasNoBodyAndTellsItsLength) {
  Lab lab;
  lab.add_rule({}, {});
  lab.answer = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n";
  const std::string got =
      lab.talk("HEAD / HTTP/1.1\r\nHost: api.example.test\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(got, AllOf(HasSubstr("Content-Length: 5000\r\n"), ::testing::EndsWith("\r\n\r\n")));
}

TEST(Intercept, AWebSocketPassesBothWays) {
  Lab lab;
  lab.add_secret();
  lab.answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
  const std::string got = lab.talk(
      "GET /ws HTTP/1.1\r\nHost: api.example.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n" +
      std::string(kValue));
  EXPECT_THAT(got,
              AllOf(StartsWith("HTTP/1.1 101"), HasSubstr("echo:****"), Not(HasSubstr(kValue))));
  EXPECT_THAT(lab.seen.at(0), Not(HasSubstr("deflate")));
}

TEST(Intercept, AGateHoldsTheRequestUntilItIsDecided) {
  for (const std::uint8_t allow : {std::uint8_t{0}, std::uint8_t{1}}) {
    Lab lab;
    policy::Gate gate;
    gate.host = kHost;
    gate.paths = {"/purchase*"};
    lab.rules->gates = {gate};
    lab.decision = {0, allow, "a person said so"};
    const std::string got = lab.talk(get("", "/purchases?x=1"));
    EXPECT_THAT(got, StartsWith(allow == 1 ? "HTTP/1.1 200" : "HTTP/1.1 403"));
    EXPECT_THAT(lab.asked, ElementsAre("GET https://api.example.test:443/purchases"));
    EXPECT_EQ(lab.seen.size(), allow);
    EXPECT_THAT(lab.talk(get("", "/basket")), StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(lab.asked.size(), 1U);
  }
}

TEST(Intercept, AReloadChangesWhatTheNextRequestMayDo) {
  Lab lab;
  lab.add_rule({"GET"}, {});
  EXPECT_THAT(lab.talk(get()), StartsWith("HTTP/1.1 200"));
  GatewaySpec next = *lab.rules;
  next.network.rules[0].methods = {"POST"};
  ASSERT_TRUE(lab.interceptor->reconfigure(next));
  EXPECT_THAT(lab.talk(get()), StartsWith("HTTP/1.1 403"));
}

TEST(Intercept, OnlyHostsThatSomethingSpeaksOfAreIntercepted) {
  Lab lab;
  lab.add_rule({}, {});
  lab.talk(get());
  EXPECT_FALSE(lab.interceptor->wants({"other.test", 443, false}, Content::tls));
  EXPECT_FALSE(lab.interceptor->wants({"other.test", 80, false}, Content::http));
  EXPECT_TRUE(lab.interceptor->wants({kHost, 22, false}, Content::opaque));
}

TEST(Intercept, WhereThereAreSecretsAllHttpIsLookedAt) {
  Lab lab;
  lab.add_secret();
  lab.talk(get());
  EXPECT_TRUE(lab.interceptor->wants({"other.test", 443, false}, Content::tls));
  EXPECT_TRUE(lab.interceptor->wants({"other.test", 80, false}, Content::http));
  EXPECT_FALSE(lab.interceptor->wants({"other.test", 5671, false}, Content::tls));
  EXPECT_FALSE(lab.interceptor->wants({"other.test", 22, false}, Content::opaque));
}

TEST(Intercept, AnEarlyAnswerIsNotHeldBack) {
  // In part the beginning of a value: what is certain goes on at once.
  Lab lab;
  lab.add_secret();
  lab.answer =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX: Connection: close\r\n\r\ndata: "
      "s3cr\n\n";
  EXPECT_THAT(lab.talk(get()), HasSubstr("data: s3cr\n\n"));
}

}  // namespace
}  // namespace ward::egress
