// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The toolchains a coding agent uses do their work in a repository under the profile `workspace`
// without any configuration and without network, also from under the home folder.
#include <gtest/gtest.h>

#include "support/needs.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

// A sandbox whose workspace is a repository with one commit.
class Toolchain : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS(user_namespaces, tool("git"));
    sandbox_.home_file(".gitconfig", "[user]\n\tname = A Person\n\temail = person@localhost\n");
    sandbox_.workspace_file("README", "a project\n");
    ASSERT_EQ(
        sandbox_.outside("git init -q -b main . && git add README && git commit -qm 1").status, 0);
  }

  // The same script works outside too: first inside, so that what it leaves there is not needed.
  void works(const std::string& script) {
    sandbox_.process.deadline = std::chrono::seconds(300);
    EXPECT_EQ(sandbox_.run("set -e\n" + script).status, 0) << sandbox_.run("set -e\n" + script).err;
  }

  Sandbox sandbox_;
};

TEST_F(Toolchain, GitCommitsBranchesMergesAndStashes) {
  works(
      "echo a > a; git add a; git commit -qm a; git switch -qc side; echo b > b; git add b;"
      "git commit -qm b; git switch -q main; git merge -q side; echo c >> a; git stash -q;"
      "git stash pop -q; git log --oneline | grep -c . ; git status --short; git gc -q; git fsck");
}

TEST_F(Toolchain, GitInitAndCloneWorkInASubFolder) {
  works("git init -q sub && git clone -q . copy && cd copy && git log --oneline");
}

TEST_F(Toolchain, GccAndMakeBuildAndRun) {
  NEEDS(tool("gcc"), tool("make"));
  sandbox_.workspace_file("hello.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n");
  sandbox_.workspace_file("Makefile", "hello: hello.c\n\tgcc -o hello hello.c\n");
  works("make && ./hello | grep -qx hello");
}

TEST_F(Toolchain, CmakeConfiguresBuildsAndTests) {
  NEEDS(tool("gcc"), tool("cmake"), tool("make"));
  sandbox_.workspace_file("main.c", "int main(void) { return 0; }\n");
  sandbox_.workspace_file("CMakeLists.txt",
                          "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nenable_testing()\n"
                          "add_executable(p main.c)\nadd_test(NAME p COMMAND p)\n");
  works("cmake -S . -B out && cmake --build out -j2 && ctest --test-dir out");
}

TEST_F(Toolchain, NodeAndNpmRunScriptsAndInstallALocalPackage) {
  NEEDS(tool("node"), tool("npm"));
  sandbox_.workspace_file("dep/package.json", R"({"name": "dep", "version": "1.0.0"})");
  sandbox_.workspace_file("dep/index.js", "module.exports = 42;\n");
  sandbox_.workspace_file(
      "package.json", R"({"name": "p", "version": "1.0.0", "scripts": {"test": "node test.js"}})");
  sandbox_.workspace_file("test.js", "if (require('dep') !== 42) process.exit(1);\n");
  works("npm install --offline --no-audit --no-fund ./dep && npm test");
}

TEST_F(Toolchain, PythonMakesAVirtualEnvironmentAndPipInstallsIntoIt) {
  NEEDS(tool("python3"), tool("pip3"));
  sandbox_.workspace_file("test.py", "import sys\nassert sys.prefix != sys.base_prefix\n");
  works(
      "python3 -m venv env && env/bin/python test.py && env/bin/pip --version &&"
      " env/bin/pip download --no-index --no-deps pip 2>&1 | grep -q 'No matching' ");
}

TEST_F(Toolchain, JavaCompilesAndRuns) {
  NEEDS(tool("javac"), tool("java"));
  sandbox_.workspace_file("Hello.java",
                          "public class Hello { public static void main(String[] a) {"
                          " System.out.println(\"hello\"); } }\n");
  works("javac Hello.java && java Hello | grep -qx hello");
}

TEST_F(Toolchain, MavenReadsAProjectOffline) {
  NEEDS(tool("mvn"));
  sandbox_.workspace_file("pom.xml",
                          "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>"
                          "<artifactId>a</artifactId><version>1</version>"
                          "<packaging>pom</packaging></project>\n");
  works("mvn -o -q -B validate");
}

TEST_F(Toolchain, CargoBuildsAndTests) {
  NEEDS(tool("cargo"));
  sandbox_.workspace_file("Cargo.toml",
                          "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
  sandbox_.workspace_file("src/main.rs", "fn main() {}\n#[test]\nfn passes() {}\n");
  works("cargo build --offline && cargo test --offline && target/debug/p");
}

TEST_F(Toolchain, GoBuildsAndTests) {
  NEEDS(tool("go"));
  sandbox_.workspace_file("go.mod", "module p\n\ngo 1.19\n");
  sandbox_.workspace_file("main.go", "package main\n\nfunc main() {}\n");
  sandbox_.workspace_file("main_test.go",
                          "package main\n\nimport \"testing\"\n\nfunc TestPass(t *testing.T) {}\n");
  works("go build -o p . && ./p && go test ./...");
}

TEST_F(Toolchain, ToolsUnderTheHomeFolderRun) {
  for (const char* tool : {".nvm/versions/node/v1/bin/tool", ".pyenv/versions/1/bin/tool",
                           ".rustup/toolchains/stable/bin/tool", ".local/bin/tool"}) {
    const std::string path = sandbox_.home_file(tool, "#!/bin/sh\necho ran\n");
    ASSERT_EQ(run({"chmod", "755", path}).status, 0);
    EXPECT_EQ(sandbox_.run("~/" + std::string(tool)).out, "ran\n") << tool;
  }
}

}  // namespace
}  // namespace ward::test
