// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Requests that a gate of the policy holds: nothing leaves until a person has decided, at the run's
// terminal or from elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "support/internet.h"
#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBuy =
    "curl -sS -o answer -w '%{http_code}\\n' -d x https://www.site.example/purchase";

class GatesTest : public InternetTest {
 protected:
  void SetUp() override {
    InternetTest::SetUp();
    if (IsSkipped()) return;
    box_.set_policy(
        "version: 1\nextends: workspace\nnetwork: {allow: [www.site.example]}\n"
        "gates: [{when: request, host: \"*.site.example\", methods: [POST], "
        "paths: [\"/purchase*\"]}]\n");
  }

  // The run's id, from the journal: it is written before the command begins.
  std::string run_id() const {
    const RunResult shown = run_ward({"audit", "show", "--json"}, box_.process_options());
    const auto records = nlohmann::json::parse(shown.out, nullptr, false);
    std::string id;
    if (records.is_array())
      for (const auto& record : records) id = record.value("run", id);
    return id;
  }
  // Asks until the request is held: before that the run, its door or the request is not there.
  RunResult decide(const std::string& verb) const {
    RunResult result;
    for (bool early = true; early;) {
      result = run_ward({verb, run_id()}, box_.process_options());
      early = false;
      for (const char* not_yet :
           {"an id has", "reach run", "is going on that can", "holds no request"})
        early = early || result.err.find(not_yet) != std::string::npos;
    }
    return result;
  }
};

TEST_F(GatesTest, WardApproveLetsTheRequestThrough) {
  SandboxResult result;
  std::thread runner([&] { result = box_.run(kBuy); });
  const RunResult approved = decide("approve");
  runner.join();
  EXPECT_EQ(approved.status, 0) << approved.err;
  EXPECT_EQ(result.out, "200\n") << result.err;
  EXPECT_THAT(lab_->log(), HasSubstr("POST www.site.example /purchase"));
  const RunResult journal = run_ward({"audit", "show", "--json"}, box_.process_options());
  EXPECT_THAT(journal.out, AllOf(HasSubstr("gate-decided"), HasSubstr("allowed by ward approve")));
}

TEST_F(GatesTest, WardDenyRefusesItAndNothingArrives) {
  SandboxResult result;
  std::thread runner([&] { result = box_.run(std::string(kBuy) + "; cat answer"); });
  const RunResult denied = decide("deny");
  runner.join();
  EXPECT_EQ(denied.status, 0) << denied.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("403"), HasSubstr("denied by ward deny")));
  EXPECT_THAT(lab_->log(), Not(HasSubstr("/purchase")));
}

TEST_F(GatesTest, WhatTheGateDoesNotNameIsNotHeld) {
  const SandboxResult result = box_.run(
      "curl -sS https://www.site.example/purchase; curl -sS -d x https://www.site.example/basket");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(lab_->log(), HasSubstr("POST www.site.example /basket"));
}

// A run on a terminal of its own, and a person who reads it.
class AtTerminal {
 public:
  AtTerminal(const Sandbox& box, const std::string& script) {
    const RunOptions options = box.process_options();
    const std::vector<std::string> words = box.arguments({"/bin/sh", "-c", script});
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ != 0) return;
    for (const auto& [name, value] : options.env) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<std::string> all = {ward_binary()};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::chdir(options.cwd.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~AtTerminal() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::close(terminal_);
  }
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;

  // Reads until the text is on the screen; all that was there.
  std::string wait_for(const std::string& text) {
    char buffer[1024];
    while (screen_.find(text) == std::string::npos && screen_.size() < kMostShown) {
      pollfd ready = {terminal_, POLLIN, 0};
      if (::poll(&ready, 1, 60'000) != 1) break;
      const ssize_t size = ::read(terminal_, buffer, sizeof buffer);
      if (size <= 0) break;
      screen_.append(buffer, static_cast<std::size_t>(size));
    }
    return screen_;
  }
  void type(const std::string& keys) {
    EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

 private:
  static constexpr std::size_t kMostShown = 4U << 20U;  // of a command that never stops painting
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string screen_;
};

TEST_F(GatesTest, ThePersonAtTheTerminalIsAskedAndTheCodeAllows) {
  AtTerminal run(box_, std::string(kBuy) + "; echo answered");
  const std::string screen = run.wait_for("Enter alone denies it: ");
  EXPECT_THAT(screen, HasSubstr("POST https://www.site.example:443/purchase"));
  const std::size_t at = screen.find("type ");
  ASSERT_NE(at, std::string::npos) << screen;
  run.type(screen.substr(at + 5, 4) + "\r");
  EXPECT_THAT(run.wait_for("answered"), AllOf(HasSubstr("ward: allowed"), HasSubstr("200")));
  EXPECT_THAT(lab_->log(), HasSubstr("/purchase"));
}

TEST_F(GatesTest, AYesThatACommandCanAskForIsNoAnswer) {
  AtTerminal run(box_, std::string(kBuy) + "; echo answered");
  run.wait_for("Enter alone denies it: ");
  run.type("yes\r");
  EXPECT_THAT(run.wait_for("answered"), AllOf(HasSubstr("ward: denied"), HasSubstr("403")));
  EXPECT_THAT(lab_->log(), Not(HasSubstr("/purchase")));
}

// The attack: another address is painted over the one that is asked about.
TEST_F(GatesTest, TheCommandShowsNothingWhileAPersonIsAsked) {
  AtTerminal run(box_, "(" + std::string(kBuy) +
                           "; touch over) & until [ -e over ]; do echo PAINT; done; wait; "
                           "echo answered");
  std::string question = "Enter alone denies it: ";
  EXPECT_THAT(run.wait_for(question), HasSubstr("PAINT"));  // the control
  // Each key is seen right behind the last one, and nothing between.
  for (const char key : std::string("wrongkey")) {
    run.type({key});
    question += key;
    ASSERT_TRUE(run.wait_for(question).find(question) != std::string::npos) << question;
  }
  run.type("\r");
  EXPECT_THAT(run.wait_for("answered"), HasSubstr(question + "\r\nward: denied\r\n"));
}

}  // namespace
}  // namespace ward::test
