// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/sandbox.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/paths.h"

namespace ward::test {

Sandbox::Sandbox()
    : home_(root_.make_dir("home")),
      workspace_(root_.make_dir("home/project")),
      result_file_(root_ / "result.json") {}

std::string Sandbox::home_file(const std::string& name, const std::string& content) const {
  return root_.write("home/" + name, content);
}

std::string Sandbox::workspace_file(const std::string& name, const std::string& content) const {
  return root_.write("home/project/" + name, content);
}

void Sandbox::set_policy(const std::string& yaml) {
  policy_file_ = yaml.empty() ? "" : root_.write("policy.yaml", yaml);
}

std::vector<std::string> Sandbox::arguments(const std::vector<std::string>& command) const {
  std::vector<std::string> words = {"run", "--result", result_file_};
  if (!policy_file_.empty()) words.insert(words.end(), {"--policy", policy_file_});
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

RunOptions Sandbox::process_options() const {
  RunOptions chosen = process;
  if (chosen.cwd.empty()) chosen.cwd = workspace_;
  chosen.env.emplace("HOME", home_);
  return chosen;
}

SandboxResult Sandbox::run_command(const std::vector<std::string>& command) const {
  std::filesystem::remove(result_file_);
  SandboxResult result{run_ward(arguments(command), process_options()), nullptr};
  std::ifstream file(result_file_);
  if (file) result.report = nlohmann::json::parse(file, nullptr, false);
  return result;
}

SandboxResult Sandbox::run(const std::string& script) const {
  return run_command({"/bin/sh", "-c", script});
}

RunResult Sandbox::outside(const std::string& script) const {
  return test::run({"/bin/sh", "-c", script}, process_options());
}

}  // namespace ward::test
