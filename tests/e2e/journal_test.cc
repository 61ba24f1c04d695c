// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What `ward run` leaves in the journal, as `ward audit` shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/paths.h"
#include "support/process.h"
#include "support/sandbox.h"

namespace ward {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { box_.process.env["XDG_STATE_HOME"] = state_.path(); }

  test::RunResult audit(const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"audit"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return test::run_ward(arguments, box_.process_options());
  }
  json shown() {
    const test::RunResult result = audit({"show", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
  std::string database() const { return state_ / "ward/journal.db"; }

  test::TempDir state_;
  test::Sandbox box_;
};

TEST_F(JournalTest, ARunIsThereWithItsCommandAndItsEnd) {
  const test::SandboxResult result = box_.run("exit 7");
  ASSERT_EQ(result.status, 7) << result.err;
  const json all = shown();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["kind"], "journal-created");
  EXPECT_EQ(all[1]["kind"], "run-started");
  EXPECT_EQ(all[1]["state"], "ended");
  EXPECT_EQ(all[1]["payload"]["command"].back(), "exit 7");
  EXPECT_EQ(all[2]["payload"]["exit_status"], 7);
  EXPECT_EQ(all[2]["run"], all[1]["run"]);
  EXPECT_EQ(audit({"verify"}).status, 0);
  EXPECT_THAT(audit({"show", "--run", all[1]["run"].get<std::string>()}).out,
              HasSubstr("exited(7)"));
}

// Starts `ward run` of a command that prints and waits; returns its pid once it has printed.
pid_t start_waiting_run(const test::Sandbox& box) {
  std::array<int, 2> out = {};
  if (::pipe(out.data()) != 0) return -1;
  const std::vector<std::string> words = box.arguments({"/bin/sh", "-c", "echo up; exec sleep 60"});
  const test::RunOptions options = box.process_options();
  const pid_t child = ::fork();
  if (child == 0) {
    std::string ward = test::ward_binary();
    std::vector<char*> arguments = {ward.data()};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    for (const auto& [name, value] : options.env) ::setenv(name.c_str(), value.c_str(), 1);
    if (::dup2(out[1], STDOUT_FILENO) < 0 || ::chdir(options.cwd.c_str()) != 0) ::_exit(126);
    ::close(out[0]);
    ::close(out[1]);
    ::execv(ward.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(out[1]);
  char byte = 0;
  const bool up = ::read(out[0], &byte, 1) == 1;
  ::close(out[0]);
  return up ? child : -1;
}

TEST_F(JournalTest, AKilledRunIsSeenAsKilledAndARunningOneAsRunning) {
  const pid_t ward = start_waiting_run(box_);
  ASSERT_GT(ward, 0);
  EXPECT_EQ(shown().back()["state"], "running");
  ASSERT_EQ(::kill(ward, SIGKILL), 0);
  ASSERT_EQ(::waitpid(ward, nullptr, 0), ward);
  EXPECT_EQ(shown().back()["state"], "killed");
  EXPECT_EQ(audit({"verify"}).status, 0);
}

TEST_F(JournalTest, ADamagedJournalIsReportedAndTheRunLosesNothing) {
  ASSERT_EQ(box_.run("true").status, 0);
  std::filesystem::resize_file(database(), 50);
  const test::SandboxResult result = box_.run("echo kept; exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "kept\n");
  EXPECT_THAT(result.report.dump(), HasSubstr("journal.damaged-"));
  EXPECT_THAT(shown()[0].dump(), HasSubstr("journal.damaged-"));
  EXPECT_EQ(audit({"verify"}).status, 0);
}

TEST_F(JournalTest, AFolderThatCannotBeUsedIsReportedAndTheRunLosesNothing) {
  std::filesystem::create_directory(state_ / "ward");
  std::filesystem::permissions(state_ / "ward", std::filesystem::perms::all);
  const test::SandboxResult result = box_.run("echo kept; exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "kept\n");
  EXPECT_THAT(result.report.dump(), HasSubstr("writable by others"));
}

TEST_F(JournalTest, ACutTailIsFoundAgainstANotedHead) {
  ASSERT_EQ(box_.run("true").status, 0);
  std::string head = audit({"head"}).out;
  ASSERT_FALSE(head.empty());
  head.pop_back();
  EXPECT_EQ(audit({"verify", "--head", head}).status, 0);
  std::filesystem::remove_all(state_ / "ward");
  ASSERT_EQ(box_.run("true").status, 0);
  EXPECT_EQ(audit({"verify"}).status, 0);
  const test::RunResult found = audit({"verify", "--head", head});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("NOT SOUND"));
}

TEST_F(JournalTest, NoCommandReachesTheJournal) {
  ASSERT_EQ(box_.run("true").status, 0);
  const test::SandboxResult result =
      box_.run("cat " + database() + " >/dev/null && echo READ; echo x >> " + database() +
               " && echo WRITTEN; rm -rf " + (state_ / "ward") + " && echo REMOVED; true");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(audit({"verify"}).status, 0);
  EXPECT_EQ(shown().size(), 5U);
  EXPECT_EQ(box_.outside("cat " + database() + " >/dev/null && echo READ").out, "READ\n");
}

}  // namespace
}  // namespace ward
