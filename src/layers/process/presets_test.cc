// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "support/temp_dir.h"

namespace ward::process {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A machine in a folder: its /etc and programs below `system`, a home, a workspace.
struct Machine {
  test::TempDir folder;
  std::string path = "PATH=/usr/bin:/usr/local/bin";
  const char* caller[2] = {path.c_str(), nullptr};
  PresetContext context;

  Machine() {
    context.home = folder.make_dir("home");
    context.workspaces = {folder.make_dir("work")};
    context.caller = caller;
    context.system = folder.make_dir("system");
    folder.make_dir("system/usr/bin");
    context.writable = [work = context.workspaces[0]](const std::string& where) {
      return where.starts_with(work);
    };
  }
  // "host:port host:port", or the error.
  std::string resolve(const std::string& preset) const {
    policy::Network network;
    network.presets = {preset};
    network.preset_origins[preset] = {"ward.yaml", 3, policy::Scope::user};
    const auto resolved = resolve_presets(network, context);
    if (!resolved) return resolved.error().describe();
    std::string text;
    for (const policy::HostRule& rule : resolved->allow)
      text += (text.empty() ? "" : " ") + rule.host + ":" + std::to_string(rule.port.value_or(0));
    return text;
  }
};

TEST(Presets, ConfiguredHostsReplaceTheBuiltInOne) {
  const Machine machine;
  machine.folder.write("system/usr/lib/node_modules/npm/bin/npm-cli.js", "#!/usr/bin/env node");
  machine.folder.write(
      "system/usr/lib/node_modules/npm/node_modules/@npmcli/config/lib/definitions/definitions.js",
      "new Definition('registry', {\n  default: 'https://built-in.example/',");
  ASSERT_EQ(::symlink("../lib/node_modules/npm/bin/npm-cli.js",
                      (machine.folder / "system/usr/bin/npm").c_str()),
            0);
  EXPECT_EQ(machine.resolve("npm"), "built-in.example:443");
  machine.folder.write("home/.npmrc", "registry=https://own.example:8443/\n");
  EXPECT_EQ(machine.resolve("npm"), "own.example:8443");
}

TEST(Presets, TheToolInsideIsToldWhatItsHiddenFileSays) {
  const Machine machine;
  machine.folder.write("home/.npmrc",
                       "registry=https://me:secret@own.example/npm/\n@x:registry = "
                       "https://x.example/\n//own.example/:_authToken=secret\n_auth=secret\n"
                       "ignore-scripts=true\ncafile=/hidden/ca.pem\n");
  policy::Network network;
  network.presets = {"npm"};
  const auto resolved = resolve_presets(network, machine.context);
  ASSERT_TRUE(resolved) << resolved.error().describe();
  EXPECT_THAT(resolved->variables, ElementsAre("NPM_CONFIG_USERCONFIG=/run/ward-npmrc"));
  ASSERT_EQ(resolved->files.size(), 1U);
  EXPECT_EQ(resolved->files[0].path, "/run/ward-npmrc");
  EXPECT_EQ(resolved->files[0].content,
            "registry=https://own.example/npm/\n@x:registry=https://x.example/\n"
            "ignore-scripts=true\n");
  EXPECT_THAT(resolved->allow.at(0).origin.describe(), HasSubstr("preset npm, by "));
}

TEST(Presets, EachToolIsReadWhereItKeepsItsServers) {
  const Machine machine;
  machine.folder.write(
      "system/usr/lib/python3/dist-packages/pip/_internal/models/index.py",
      "X = PackageIndex(\"https://pip.example/\", file_storage_domain=\"f.example\")\n");
  EXPECT_EQ(machine.resolve("pip"), "pip.example:443 f.example:443");
  machine.folder.write("home/.config/pip/pip.conf",
                       "[global]\nindex-url=http://own.example/simple\n");
  EXPECT_EQ(machine.resolve("pip"), "own.example:80");
  machine.folder.write("system/usr/bin/cargo", "...sparse+https://index.packages.example/...");
  EXPECT_EQ(machine.resolve("cargo"), "index.packages.example:443 *.packages.example:443");
  machine.folder.write("home/.cargo/config.toml",
                       "[source.crates-io]\nreplace-with='own'\n[source.own]\nregistry = "
                       "\"https://cargo.example/i\"\n");
  EXPECT_EQ(machine.resolve("cargo"), "cargo.example:443");
  machine.folder.write("system/etc/apt/sources.list.d/a.sources", "URIs: https://apt.example/x\n");
  EXPECT_EQ(machine.resolve("apt"), "apt.example:443");
  machine.folder.write("home/.gitconfig", "[credential \"https://git.example\"]\n\thelper=x\n");
  EXPECT_EQ(machine.resolve("git"), "git.example:443");
  machine.folder.write("home/.m2/settings.xml",
                       "<mirror><mirrorOf>*</mirrorOf><url>https://maven.example/</url></mirror>");
  EXPECT_EQ(machine.resolve("maven"), "maven.example:443");
}

TEST(Presets, APresetWithoutHostsIsRefusedWithItsLineAndARemedy) {
  const Machine machine;
  EXPECT_THAT(machine.resolve("npm"), HasSubstr("ward.yaml:3: network.presets"));
  EXPECT_THAT(machine.resolve("npm"), HasSubstr("write registry=URL into ~/.npmrc"));
  for (const char* preset : {"pip", "cargo", "go", "maven", "apt", "git"})
    EXPECT_THAT(machine.resolve(preset), HasSubstr("names no host")) << preset;
}

TEST(Presets, WhatTheSandboxCanWriteIsNotBelieved) {
  const Machine machine;
  machine.folder.write("work/npmrc", "registry=https://evil.example/\n");
  ASSERT_EQ(
      ::symlink((machine.folder / "work/npmrc").c_str(), (machine.folder / "home/.npmrc").c_str()),
      0);
  EXPECT_THAT(machine.resolve("npm"), HasSubstr("cannot be believed"));
  machine.folder.write("work/.git/config", "[remote \"o\"]\n\turl = https://evil.example/x\n");
  EXPECT_THAT(machine.resolve("git"), HasSubstr("cannot be believed"));
}

TEST(Presets, AProgramThatTheSandboxCanWriteIsNotRun) {
  Machine machine;
  machine.context.system.clear();
  const std::string mark = machine.folder / "ran";
  const std::string program = machine.folder.write("work/go", "#!/bin/sh\ntouch " + mark + "\n");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  machine.path = "PATH=" + machine.context.workspaces[0];
  machine.caller[0] = machine.path.c_str();
  EXPECT_THAT(machine.resolve("go"), HasSubstr("names no host"));
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
  // The control: a folder that it cannot write.
  machine.context.writable = [](const std::string&) { return false; };
  machine.resolve("go");
  EXPECT_EQ(::access(mark.c_str(), F_OK), 0);
}

// Every tool that is installed here tells where it fetches from; Ward knows none of these hosts.
TEST(Presets, InstalledToolsNameTheirBuiltInServers) {
  Machine machine;
  machine.context.system.clear();
  machine.path = "PATH=/usr/local/bin:/usr/bin:/bin";
  machine.caller[0] = machine.path.c_str();
  for (const auto& [preset, program] : {std::pair{"npm", "/usr/bin/npm"},
                                        {"pip", "/usr/bin/pip3"},
                                        {"cargo", "/usr/bin/cargo"},
                                        {"go", "/usr/bin/go"},
                                        {"maven", "/usr/bin/mvn"}}) {
    if (::access(program, X_OK) != 0) continue;
    EXPECT_THAT(machine.resolve(preset), HasSubstr(":443")) << preset;
  }
}

}  // namespace
}  // namespace ward::process
