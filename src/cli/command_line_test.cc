// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ward::cli {
namespace {

using testing::ElementsAre;

struct Parsed {
  std::optional<int> status;
  bool trace = false;
  std::vector<std::string> workspaces, command;
};

Parsed parse(const std::vector<std::string>& words) {
  Parsed parsed;
  CommandLine line("ward run", "Runs a command.");
  line.flag("--trace", parsed.trace, "help")
      .option("-w,--workspace", parsed.workspaces, "help")
      .command(parsed.command);
  parsed.status = line.parse(words);
  return parsed;
}

TEST(CommandLine, TheCommandKeepsItsOwnOptions) {
  Parsed parsed = parse({"--trace", "-w", "a", "--", "ls", "--trace", "-w"});
  EXPECT_FALSE(parsed.status);
  EXPECT_TRUE(parsed.trace);
  EXPECT_THAT(parsed.workspaces, ElementsAre("a"));
  EXPECT_THAT(parsed.command, ElementsAre("ls", "--trace", "-w"));
  EXPECT_THAT(parse({"ls", "-la", "--", "x"}).command, ElementsAre("ls", "-la", "--", "x"));
}

TEST(CommandLine, AfterTheMarkEvenAnOptionsNameIsAProgram) {
  EXPECT_THAT(parse({"--", "--odd", "x"}).command, ElementsAre("--odd", "x"));
}

TEST(CommandLine, AMisspeltOptionIsNoProgram) {
  EXPECT_EQ(parse({"--tarce", "--", "true"}).status, kUsageError);
  EXPECT_EQ(parse({"-w"}).status, kUsageError);
}

}  // namespace
}  // namespace ward::cli
