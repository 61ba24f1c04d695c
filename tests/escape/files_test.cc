// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Files: nothing outside of the workspace changes by any call, and nothing hidden is read by any
// name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/attack.h"
#include "support/needs.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Every way to change a file but for its plain opening, as scripts of a shell; $F is the file.
constexpr const char* kChanges[] = {
    "echo x > $F",
    "echo x >> $F",
    "./attack open-again $F",
    "./attack truncate $F",
    "./attack chmod $F",
    "./attack change-flags $F",
    "touch -d 2000-01-01 $F",
    "mv $F taken",
    "rm -f $F",
    "ln -f wsfile $F",
    "ln -sf wsfile $F",
    "mv -T wsfile $F",
    "cp --reflink=auto wsfile $F",
    "(exec 3<$F; echo x > /proc/self/fd/3)",
    "(cd ${F%/*}; echo x > new)",
    "mkdir ${F%/*}/new",
    "ln -s ${F%/*} way; echo x > way/file; rm -f way",
    "echo x > /proc/self/cwd/../file",
    "echo x > /proc/1/root/$F",
    "echo x > /proc/self/root$F",
};

TEST(EscapeFiles, NothingOutsideOfTheWorkspaceChanges) {
  AttackSandbox sandbox;
  std::string file = sandbox.home_file("file", "as it was");
  sandbox.set_policy("version: 1\nextends: workspace\nfilesystem: {allowRead: [~]}\n");
  sandbox.workspace_file("wsfile", "other");
  struct stat before = {}, after = {};
  ASSERT_EQ(::stat(file.c_str(), &before), 0);
  std::string script = "F=" + file + "; ";
  for (const char* change : kChanges) script += std::string(change) + "; ";
  EXPECT_EQ(sandbox.run(script + "echo over").out.find("over") == std::string::npos, false);
  ASSERT_EQ(::stat(file.c_str(), &after), 0);
  EXPECT_EQ(read_text(file), "as it was");
  EXPECT_EQ(after.st_ctim.tv_sec, before.st_ctim.tv_sec);
  EXPECT_EQ(after.st_ctim.tv_nsec, before.st_ctim.tv_nsec);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_nlink, before.st_nlink);
  EXPECT_FALSE(fs::exists(sandbox.home() + "/new"));
  sandbox.outside("F=" + file + "; ./attack open-again $F");
  EXPECT_EQ(read_text(file), "");
}

TEST(EscapeFiles, AHiddenFileIsReadByNoName) {
  AttackSandbox sandbox;
  std::string key = sandbox.home_file("vault/key", "the secret");
  sandbox.set_policy(
      "version: 1\nextends: workspace\nfilesystem: {allowRead: [~], denyRead: [~/vault]}\n");
  sandbox.workspace_file(".env", "the secret");
  sandbox.workspace_file("sub/.env", "the secret");
  SandboxResult result = sandbox.run(
      "for f in ~/vault/key .env sub/.env /proc/self/root/$HOME/vault/key /proc/self/cwd/.env "
      "./sub/../sub/.env; do cat $f; head -c 20 < $f; cp $f copy; ln $f hard; done; "
      "ln -s ~/vault way; cat way/key; mv sub moved; cat moved/.env; mv moved sub; "
      "mv .env other; cat other; rm -f .env; cat .env; ./attack open-again .env; "
      "tar cf - . ~/vault | grep -a secret; grep -r secret . ~/vault; "
      "./attack reopened-handle .env");
  EXPECT_THAT(result.out, Not(HasSubstr("secret")));
  EXPECT_EQ(read_text(key), "the secret");
  EXPECT_EQ(read_text(sandbox.workspace() + "/.env"), "the secret");
  EXPECT_THAT(sandbox.outside("cat ~/vault/key; cat sub/.env").out,
              HasSubstr("the secretthe secret"));
}

TEST(EscapeFiles, AHiddenFileWithAnotherNameIsRefusedOrHiddenThereToo) {
  AttackSandbox sandbox;
  sandbox.workspace_file(".env", "the secret");
  ASSERT_EQ(sandbox.outside("ln .env other").status, 0);
  SandboxResult result = sandbox.run("cat other");
  EXPECT_THAT(result.out, Not(HasSubstr("secret")));
  EXPECT_THAT(sandbox.outside("cat other").out, HasSubstr("secret"));
}

TEST(EscapeFiles, TemporaryFoldersAndSharedMemoryAreItsOwn) {
  AttackSandbox sandbox;
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::string name = std::string(folder) + "/ward-escape-" + std::to_string(::getpid());
    ASSERT_TRUE(std::ofstream(name) << "the host's");
    SandboxResult result =
        sandbox.run("cat " + name + "; echo mine > " + name + "; ls -A " + folder);
    EXPECT_THAT(result.out, Not(HasSubstr("the host's")));
    EXPECT_EQ(read_text(name), "the host's");
    fs::remove(name);
  }
}

TEST(EscapeFiles, OnlyTheSandboxesOwnDevicesAreThere) {
  AttackSandbox sandbox;
  SandboxResult result = sandbox.run("ls /dev /dev/pts; ls /run");
  for (const char* device : {"sda", "vda", "mem", "kmsg", "loop", "tty1", "uinput", "kvm", "fuse"})
    EXPECT_THAT(result.out, Not(HasSubstr(device)));
}

}  // namespace
}  // namespace ward::test
