// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What people and programs keep secret in a home folder and in projects cannot be read under the
// profile `workspace`, without any configuration; each can be read outside.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "support/needs.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

// Below the home folder; `project` is the workspace.
constexpr const char* kSecrets[] = {
    ".ssh/id_ed25519",
    ".gnupg/private-keys-v1.d/key",
    ".aws/credentials",
    ".aws/sso/cache/token.json",
    ".azure/msal_token_cache.json",
    ".config/gcloud/credentials.db",
    ".config/gh/hosts.yml",
    ".config/glab-cli/config.yml",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".kube/config",
    ".docker/config.json",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
    ".m2/settings-security.xml",
    ".pgpass",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".mozilla/firefox/x.default/logins.json",
    ".config/google-chrome/Default/Login Data",
    ".config/chromium/Default/Cookies",
    ".local/share/keyrings/login.keyring",
    ".local/share/kwalletd/kdewallet.kwl",
    ".password-store/mail.gpg",
    ".config/keepassxc/keepassxc.ini",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".bashrc",
    ".config/unknown-program/token",
    "Documents/letter.txt",
    "other-project/.env",
    "other-project/main.c",
    "project/.env",
    "project/.env.local",
    "project/.env.production.local",
    "project/sub/deep/.env",
    "project/sub/.env.local",
    "project/node_modules/x/.env",
};

TEST(Secrets, OfTheHomeFolderAndOfProjectsCannotBeRead) {
  NEEDS(user_namespaces);
  const Sandbox sandbox;
  std::string script;
  for (const char* name : kSecrets) {
    const std::string path = sandbox.home_file(name, std::string("secret of ") + name + "\n");
    script += "cat '" + path + "'; echo $?\n";
  }
  sandbox.workspace_file(".env.example", "A=\n");
  const RunResult inside = sandbox.run(script + "ls -A ~/.ssh ~/.aws; cat .env.example");
  EXPECT_THAT(inside.out, testing::Not(testing::HasSubstr("secret")));
  EXPECT_THAT(inside.out, testing::Not(testing::HasSubstr("id_ed25519")));
  EXPECT_THAT(inside.out, testing::Not(testing::HasSubstr("\n0\n")));  // each cat failed
  EXPECT_THAT(inside.out, testing::EndsWith("A=\n"));
  const RunResult outside = sandbox.outside(script);
  for (const char* name : kSecrets)
    EXPECT_THAT(outside.out, testing::HasSubstr(std::string("secret of ") + name + "\n"));
}

// The end of a FIFO that the command opens when it is ready; false where it never does.
bool command_is_ready(int fifo) {
  pollfd polled{fifo, POLLIN, 0};
  return ::poll(&polled, 1, 60000) == 1;
}

TEST(Secrets, AFileThatAppearsDuringARunIsHiddenAndReported) {
  NEEDS(user_namespaces);
  Sandbox sandbox;
  const std::string ready = sandbox.workspace() + "/ready", go = sandbox.workspace() + "/go";
  ASSERT_EQ(::mkfifo(ready.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(go.c_str(), 0600), 0);
  const int fifo = ::open(ready.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fifo, 0);
  const int released = ::open(go.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(released, 0);

  SandboxResult inside;
  std::thread command([&] {
    // Reads until it may not any more: it never ends where the file is not masked.
    inside = sandbox.run(
        "mkdir new; echo > ready; read x < go; while cat new/.env > /dev/null; do :; done;"
        " cat new/.env; cat new/.env.example");
  });
  EXPECT_TRUE(command_is_ready(fifo));
  const std::string path = sandbox.workspace_file("new/.env", "secret\n");
  sandbox.workspace_file("new/.env.example", "example\n");
  EXPECT_EQ(::write(released, "\n", 1), 1);
  command.join();
  ::close(fifo);
  ::close(released);

  EXPECT_FALSE(inside.hung);
  EXPECT_EQ(inside.out, "example\n");
  EXPECT_THAT(inside.err, testing::HasSubstr("Permission denied"));
  EXPECT_THAT(inside.report["denials"].dump(), testing::HasSubstr(path));
  EXPECT_EQ(sandbox.outside("cat new/.env").out, "secret\n");
}

}  // namespace
}  // namespace ward::test
