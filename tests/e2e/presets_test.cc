// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Each package manager, and git over HTTPS and SSH, with its preset alone: it fetches from where
// the person's own configuration says, through an untouched tunnel, and from nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "support/internet.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct HomeFile {
  const char* name;
  std::string content;
};

struct Client {
  const char* what;
  const char* preset;
  std::vector<Need> needs;
  const char* host;   // of the configuration
  const char* other;  // which it does not name
  std::vector<HomeFile> home;
  // $1 is empty, or what sends the same command to the other host.
  std::string script;
  const char* elsewhere;
  int port = 443;
  bool java = false, ssh = false;
};

void PrintTo(const Client& client, std::ostream* out) { *out << client.what; }

// Not in an ordinary user's PATH.
Need sshd() {
  return {"tool(sshd)", [] {
            return ::access("/usr/sbin/sshd", X_OK) == 0 ? "" : "openssh-server is not installed";
          }};
}

// ssh wants the name of whoever starts it, and looks for no HOME.
Need own_name() {
  return {"own_name",
          [] { return ::getpwuid(::geteuid()) ? "" : "the password file does not know this id"; }};
}

// The plugins that Debian packages, and a dependency of the lab's.
constexpr const char* kPom =
    "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId>"
    "<version>1</version><properties><maven.compiler.source>11</maven.compiler.source>"
    "<maven.compiler.target>11</maven.compiler.target>"
    "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>"
    "<dependencies><dependency><groupId>lab</groupId><artifactId>left</artifactId>"
    "<version>1.0</version></dependency></dependencies><build><plugins>"
    "<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>"
    "<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>"
    "<plugin><artifactId>maven-jar-plugin</artifactId><version>3.3.0</version></plugin>"
    "<plugin><artifactId>maven-surefire-plugin</artifactId><version>3</version><executions>"
    "<execution><id>default-test</id><phase>none</phase></execution></executions></plugin>"
    "</plugins></build></project>\n";

constexpr const char* kCargoBuild =
    "rm -rf app; cargo new -q --vcs none app; cd app; echo 'left = \"1\"' >> Cargo.toml; "
    "echo 'fn main() { println!(\"{}\", left::VALUE); }' > src/main.rs; cargo build -q $1; "
    "test $(target/debug/app) = 42";

// Of a registry whose index is here.
std::string cargo_config(const std::string& index) {
  return "[source.crates-io]\nreplace-with = \"lab\"\n[source.lab]\nregistry = \"" + index +
         "\"\n[net]\nretry = 0\n";
}

std::vector<Client> clients() {
  return {
      {"npm",
       "npm",
       {need::tool("npm"), need::tool("node")},
       "npm.site.example",
       "npm.evil.example",
       {{".npmrc",
         "registry=https://npm.site.example/\ncafile=/etc/ssl/certs/ca-certificates.crt\n"
         "//npm.site.example/:_authToken=secret\n@own:registry=https://npm.site.example/own/\n"}},
       // The machine's own configuration does not help: what the hidden file says must arrive.
       "export NPM_CONFIG_GLOBALCONFIG=/none NODE_EXTRA_CA_CERTS=; "
       "export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false "
       "npm_config_fetch_retries=0; rm -rf project new; mkdir project; cd project; "
       "echo '{\"dependencies\": {\"left\": \"1.0.0\"}}' > package.json; "
       "npm install $1; rm -r node_modules; npm ci --cache ../new $1; "
       "test $(node -p 'require(\"left\")') = 42",
       "--registry=https://npm.evil.example/"},
      {"pip",
       "pip",
       {need::tool("pip3")},
       "pip.site.example",
       "pip.evil.example",
       {{".config/pip/pip.conf",
         "[global]\nindex-url = https://pip.site.example/simple\ncert = "
         "/etc/ssl/certs/ca-certificates.crt\n"}},
       "rm -rf site; python3 -m pip install -q --target site --retries 0 --no-cache-dir "
       "--disable-pip-version-check $1 left source; PYTHONPATH=site python3 -c "
       "'import left, source; assert left.VALUE + source.VALUE == 42'",
       "--index-url=https://pip.evil.example/simple"},
      {"cargo",
       "cargo",
       {need::tool("cargo")},
       "cargo.site.example",
       "cargo.evil.example",
       {{".cargo/config.toml", cargo_config("https://cargo.site.example/index.git")}},
       kCargoBuild,
       "--config=source.lab.registry=\"https://cargo.evil.example/index.git\""},
      {"cargo_with_a_sparse_index",
       "cargo",
       {need::tool("cargo")},
       "cargo.site.example",
       "cargo.evil.example",
       {{".cargo/config.toml", cargo_config("sparse+https://cargo.site.example/index/") +
                                   "[unstable]\nsparse-registry = true\n"}},
       // A cargo before 1.68 knows such an index with the switch of its nightly version only.
       std::string("export RUSTC_BOOTSTRAP=1; ") + kCargoBuild,
       "--config=source.lab.registry=\"sparse+https://cargo.evil.example/index/\""},
      {"maven",
       "maven",
       {need::tool("mvn"), need::tool("keytool"), need::maven_plugins},
       "maven.site.example",
       "maven.evil.example",
       {{".m2/settings.xml",
         "<settings><mirrors><mirror><id>lab</id><mirrorOf>*</mirrorOf>"
         "<url>https://maven.site.example/repository</url></mirror></mirrors></settings>\n"}},
       std::string("cat > pom.xml <<'END'\n") + kPom +
           "END\n"
           "mkdir -p src/main/java; echo 'class A {}' > src/main/java/A.java; rm -rf target repo; "
           "sed s/site/evil/ ~/.m2/settings.xml > other.xml; "
           "mvn -q -B -Dmaven.repo.local=$PWD/repo $1 package; unzip -l target/a-1.jar | grep -q "
           "A.class; test -e repo/lab/left/1.0/left-1.0.jar",
       "--settings=other.xml",
       443,
       true},
      {"go",
       "go",
       {need::tool("go")},
       "go.site.example",
       "go.evil.example",
       {{".config/go/env", "GOPROXY=https://go.site.example\nGOSUMDB=off\nGOFLAGS=-mod=mod\n"}},
       "export GOMODCACHE=$PWD/modules$1; rm -rf app; mkdir app; cd app; "
       "printf 'module example.invalid/app\\ngo 1.19\\nrequire example.invalid/left v1.0.0\\n' "
       "> go.mod; printf 'package main\\nimport \"example.invalid/left\"\\nfunc main() { "
       "println(left.V) }\\n' > main.go; test -z \"$1\" || export GOPROXY=$1; "
       "go build -o app . && test $(./app 2>&1) = 42",
       "https://go.evil.example"},
      {"git_over_https",
       "git",
       {need::tool("git")},
       "code.site.example",
       "code.evil.example",
       {{".gitconfig", "[credential \"https://code.site.example\"]\n\tusername = person\n"}},
       "rm -rf left; git clone -q https://${1:-code.site.example}/left.git; "
       "test $(cat left/value) = 42",
       "code.evil.example"},
      {"git_over_ssh",
       "git",
       {need::tool("git"), need::tool("ssh"), sshd(), own_name()},
       "code.site.example",
       "code.evil.example",
       {{".gitconfig",
         "[url \"ssh://code.site.example/\"]\n\tinsteadOf = code:\n[core]\n\tsshCommand = ssh -F "
         "none -o BatchMode=yes -i deploy_key -o UserKnownHostsFile=known_hosts\n"}},
       "rm -rf left; git clone -q ${1:-code.site.example}:left.git; test $(cat left/value) = 42",
       "code.evil.example",
       22,
       false,
       true},
  };
}

class PresetsTest : public testing::TestWithParam<Client> {
 protected:
  void SetUp() override {
    NEEDS(user_namespaces, seccomp_notify, tool("python3"), tool("openssl"), tool("ip"),
          tool("git"));
    for (const Need& one : GetParam().needs)
      if (const std::string unmet = first_unmet({one}); !unmet.empty())
        GTEST_SKIP() << "needs " << unmet;
    lab_.emplace();
    lab_->open_registries();
    if (GetParam().java) lab_->make_java_trust_it();
    if (GetParam().ssh) lab_->open_ssh();
    WARD_NEEDS_INTERNET(*lab_);
    for (const HomeFile& file : GetParam().home) box_.home_file(file.name, file.content);
    if (GetParam().ssh) {
      const std::string key = box_.workspace_file("deploy_key", read_text(lab_->ssh_key()));
      std::filesystem::permissions(key, std::filesystem::perms::owner_read);
      box_.workspace_file("known_hosts", lab_->ssh_known_hosts());
    }
    // Java takes the home folder from the password file, which does not know the test's.
    box_.process.env["MAVEN_OPTS"] =
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Duser.home=" + box_.home();
    box_.process.deadline = std::chrono::seconds(110);
    box_.set_policy(std::string("version: 1\nextends: workspace\nnetwork: {presets: [") +
                    GetParam().preset + "]}\n");
  }

  static std::vector<std::string> command(const char* argument) {
    return {"/bin/sh", "-ec", GetParam().script, "sh", argument};
  }
  std::string log_after(const std::string& before) const {
    return lab_->log().substr(before.size());
  }
  json egress() const {
    const RunResult result = run_ward({"audit", "egress", "--json"}, box_.process_options());
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  Sandbox box_;
  std::optional<Internet> lab_;
};

TEST_P(PresetsTest, WorksWithItsPresetAlone) {
  const SandboxResult result = box_.run_command(command(""));
  EXPECT_EQ(result.status, 0) << result.out << result.err << lab_->log();
  EXPECT_EQ(result.report.value("/denials/list"_json_pointer, json::array()).size(), 0U)
      << result.report["denials"];
  bool reached = false;
  for (const json& record : egress()) {
    const json& payload = record["payload"];
    EXPECT_EQ(payload["verdict"], "allowed") << record;
    if (payload["what"] != "connection") continue;
    reached = true;
    EXPECT_EQ(payload["host"], GetParam().host) << record;
    EXPECT_EQ(payload["port"], GetParam().port) << record;
    EXPECT_THAT(payload["rule"].get<std::string>(),
                HasSubstr(std::string("preset ") + GetParam().preset));
  }
  EXPECT_TRUE(reached);
}

TEST_P(PresetsTest, ReachesNoOtherHostWhileItDoesOutside) {
  const std::string mark = std::string(GetParam().ssh ? "ssh " : "sni ") + GetParam().other;
  const SandboxResult result = box_.run_command(command(GetParam().elsewhere));
  EXPECT_NE(result.status, 0) << result.out;
  EXPECT_THAT(lab_->log(), Not(HasSubstr(GetParam().other)));
  EXPECT_THAT(result.report["denials"].dump(), HasSubstr(GetParam().other)) << result.err;
  bool recorded = false;
  for (const json& record : egress())
    recorded = recorded || (record["payload"]["verdict"] == "denied" &&
                            record["payload"]["host"] == GetParam().other);
  EXPECT_TRUE(recorded) << egress();
  const RunResult outside = test::run(command(GetParam().elsewhere), box_.process_options());
  EXPECT_EQ(outside.status, 0) << "the control: " << outside.out << outside.err;
  EXPECT_THAT(lab_->log(), HasSubstr(mark));
}

TEST(Presets, APresetThatNamesNoHostRunsNothing) {
  NEEDS(user_namespaces, seccomp_notify);
  Sandbox box;
  box.set_policy("version: 1\nextends: workspace\nnetwork: {presets: [npm]}\n");
  box.process.env["PATH"] = "/nowhere";
  const SandboxResult result = box.run("echo ran");
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.out, Not(HasSubstr("ran")));
  EXPECT_THAT(result.err,
              HasSubstr("policy.yaml:3: network.presets: the preset npm names no host"));
}

INSTANTIATE_TEST_SUITE_P(Clients, PresetsTest, testing::ValuesIn(clients()),
                         [](const auto& instance) { return std::string(instance.param.what); });

}  // namespace
}  // namespace ward::test
