// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Package managers and git at work with their preset alone, against registries that the test
// starts: the hosts come from the tools' own configuration, which nothing inside can write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/internet.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRegistry = "http://packages.site.example";

class PresetsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS(user_namespaces, seccomp_notify, tool("python3"), tool("openssl"), tool("ip"),
          tool("git"));
    lab_.emplace();
    WARD_NEEDS_INTERNET(*lab_);
    const std::string folder = lab_->www() + "/packages.site.example";
    const RunResult made =
        test::run({"python3", source_dir() + "/tests/support/registries.py", folder, kRegistry});
    ASSERT_EQ(made.status, 0) << made.err;
    app_ = folder + "/app";
    box_.process.deadline = std::chrono::seconds(110);
  }

  void use(const std::string& preset) {
    box_.set_policy("version: 1\nextends: workspace\nnetwork: {presets: [" + preset + "]}\n");
  }
  void works(const std::string& script) {
    const SandboxResult result = box_.run_command({"/bin/sh", "-ec", script});
    EXPECT_EQ(result.status, 0) << result.out << "\n" << result.err;
    EXPECT_THAT(result.out, HasSubstr("from the registry")) << result.err;
    // Only what was configured, and the registry has been asked.
    EXPECT_THAT(box_.run("curl -sS http://www.site.example/").out, Not(HasSubstr("hello")));
    EXPECT_THAT(lab_->log(), HasSubstr("packages.site.example"));
  }

  Sandbox box_;
  std::optional<Internet> lab_;
  std::string app_;
};

TEST_F(PresetsTest, NpmInstallsFromTheLockedRegistry) {
  NEEDS(tool("npm"));
  use("npm");
  box_.home_file(".npmrc", "registry=http://packages.site.example/npm/\n");
  for (const char* name : {"package.json", "package-lock.json"})
    box_.workspace_file(name, read_text(app_ + "/" + name));
  works("npm ci --no-audit --no-fund --no-update-notifier >&2; node -p \"require('demo')\"");
}

TEST_F(PresetsTest, PipInstallsFromTheConfiguredIndex) {
  NEEDS(tool("pip3"));
  use("pip");
  box_.home_file(".config/pip/pip.conf",
                 "[global]\nindex-url = http://packages.site.example/pip/simple\n"
                 "trusted-host = packages.site.example\ndisable-pip-version-check = true\n");
  works(
      "/usr/bin/pip3 install --target lib demo >&2; PYTHONPATH=lib /usr/bin/python3 -c 'import "
      "demo; print(demo.VALUE)'");
}

TEST_F(PresetsTest, CargoBuildsWithACrateOfTheConfiguredRegistry) {
  NEEDS(tool("cargo"), tool("rustc"));
  use("cargo");
  box_.home_file(
      ".cargo/config.toml",
      "[source.crates-io]\nreplace-with = \"own\"\n[source.own]\nregistry = "
      "\"sparse+http://packages.site.example/cargo/\"\n[unstable]\nsparse-registry = true\n");
  box_.workspace_file("Cargo.toml",
                      "[package]\nname = \"app\"\nversion = \"1.0.0\"\nedition = "
                      "\"2021\"\n[dependencies]\ndemo = \"1.0.0\"\n");
  box_.workspace_file("src/main.rs", "fn main() { println!(\"{}\", demo::value()); }\n");
  // Debian's; of sparse registries it knows with the switch of its nightly version only.
  works("RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo run");
}

TEST_F(PresetsTest, GoBuildsWithAModuleOfTheConfiguredProxy) {
  NEEDS(tool("go"));
  use("go");
  box_.home_file(".config/go/env", "GOPROXY=http://packages.site.example/go\nGOSUMDB=off\n");
  box_.workspace_file("go.mod", "module app\n\ngo 1.19\n\nrequire site.example/demo v1.0.0\n");
  box_.workspace_file("main.go",
                      "package main\n\nimport (\n\t\"fmt\"\n\t\"site.example/demo\"\n)\n\nfunc "
                      "main() { fmt.Println(demo.Value()) }\n");
  works("/usr/bin/go mod tidy >&2; /usr/bin/go run .");
}

TEST_F(PresetsTest, GitClonesFromAHostOfItsConfiguration) {
  use("git");
  box_.home_file(".gitconfig", "[url \"http://packages.site.example/git/\"]\n\tinsteadOf = own:\n");
  works("git clone -q own:demo.git clone; cat clone/README");
}

TEST_F(PresetsTest, APresetThatNamesNoHostRunsNothing) {
  use("npm");
  box_.process.env["PATH"] = "/nowhere";
  const SandboxResult result = box_.run("echo ran");
  EXPECT_EQ(result.status, 125);
  EXPECT_THAT(result.out, Not(HasSubstr("ran")));
  EXPECT_THAT(result.err,
              HasSubstr("policy.yaml:3: network.presets: the preset npm names no host"));
}

}  // namespace
}  // namespace ward::test
