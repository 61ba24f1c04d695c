// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The toolchains a coding agent uses do their work in a repository under the profile `workspace`
// without any configuration and without network: a home folder without any cache, so that every
// tool has to make its own. Each script is a project of its own, made by the script.
#include <gtest/gtest.h>

#include <filesystem>

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
    sandbox_.process.deadline = std::chrono::seconds(110);
  }

  // What the host has before the run.
  void makes(const std::string& script) {
    const RunResult result = test::run({"/bin/sh", "-ec", script}, sandbox_.process_options());
    ASSERT_EQ(result.status, 0) << result.err;
  }

  // Every command of the script succeeds inside.
  void works(const std::string& script) {
    const RunResult result = sandbox_.run_command({"/bin/sh", "-ec", script});
    EXPECT_EQ(result.status, 0) << script << "\n" << result.out << "\n" << result.err;
  }

  Sandbox sandbox_;
};

TEST_F(Toolchain, GitCommitsMergesRebasesAndStashes) {
  works(R"text(
    echo a > a; git add a; git commit -qm a
    git switch -qc side; echo b > b; git add b; git commit -qm b
    git switch -q main; echo c > c; git add c; git commit -qm c
    git merge -q -m merged side
    git switch -qc topic HEAD~1; echo d > d; git add d; git commit -qm d; git rebase -q main
    git switch -q main; git merge -q --ff-only topic
    git reset -q --hard; git tag -a -m v1 v1
    echo c >> a; git stash -q; test "$(cat a)" = a; git stash pop -q; git checkout -q -- a
    git worktree add -q tree -b other; (cd tree; echo w > w; git add w; git commit -qm w)
    git worktree remove tree
    git gc -q; git repack -adq; git fsck --full
    test -z "$(git status --short)"
    git log --format=%s -1 other | grep -qx w)text");
}

TEST_F(Toolchain, GitMakesRepositoriesWithSubmodulesInSubFolders) {
  works(R"text(
    git init -q sub; (cd sub; git config core.abbrev 8; echo a > a; git add a; git commit -qm s)
    git clone -q . copy; git clone -q --depth 1 "file://$PWD" shallow; git clone -q --bare . bare.git
    cd copy
    echo z > z; git add z; git commit -qm z; git push -q origin HEAD:refs/heads/pushed
    git fetch -q; git pull -q; git remote add second ../sub
    git -c protocol.file.allow=always submodule --quiet add ../sub module 2>/dev/null ||
      git -c protocol.file.allow=always submodule --quiet add "$PWD/../sub" module
    git commit -qm module; git submodule status | grep -q module
    cd ..; git log -1 --format=%s pushed | grep -qx z)text");
}

TEST_F(Toolchain, GccMakeAndCmakeBuildAndTest) {
  NEEDS(tool("gcc"), tool("cmake"), tool("make"));
  sandbox_.workspace_file("CMakeLists.txt",
                          "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nenable_testing()\n"
                          "find_package(Threads REQUIRED)\nadd_library(lib SHARED lib.c)\n"
                          "add_executable(p main.c)\ntarget_link_libraries(p lib)\n"
                          "add_test(NAME p COMMAND p)\n");
  works(R"text(
    echo 'int f(void) { return 0; }' > lib.c
    printf 'int f(void);\nint main(void) { return f(); }\n' > main.c
    printf 'p: main.c lib.c\n\tgcc -g -o p main.c lib.c\n' > Makefile
    make -j2; ./p
    cmake -S . -B out -G 'Unix Makefiles'; cmake --build out -j2; ctest --test-dir out)text");
}

TEST_F(Toolchain, NinjaBuildsThroughCcache) {
  NEEDS(tool("gcc"), tool("cmake"), tool("ninja"), tool("ccache"));
  sandbox_.workspace_file("CMakeLists.txt",
                          "cmake_minimum_required(VERSION 3.20)\nproject(p C)\n"
                          "add_executable(p main.c)\n");
  works(R"text(
    echo 'int main(void) { return 0; }' > main.c
    cmake -S . -B out -G Ninja -DCMAKE_C_COMPILER_LAUNCHER=ccache
    ninja -C out; ninja -C out -t clean; ninja -C out; out/p
    ccache --show-stats | grep -q Hits)text");
}

// The same where the host has a cache: it is the one that is used.
TEST_F(Toolchain, CcacheUsesTheCacheOfTheHomeFolder) {
  NEEDS(tool("gcc"), tool("ccache"));
  sandbox_.home_file(".cache/ccache/ccache.conf", "");
  works("echo 'int x;' > x.c; ccache gcc -c x.c; test -n \"$(find ~/.cache/ccache -name stats)\"");
}

TEST_F(Toolchain, NpmInstallsFromFilesAndFromALock) {
  NEEDS(tool("node"), tool("npm"));
  sandbox_.home_file(".npmrc", "//localhost/:_authToken=secret\n");  // hidden, and npm goes on
  works(R"text(
    mkdir lib packed
    echo '{"name": "lib", "version": "1.0.0", "main": "i.js", "bin": {"lib-command": "c.js"}}' \
      > lib/package.json
    echo 'module.exports = 42' > lib/i.js
    printf '#!/usr/bin/env node\nconsole.log("ran")\n' > lib/c.js; chmod +x lib/c.js
    echo '{"name": "packed", "version": "2.0.0"}' > packed/package.json
    echo 'module.exports = 7' > packed/index.js
    echo 'if (require("lib") + require("packed") !== 49) process.exit(3)' > test.js
    export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
    (cd packed; npm pack --silent --pack-destination ..)
    npm init -y
    npm pkg set 'scripts.test=node test.js && lib-command'
    npm install ./packed-2.0.0.tgz ./lib
    npm test | grep -qx ran
    rm -r node_modules; npm ci; npm test)text");
}

TEST_F(Toolchain, NodeUsesThreadsProcessesSocketsAndWatches) {
  NEEDS(tool("node"));
  sandbox_.workspace_file("all.js", R"text(
const { Worker } = require("worker_threads"), fs = require("fs"), net = require("net");
require("child_process").execSync("true");
require("crypto").randomBytes(8);
const worker = new Promise((done) => new Worker("", { eval: true }).on("exit", done));
const watch = new Promise((done) => {
  const watcher = fs.watch(".", () => { watcher.close(); done(); });
  fs.writeFileSync("written", "");
});
const connect = (where) => new Promise((done) => {
  const server = net.createServer((s) => s.end()).listen(where, () => {
    net.connect(server.address().port || where).on("close", () => server.close(done)).resume();
  });
});
Promise.all([worker, watch, connect(0), connect("socket")]).then(() => console.log("all done"));
)text");
  works("node all.js | grep -qx 'all done'");
}

TEST_F(Toolchain, PipInstallsASourceArchiveIntoAVirtualEnvironment) {
  NEEDS(tool("python3"), tool("pip3"));
  works(R"text(
    mkdir -p package/thing; echo 'VALUE = 42' > package/thing/__init__.py
    printf 'from setuptools import setup\nsetup(name="thing", version="1.0", packages=["thing"])\n' \
      > package/setup.py
    python3 -m venv env
    (cd package; ../env/bin/python setup.py -q sdist)
    env/bin/pip install -q --no-index --no-build-isolation package/dist/thing-1.0.tar.gz
    env/bin/python -c 'import thing; assert thing.VALUE == 42')text");
}

TEST_F(Toolchain, PythonUsesProcessesSharedMemoryLoopsAndDatabases) {
  NEEDS(tool("python3"));
  sandbox_.workspace_file("test_all.py", R"text(
import asyncio, concurrent.futures, multiprocessing, sqlite3, unittest
from multiprocessing import shared_memory

def square(x): return x * x

class All(unittest.TestCase):
    def test_pool_and_forkserver(self):
        with multiprocessing.Pool(2) as pool: self.assertEqual(pool.map(square, [1, 2]), [1, 4])
        context = multiprocessing.get_context("forkserver")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            self.assertEqual(list(pool.map(square, [3])), [9])
    def test_manager(self):
        with multiprocessing.Manager() as manager: manager.dict()[1] = 2
    def test_shared_memory(self):
        memory = shared_memory.SharedMemory(create=True, size=4096)
        memory.buf[0] = 1; memory.close(); memory.unlink()
    def test_asyncio(self):
        async def go():
            child = await asyncio.create_subprocess_exec("true")
            self.assertEqual(await child.wait(), 0)
            server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.close(); server.close()
            server = await asyncio.start_unix_server(lambda r, w: w.close(), "socket")
            _, writer = await asyncio.open_unix_connection("socket")
            writer.close(); server.close()
        asyncio.run(go())
    def test_sqlite(self):
        database = sqlite3.connect("x.db")
        database.execute("pragma journal_mode=wal"); database.execute("create table t(a)")
        database.commit(); database.close()
)text");
  works("python3 -m unittest -q test_all");
}

TEST_F(Toolchain, JavaCompilesPacksAndRuns) {
  NEEDS(tool("javac"), tool("java"));
  sandbox_.workspace_file("src/Hello.java", R"text(
import java.net.*;
import java.nio.file.*;
public class Hello {
  public static void main(String[] a) throws Exception {
    Files.delete(Files.createTempFile("x", "y"));
    try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      new Socket(s.getInetAddress(), s.getLocalPort()).close();
    }
    if (new ProcessBuilder("true").start().waitFor() != 0) System.exit(4);
    System.out.println("hello");
  }
})text");
  works(R"text(
    javac -d classes src/Hello.java; jar cfe hello.jar Hello -C classes .
    java -jar hello.jar | grep -qx hello)text");
}

TEST_F(Toolchain, MavenValidatesWithoutARepository) {
  NEEDS(tool("mvn"));
  sandbox_.workspace_file("pom.xml",
                          "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>"
                          "<artifactId>a</artifactId><version>1</version>"
                          "<packaging>pom</packaging></project>\n");
  works("mvn -o -q -B validate");
}

// The plugins of Debian's packages stand for a repository that earlier builds have filled.
TEST_F(Toolchain, MavenCompilesAndPacksFromTheRepositoryOfTheHomeFolder) {
  NEEDS(tool("mvn"), maven_plugins);
  makes("mkdir ~/.m2; cp -rs /usr/share/maven-repo ~/.m2/repository");
  sandbox_.home_file(".m2/repository/org/junit/junit-bom/debian/junit-bom-debian.pom",
                     "<project><modelVersion>4.0.0</modelVersion><groupId>org.junit</groupId>"
                     "<artifactId>junit-bom</artifactId><version>debian</version>"
                     "<packaging>pom</packaging></project>\n");
  // Java takes the home folder from the password file, which does not know the test's.
  sandbox_.process.env["MAVEN_OPTS"] = "-Duser.home=" + sandbox_.home();
  sandbox_.workspace_file("src/main/java/g/A.java",
                          "package g;\npublic class A { public static void main(String[] a) {"
                          " System.out.println(\"built\"); } }\n");
  sandbox_.workspace_file("pom.xml",
                          "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>"
                          "<artifactId>a</artifactId><version>1</version><properties>"
                          "<maven.compiler.source>11</maven.compiler.source>"
                          "<maven.compiler.target>11</maven.compiler.target>"
                          "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>"
                          "</properties></project>\n");
  works(R"text(
    plugins=org.apache.maven.plugins
    mvn -o -q -B $plugins:maven-resources-plugin:3.3.0:resources \
      $plugins:maven-compiler-plugin:3.10.1:compile $plugins:maven-jar-plugin:3.3.0:jar
    java -cp target/a-1.jar g.A | grep -qx built)text");
}

constexpr const char* kCargoProject = R"text(
    mkdir -p vendor/vendored/src .cargo
    printf '[package]\nname = "vendored"\nversion = "1.0.0"\n' > vendor/vendored/Cargo.toml
    echo 'pub fn two() -> u32 { 2 }' > vendor/vendored/src/lib.rs
    echo '{"files": {}}' > vendor/vendored/.cargo-checksum.json
    printf '[source.crates-io]\nreplace-with = "v"\n[source.v]\ndirectory = "vendor"\n' \
      > .cargo/config.toml
    cargo new -q --vcs none app; cargo new -q --lib --vcs none dep; cd app
    printf 'dep = { path = "../dep" }\nvendored = "1"\n' >> Cargo.toml
    printf '/// ```\n/// assert_eq!(dep::add(1, 2), 3);\n/// ```\n' > ../dep/src/lib.rs
    echo 'pub fn add(a: u32, b: u32) -> u32 { a + b }' >> ../dep/src/lib.rs
    echo 'fn main() { println!("{}", dep::add(2, vendored::two())); }' > src/main.rs
    printf '#[test]\nfn passes() {}\n' >> src/main.rs
    cargo build -q --offline; target/debug/app | grep -qx 4
)text";

TEST_F(Toolchain, CargoBuildsAndTestsWithPathAndVendoredCrates) {
  NEEDS(tool("cargo"));
  works(kCargoProject);
  works("cd app; cargo test -q --offline; cd ../dep; cargo test -q");
}

TEST_F(Toolchain, GoBuildsTestsAndFillsItsModuleCache) {
  NEEDS(tool("go"), tool("python3"));
  sandbox_.workspace_file("go.mod",
                          "module example.invalid/p\n\ngo 1.19\n\n"
                          "require (\n\texample.invalid/far v1.0.0\n\texample.invalid/dep v0.0.0\n"
                          ")\n\nreplace example.invalid/dep => ./dep\n");
  sandbox_.workspace_file("main.go", R"text(package main

import (
	"example.invalid/dep"
	"example.invalid/far"
	"net"
)

func main() {
	if listener, err := net.Listen("tcp", "127.0.0.1:0"); err != nil || dep.V+far.V != 42 {
		panic(listener)
	}
}
)text");
  sandbox_.workspace_file("main_test.go",
                          "package main\n\nimport \"testing\"\n\nfunc TestMain1(t *testing.T) { "
                          "main() }\n");
  // A module proxy that is a folder.
  sandbox_.workspace_file("pack.py", R"text(
import os, zipfile
os.makedirs("proxy/example.invalid/far/@v")
base, mod = "proxy/example.invalid/far/@v/v1.0.0", "module example.invalid/far\n"
with zipfile.ZipFile(base + ".zip", "w") as z:
    z.writestr("example.invalid/far@v1.0.0/go.mod", mod)
    z.writestr("example.invalid/far@v1.0.0/far.go", "package far\n\nconst V = 40\n")
open(base + ".mod", "w").write(mod)
open(base + ".info", "w").write('{"Version": "v1.0.0"}')
)text");
  works(R"text(
    mkdir dep; printf 'module example.invalid/dep\n' > dep/go.mod
    printf 'package dep\n\nconst V = 2\n' > dep/dep.go
    python3 pack.py
    export GOFLAGS=-mod=mod GOSUMDB=off GOPROXY="file://$PWD/proxy"
    go build -o p .; ./p
    export GOPROXY=off
    go test ./...; go vet ./...)text");
}

// --- from under the home folder ---

TEST_F(Toolchain, NvmsNodeAndNpmWork) {
  NEEDS(tool("node"), tool("npm"));
  makes(R"text(
    cd ~; mkdir -p .nvm/versions/node/v1/bin .nvm/versions/node/v1/lib/node_modules
    cd .nvm/versions/node/v1; cp -L "$(command -v node)" bin
    npm=$(readlink -f "$(command -v npm)")
    ln -s "${npm%/bin/*}" lib/node_modules/npm
    ln -s ../lib/node_modules/npm/bin/npm-cli.js bin/npm)text");
  sandbox_.process.env["NVM_DIR"] = sandbox_.home() + "/.nvm";
  sandbox_.process.env["PATH"] = sandbox_.home() + "/.nvm/versions/node/v1/bin:/usr/bin:/bin";
  works(R"text(
    node -p process.execPath | grep -q /.nvm/
    echo '{"name": "p", "version": "1.0.0", "scripts": {"x": "command -v node"}}' > package.json
    npm run x | grep -q /.nvm/)text");
}

TEST_F(Toolchain, PyenvsPythonWorksThroughItsShim) {
  NEEDS(tool("python3"), tool("pip3"));
  makes(R"text(
    mkdir -p ~/.pyenv/versions/3/bin ~/.pyenv/versions/3/lib ~/.pyenv/shims
    cp -L /usr/bin/python3 ~/.pyenv/versions/3/bin
    ln -s "$(/usr/bin/python3 -c 'import os; print(os.path.dirname(os.__file__))')" \
      ~/.pyenv/versions/3/lib
    echo 3 > ~/.pyenv/version
    printf '#!/bin/sh\nread -r v < "$PYENV_ROOT/version"\n' > ~/.pyenv/shims/python3
    echo 'exec "$PYENV_ROOT/versions/$v/bin/python3" "$@"' >> ~/.pyenv/shims/python3
    chmod 755 ~/.pyenv/shims/python3)text");
  sandbox_.process.env["PYENV_ROOT"] = sandbox_.home() + "/.pyenv";
  sandbox_.process.env["PATH"] = sandbox_.home() + "/.pyenv/shims:/usr/bin:/bin";
  works(R"text(
    python3 -c 'import ssl, sys; assert "/.pyenv/" in sys.prefix, sys.prefix'
    python3 -m venv --without-pip env
    env/bin/python -c 'import sys; assert "/.pyenv/" in sys.base_prefix, sys.base_prefix')text");
}

TEST_F(Toolchain, RustupsCargoWorksThroughItsProxy) {
  NEEDS(tool("cargo"), tool("rustc"));
  makes(R"text(
    mkdir -p ~/.rustup/toolchains/stable/bin ~/.rustup/toolchains/stable/lib ~/.cargo/bin
    cp -L "$(command -v cargo)" "$(command -v rustc)" ~/.rustup/toolchains/stable/bin
    ln -s "$(rustc --print sysroot)/lib/rustlib" ~/.rustup/toolchains/stable/lib
    echo stable > ~/.rustup/default
    printf '#!/bin/sh\nread -r t < ~/.rustup/default\n' > ~/.cargo/bin/cargo
    echo 'exec ~/.rustup/toolchains/$t/bin/${0##*/} "$@"' >> ~/.cargo/bin/cargo
    chmod 755 ~/.cargo/bin/cargo; ln -s cargo ~/.cargo/bin/rustc)text");
  sandbox_.process.env["PATH"] = sandbox_.home() + "/.cargo/bin:/usr/bin:/bin";
  works(kCargoProject);
}

TEST_F(Toolchain, JavaAndGoBelowTheHomeFolderRun) {
  NEEDS(tool("java"), tool("go"));
  makes(R"text(
    mkdir -p ~/.sdkman/candidates/java ~/sdk
    java=$(readlink -f "$(command -v java)")
    ln -s "${java%/bin/java}" ~/.sdkman/candidates/java/current
    ln -s "$(go env GOROOT)" ~/sdk/go)text");
  sandbox_.process.env["JAVA_HOME"] = sandbox_.home() + "/.sdkman/candidates/java/current";
  sandbox_.process.env["PATH"] = sandbox_.home() +
                                 "/.sdkman/candidates/java/current/bin:" + sandbox_.home() +
                                 "/sdk/go/bin:/usr/bin:/bin";
  works(R"text(
    command -v java | grep -q /.sdkman/; java -version; "$JAVA_HOME/bin/java" -version
    command -v go | grep -q /sdk/
    printf 'package main\n\nfunc main() {}\n' > m.go; go run m.go)text");
}

TEST_F(Toolchain, AnUnknownToolOfPathRunsWithTheLibraryBesideIt) {
  NEEDS(tool("gcc"));
  makes(R"text(
    mkdir -p ~/opt/tool/bin ~/opt/tool/lib ~/opt/other; echo private > ~/opt/other/file
    cd ~/opt/tool
    echo 'int f(void) { return 7; }' | gcc -shared -fPIC -xc -o lib/libf.so -
    echo 'int f(void); int main(void) { return f(); }' |
      gcc -xc -o bin/seven - -Llib -lf '-Wl,-rpath,$ORIGIN/../lib')text");
  EXPECT_EQ(sandbox_.outside("~/opt/tool/bin/seven").status, 7);
  EXPECT_NE(sandbox_.run("~/opt/tool/bin/seven").status, 7);  // not in PATH: hidden as all of home
  sandbox_.process.env["PATH"] = sandbox_.home() + "/opt/tool/bin:/usr/bin:/bin";
  EXPECT_EQ(sandbox_.run("seven").status, 7);
  EXPECT_NE(sandbox_.run("cat ~/opt/other/file").status, 0);
  EXPECT_EQ(sandbox_.outside("cat ~/opt/other/file").out, "private\n");
}

}  // namespace
}  // namespace ward::test
