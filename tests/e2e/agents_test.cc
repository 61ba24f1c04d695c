// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A whole agent inside: the real programs of Claude Code and Codex, from npm
// (scripts/install-agents), do a task that a model of the lab gives them. The model's host is
// allowed, its key is a placeholder, and what the agent executes is confined with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/internet.h"
#include "support/needs.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kKey = "sk-the-key-that-stays-outside-0123456789";
constexpr const char* kLastWords = "the model has what it wanted";

std::string agents_folder() {
  const char* folder = std::getenv("WARD_AGENTS");  // set by scripts/run-tests
  return std::string(folder != nullptr ? folder : "/var/cache/ward-agents") + "/node_modules/.bin/";
}

Need agent(const std::string& name) {
  return {"agent(" + name + ")", [name] {
            const std::string path = agents_folder() + name;
            return std::filesystem::exists(path) ? std::string()
                                                 : path + " is missing: run scripts/install-agents";
          }};
}

struct Agent {
  std::string secret;   // its part of the policy's `secrets`
  std::string command;  // inside
};

class AgentsTest : public InternetTest {
 protected:
  void SetUp() override {
    InternetTest::SetUp();
    box_.process.env["MODEL_KEY"] = kKey;
  }

  SandboxResult run(const Agent& agent, const std::string& hosts) {
    box_.set_policy("version: 1\nextends: workspace\nnetwork:\n  allow: [" + hosts +
                    "]\nsecrets:\n  - {" + agent.secret +
                    ", from: \"env:MODEL_KEY\", hosts: [model.site.example]}\n");
    return box_.run(agent.command);
  }

  void does_its_task(const Agent& agent) {
    const SandboxResult result = run(agent, "model.site.example");
    EXPECT_EQ(result.status, 0) << result.out << result.err << lab_->log();
    EXPECT_THAT(result.out, HasSubstr(kLastWords)) << result.err << lab_->log();
    EXPECT_EQ(read_text(box_.workspace() + "/made.txt"), "made-by-the-agent\n");
    EXPECT_THAT(lab_->log(), HasSubstr(kKey)) << "the model gets the key itself";
    EXPECT_THAT(result.out + result.err, Not(HasSubstr(kKey)));
  }

  // An agent tries again for minutes; what it was denied is known after the first time.
  void cannot_reach_a_model_that_is_not_allowed(Agent agent) {
    agent.command.insert(agent.command.rfind(agents_folder()), "timeout 10 ");
    const SandboxResult result = run(agent, "www.site.example");
    EXPECT_THAT(result.out, Not(HasSubstr(kLastWords)));
    EXPECT_FALSE(std::filesystem::exists(box_.workspace() + "/made.txt"));
    EXPECT_THAT(lab_->log(), Not(HasSubstr("model ")));
    EXPECT_THAT(result.report.dump(), HasSubstr("model.site.example"));
  }

  // Each has its settings in a private folder of the sandbox: the home folder stays hidden.
  static Agent claude() {
    return {"name: ANTHROPIC_API_KEY, header: x-api-key",
            "export CLAUDE_CONFIG_DIR=$TMPDIR/claude CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "
            "ANTHROPIC_BASE_URL=https://model.site.example; " +
                agents_folder() + "claude -p 'make a file' --allowedTools Bash"};
  }
  static Agent codex() {
    return {"name: OPENAI_API_KEY, header: Authorization, format: \"Bearer {}\"",
            "export CODEX_HOME=$TMPDIR/codex; mkdir -p $CODEX_HOME; cat > $CODEX_HOME/config.toml "
            "<<'END'\n"
            "model = \"lab\"\nmodel_provider = \"lab\"\n[model_providers.lab]\nname = \"lab\"\n"
            "base_url = \"https://model.site.example/v1\"\nenv_key = \"OPENAI_API_KEY\"\n"
            "wire_api = \"responses\"\n[analytics]\nenabled = false\nEND\n" +
                agents_folder() +
                "codex exec --skip-git-repo-check --sandbox danger-full-access 'make a file'"};
  }
};

TEST_F(AgentsTest, ClaudeCodeDoesItsTaskAndNeverHoldsItsKey) {
  NEEDS(tool("node"), agent("claude"));
  does_its_task(claude());
}

TEST_F(AgentsTest, ClaudeCodeReachesNoModelThatIsNotAllowed) {
  NEEDS(tool("node"), agent("claude"));
  cannot_reach_a_model_that_is_not_allowed(claude());
}

TEST_F(AgentsTest, CodexDoesItsTaskAndNeverHoldsItsKey) {
  NEEDS(tool("node"), agent("codex"));
  does_its_task(codex());
}

TEST_F(AgentsTest, CodexReachesNoModelThatIsNotAllowed) {
  NEEDS(tool("node"), agent("codex"));
  cannot_reach_a_model_that_is_not_allowed(codex());
}

}  // namespace
}  // namespace ward::test
