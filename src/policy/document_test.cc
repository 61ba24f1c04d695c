// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "policy/keys.h"
#include "policy/load.h"

namespace ward::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Document> parse(const std::string& text, const std::string& name = "w.yaml") {
  return parse_document({name, 0, Scope::user}, text);
}

std::string error_of(const std::string& text, const std::string& name = "w.yaml") {
  const Result<Document> document = parse(text, name);
  return document ? "no error" : document.error().describe();
}

// The example of the language, with every key.
constexpr const char* kEverything = R"(version: 1
extends: workspace
filesystem:
  default: read
  allowWrite: [., ~/.cache/app, ~]
  denyWrite:  [".git/hooks", ".git/config", "**/*.lock"]
  denyRead:   [~/.ssh, ~/.aws, "~/**/.env", {path: "a[b]", literal: true}]
  allowRead:  [~/.ssh/known_hosts]
  protect: emulate
network:
  presets: [npm, git]
  allow: [api.example.com, "*.example.org:443", 10.0.0.0/8:5432, "[fd00::]/8:443"]
  deny:  ["**.evil.example.com"]
  rules: [{host: api.example.com, methods: [GET], paths: ["/v1/**"]}]
  unixSockets: [/run/pg.sock]
  hostPorts: [5432]
secrets:
  - {name: API_TOKEN, from: "env:API_TOKEN", hosts: [api.example.com], header: Authorization, format: "Bearer {}"}
sshAgent: {hosts: [git.example.com]}
env: {inherit: core, allow: [LANG], set: {CI: "1"}}
limits: {cpus: 2, memory: 2GiB, pids: 512, wall: 10m, output: 16MiB, openFiles: 1024, fileSize: 1GiB, disk: 4GiB, diskBandwidth: 100MiB/s, diskOps: 5000/s, netBandwidth: 50MiB/s}
publish: [3000]
lifetime: {ttl: 1h, idle: 15m, expiry: 30d}
process: {seccomp: default, nestedNamespaces: false, passFds: [3]}
container: {image: base, runtime: own}
gates: [{when: request, host: "*.example.com", methods: [POST], paths: ["/purchase*"]}, {when: action, name: buy}, {when: dialog}]
overrides: [writable-home]
)";

TEST(Document, EveryKeyOfTheLanguageIsRead) {
  const Result<Document> d = parse(kEverything);
  ASSERT_TRUE(d) << d.error().describe();
  EXPECT_EQ(d->extends, "workspace");
  EXPECT_EQ(d->paths.size(), 11U);
  EXPECT_EQ(d->protect, ProtectMechanism::emulate);
  EXPECT_THAT(d->presets, ElementsAre("npm", "git"));
  EXPECT_EQ(d->preset_origins.at("npm").line, 11);
  EXPECT_EQ(d->allow.at(3).host, "fd00::/8");
  EXPECT_EQ(d->allow.at(3).port, 443);
  EXPECT_EQ(d->request_rules.at(0).paths.at(0), "/v1/**");
  EXPECT_THAT(d->host_ports, ElementsAre(5432));
  EXPECT_EQ(d->secrets.at(0).format, "Bearer {}");
  EXPECT_EQ(d->secrets.at(0).origin.line, 18);
  EXPECT_THAT(d->ssh_agent_hosts, ElementsAre("git.example.com"));
  EXPECT_EQ(d->env_set.at("CI"), "1");
  EXPECT_EQ(d->limits.cpus, 2.0);
  EXPECT_EQ(d->limits.memory_bytes, 2ULL << 30U);
  EXPECT_EQ(d->limits.disk_ops, 5000U);
  EXPECT_EQ(d->limits.open_files, 1024U);
  EXPECT_EQ(d->limits.wall, std::chrono::minutes(10));
  EXPECT_EQ(d->lifetime.expiry, std::chrono::hours(24 * 30));
  EXPECT_THAT(d->pass_fds, ElementsAre(3));
  EXPECT_EQ(d->container->runtime, "own");
  EXPECT_EQ(d->gates.at(1).name, "buy");
  EXPECT_EQ(d->overrides.at(0).finding, "writable-home");
}

TEST(Document, TheExampleSaysEveryKeyOfTheTable) {
  const Result<Document> d = parse(kEverything);
  ASSERT_TRUE(d);
  std::set<std::string_view> said;
  for (const SaidKey& key : d->said) said.insert(key.row->path);
  for (const KeyRow& row : key_rows()) {
    const bool is_value =
        row.shape != Shape::section && row.path.find('[') == std::string_view::npos;
    EXPECT_EQ(said.contains(row.path), is_value) << row.path;
  }
}

struct Bad {
  const char* name;
  const char* text;
  const char* message;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadDocument : public ::testing::TestWithParam<Bad> {};

TEST_P(BadDocument, IsRefusedWithPlaceAndRemedy) {
  EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().message));
}

constexpr Bad kBad[] = {
    {"Empty", "", "w.yaml:1: the key 'version' is missing (write version: 1)"},
    {"NotAMapping", "- a\n", "w.yaml:1: expected a mapping, found a list (start with version: 1)"},
    {"WrongVersion", "version: 2\n", "w.yaml:1: version: expected version 1, found the number 2"},
    {"VersionAsText", "version: \"1\"\n",
     "w.yaml:1: version: expected version 1, found the text '1'"},
    {"UnknownKey", "version: 1\nfilesytem: {}\n",
     "w.yaml:2: filesytem: unknown key (did you mean 'filesystem'?)"},
    {"UnknownInner", "version: 1\nfilesystem:\n  denyReads: [a]\n",
     "w.yaml:3: filesystem.denyReads: unknown key (did you mean 'denyRead'?)"},
    {"KeyOfAnotherSection", "version: 1\nallowWrite: [a]\n",
     "w.yaml:2: allowWrite: unknown key (did you mean 'filesystem.allowWrite'?)"},
    {"NothingNear", "version: 1\nlifetime: {qqqq: 1}\n",
     "w.yaml:2: lifetime.qqqq: unknown key (the keys here are ttl, idle, expiry)"},
    {"UnknownInRecord", "version: 1\nsecrets:\n  - {nme: A}\n",
     "w.yaml:3: secrets[0].nme: unknown key (did you mean 'name'?)"},
    {"MissingInRecord", "version: 1\nsecrets:\n  - {name: A}\n",
     "w.yaml:3: secrets[0]: the key 'from' is missing"},
    {"DuplicateKey", "version: 1\nversion: 1\n",
     "w.yaml:2: the key 'version' stands twice, first on line 1"},
    {"Anchor", "version: &a 1\n", "w.yaml:1: anchors are not part of the policy language"},
    {"Alias", "version: 1\npublish: *a\n", "w.yaml:2: aliases are not part"},
    {"Tag", "version: !!int 1\n", "w.yaml:1: tags are not part"},
    {"TwoDocuments", "version: 1\n---\nversion: 1\n", "w.yaml:2: a second document starts"},
    {"BrokenYaml", "version: 1\nfilesystem: [\n", "w.yaml:3: not valid YAML"},
    {"TabIndent", "version: 1\nfilesystem:\n\tdefault: read\n",
     "w.yaml:3: not valid YAML: found character that cannot start any token"},
    {"TooDeep", "version: 1\npublish: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n",
     "w.yaml:2: nested deeper than 16 levels"},
    {"ListExpected", "version: 1\nfilesystem: {denyRead: ~/.ssh}\n",
     "w.yaml:2: filesystem.denyRead: expected a list, found the text '~/.ssh'"},
    {"MappingExpected", "version: 1\nfilesystem: [a]\n",
     "w.yaml:2: filesystem: expected a mapping, found a list"},
    {"NumberAsPath", "version: 1\nfilesystem:\n  denyRead:\n    - a\n    - 12\n",
     "w.yaml:5: filesystem.denyRead[1]: expected text, found the number 12 (put it in quotes: "
     "\"12\")"},
    {"Choice", "version: 1\nfilesystem: {default: raed}\n",
     "w.yaml:2: filesystem.default: 'raed' is none of read, deny (did you mean 'read'?)"},
    {"EmptyPath", "version: 1\nfilesystem: {denyRead: [\"\"]}\n",
     "filesystem.denyRead[0]: a path is empty"},
    {"Variable", "version: 1\nfilesystem: {denyRead: [$HOME/x]}\n",
     "variables are not expanded (write ~ for the home folder"},
    {"OtherHome", "version: 1\nfilesystem: {denyRead: [~bob/x]}\n",
     "'~bob/x': another user's home is not looked up"},
    {"OtherToken", "version: 1\nfilesystem: {denyRead: [\"@temp\"]}\n",
     "'@temp': the tokens with @ are @tmp and @programs"},
    {"DotDotInside", "version: 1\nfilesystem: {denyRead: [a/../b]}\n",
     "where `..` leads depends on symbolic links"},
    {"OpenSet", "version: 1\nfilesystem: {denyRead: [\"a[b\"]}\n",
     "for a name that holds such characters write {path: ..., literal: true}"},
    {"PathKey", "version: 1\nfilesystem: {denyRead: [{path: a, litteral: true}]}\n",
     "unknown key 'litteral' (did you mean 'literal'?)"},
    {"LiteralText", "version: 1\nfilesystem: {denyRead: [{path: a, literal: \"yes\"}]}\n",
     "expected true or false, found the text 'yes'"},
    {"Size", "version: 1\nlimits: {memory: 2G}\n",
     "w.yaml:2: limits.memory: 'G' is not a unit of size (the units are B, KiB"},
    {"ZeroSize", "version: 1\nlimits: {memory: 0}\n",
     "limits.memory: a size of 0 allows nothing at all"},
    {"HugeSize", "version: 1\nlimits: {memory: 99999999999TiB}\n", "is larger than any size"},
    {"NegativeSize", "version: 1\nlimits: {memory: -1}\n", "limits.memory: '-1' is not a size"},
    {"Duration", "version: 1\nlimits: {wall: 10}\n",
     "limits.wall: '10' has no unit of time (write it as 500ms, 30s, 10m"},
    {"DurationUnit", "version: 1\nlimits: {wall: 10min}\n",
     "limits.wall: '10min' is not a duration"},
    {"DurationOrder", "version: 1\nlimits: {wall: 1m1h}\n",
     "limits.wall: '1m1h' is not a duration"},
    {"LongDuration", "version: 1\nlimits: {wall: 99999999d}\n", "longer than ten years"},
    {"Bandwidth", "version: 1\nlimits: {diskBandwidth: 100MiB}\n",
     "is not a bandwidth (write it as 100MiB/s)"},
    {"Rate", "version: 1\nlimits: {diskOps: 5k/s}\n", "(write it as 5000/s)"},
    {"Cores", "version: 1\nlimits: {cpus: 0}\n", "a number of processors is from 0.01 to 1024"},
    {"CoresNan", "version: 1\nlimits: {cpus: .nan}\n", "'.nan' is not a number of processors"},
    {"Pids", "version: 1\nlimits: {pids: 1.5}\n",
     "limits.pids: expected a whole number, found the number 1.5"},
    {"Port", "version: 1\npublish: [70000]\n", "w.yaml:2: publish[0]: '70000' is not a port"},
    {"PortText", "version: 1\npublish: [\"80\"]\n",
     "publish[0]: expected a whole number, found the text '80'"},
    {"AnyHost", "version: 1\nnetwork: {allow: [\"*\"]}\n", "network.allow[0]: '*' is every host"},
    {"TopLevel", "version: 1\nnetwork: {allow: [\"*.com\"]}\n",
     "'*.com' is a whole top-level domain"},
    {"Url", "version: 1\nnetwork: {allow: [\"https://a.example\"]}\n",
     "is a URL (write the host alone"},
    {"HostPort", "version: 1\nnetwork: {allow: [\"a.example:0\"]}\n", "'0' is not a port"},
    {"InnerStar", "version: 1\nnetwork: {allow: [\"a.*.example\"]}\n", "* stands only in front"},
    {"Cidr", "version: 1\nnetwork: {allow: [10.0.0.1/8]}\n",
     "has bits set behind its prefix (write 10.0.0.0/8)"},
    {"CidrPrefix", "version: 1\nnetwork: {allow: [10.0.0.0/33]}\n", "is not an address or a block"},
    {"EveryAddress", "version: 1\nnetwork: {allow: [0.0.0.0/0]}\n", "is every address"},
    {"OddAddress", "version: 1\nnetwork: {allow: [\"127.1\"]}\n",
     "looks like an address and is none"},
    {"HexAddress", "version: 1\nnetwork: {allow: [\"0x7f.0x1\"]}\n",
     "looks like an address and is none"},
    {"Idn", "version: 1\nnetwork: {allow: [\"b\u00fccher.example\"]}\n", "write its xn-- form"},
    {"Method", "version: 1\nnetwork: {rules: [{host: a.example, methods: [get]}]}\n",
     "network.rules[0].methods[0]: 'get' is not an HTTP method"},
    {"SecretFrom", "version: 1\nsecrets: [{name: A, from: A, hosts: [a.example]}]\n",
     "secrets[0].from: 'A' is not a place where a secret comes from"},
    {"SecretHosts", "version: 1\nsecrets: [{name: A, from: \"env:A\", hosts: []}]\n",
     "secrets[0]: no host may get the secret"},
    {"SecretFormat",
     "version: 1\nsecrets: [{name: A, from: \"env:A\", hosts: [a.example], format: x}]\n",
     "does not hold {} exactly once"},
    {"EnvName", "version: 1\nenv: {set: {A-B: x}}\n",
     "env.set.A-B: 'A-B' is not the name of an environment variable"},
    {"EnvNumber", "version: 1\nenv: {set: {CI: 1}}\n",
     "env.set.CI: expected text, found the number 1 (put it in quotes: \"1\")"},
    {"GateWithoutHost", "version: 1\ngates: [{when: request}]\n",
     "gates[0]: a gate on requests needs a host"},
    {"GateMixed", "version: 1\ngates: [{when: dialog, name: x}]\n",
     "gates[0]: a name belongs to a gate on an action"},
    {"Fd", "version: 1\nprocess: {passFds: [1]}\n",
     "process.passFds[0]: '1' is not a whole number from 3"},
    {"Bool", "version: 1\nprocess: {nestedNamespaces: yes}\n",
     "expected true or false, found the text 'yes'"},
    {"Override", "version: 1\noverrides: [writable-hom]\n", "(did you mean 'writable-home'?)"},
    {"SocketGlob", "version: 1\nnetwork: {unixSockets: [\"/run/*.sock\"]}\n",
     "a socket is named without wildcards"},
};
INSTANTIATE_TEST_SUITE_P(Table, BadDocument, ::testing::ValuesIn(kBad),
                         [](const auto& param) { return std::string(param.param.name); });

class BadJson : public ::testing::TestWithParam<Bad> {};

TEST_P(BadJson, IsRefusedWithItsLine) {
  EXPECT_THAT(error_of(GetParam().text, "w.json"), HasSubstr(GetParam().message));
}

constexpr Bad kBadJson[] = {
    {"Nothing", "", "w.json:1: not valid JSON: a value is missing"},
    {"Trailing", "{\"version\": 1}\nx", "w.json:2: not valid JSON: text after the end"},
    {"TrailingComma", "{\"version\": 1,\n}",
     "w.json:2: not valid JSON: a key in quotes is missing"},
    {"Comment", "{\n// x\n\"version\": 1}", "w.json:2: not valid JSON: a key in quotes is missing"},
    {"SingleQuotes", "{'version': 1}", "a key in quotes is missing"},
    {"Duplicate", "{\"version\": 1,\n\"version\": 1}", "w.json:2: the key 'version' stands twice"},
    {"HalfSurrogate", "{\"\\ud800\": 1}", "half of a surrogate pair"},
    {"LeadingZero", "{\"version\": 01}", "'01' is no value"},
    {"BareWord", "{\"version\": one}", "'one' is no value (text stands in quotes)"},
    {"NotUtf8", "{\"\xff\": 1}", "the text is not UTF-8"},
    {"Deep", "[[[[[[[[[[[[[[[[[[[[[[[[", "nested deeper than 16 levels"},
    {"WrongType", "{\"version\": 1,\n \"filesystem\": {\n  \"denyRead\": [\n 1]}}",
     "w.json:4: filesystem.denyRead[0]: expected text, found the number 1"},
};
INSTANTIATE_TEST_SUITE_P(Table, BadJson, ::testing::ValuesIn(kBadJson),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Json, EscapesAndSurrogatePairsAreRead) {
  const Result<Node> node = read_json("x", R"({"a": "\u0041\ud83d\ude00\n\/"})");
  ASSERT_TRUE(node) << node.error().describe();
  EXPECT_EQ(node->find("a")->text, "A\xF0\x9F\x98\x80\n/");
}

TEST(Yaml, AVeryLongDocumentOfEmptyListsIsStopped) {
  std::string text = "version: 1\npublish: [";
  for (int i = 0; i < 500'000; ++i) text += "[],";
  EXPECT_THAT(error_of(text + "]\n"), HasSubstr("more than 400000 values"));
}

TEST(Yaml, OverridesOfAWorkspaceAreRefused) {
  const Result<Document> d =
      parse_document({"w.yaml", 0, Scope::workspace}, "version: 1\noverrides: [writable-home]\n");
  ASSERT_FALSE(d);
  EXPECT_THAT(d.error().describe(),
              HasSubstr("a workspace's file cannot accept findings about itself"));
}

TEST(Keys, EachRowTakesAValueOrHasRows) {
  std::set<std::string_view> seen;
  for (const KeyRow& row : key_rows()) {
    EXPECT_TRUE(seen.insert(row.path).second) << row.path;
    EXPECT_EQ(row.take == nullptr, row.shape == Shape::section) << row.path;
    EXPECT_FALSE(row.meaning.empty()) << row.path;
    EXPECT_EQ(row.example.empty(), row.shape == Shape::section) << row.path;
  }
}

// The example of each row is a value that the parser takes.
TEST(Keys, EachExampleParses) {
  for (const KeyRow& row : key_rows()) {
    if (row.shape == Shape::section || row.path.find('[') != std::string_view::npos) continue;
    const std::size_t dot = row.path.find('.');
    std::string text = row.path == "version" ? "" : "version: 1\n";
    text += dot == std::string_view::npos
                ? std::string(row.path) + ": " + std::string(row.example) + "\n"
                : std::string(row.path.substr(0, dot)) + ":\n  " +
                      std::string(row.path.substr(dot + 1)) + ": " + std::string(row.example) +
                      "\n";
    EXPECT_EQ(error_of(text), "no error") << text;
  }
}

}  // namespace
}  // namespace ward::policy
