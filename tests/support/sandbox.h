// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Sandbox: a home folder and a workspace of a test's own, in which `ward run` runs shell scripts.
// What the script printed and Ward's own report come back together. Owned by one test.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace ward::test {

struct SandboxResult : RunResult {
  nlohmann::json report;  // of --result; null where Ward wrote none
};

class Sandbox {
 public:
  Sandbox();

  // HOME of every run, and the workspace below it, the folder of every run.
  const std::string& home() const { return home_; }
  const std::string& workspace() const { return workspace_; }
  // Files below the two, made with the folders on the way; their paths.
  std::string home_file(const std::string& name, const std::string& content) const;
  std::string workspace_file(const std::string& name, const std::string& content) const;

  // The policy document of the runs to come, user scope; "" for none.
  void set_policy(const std::string& yaml);
  // Further options of `ward run`.
  std::vector<std::string> options;
  RunOptions process;

  // `ward run` of /bin/sh with this script.
  SandboxResult run(const std::string& script) const;
  SandboxResult run_command(const std::vector<std::string>& command) const;
  // The control: the same script without Ward.
  RunResult outside(const std::string& script) const;
  // The words of `ward run`, for tests that start it themselves.
  std::vector<std::string> arguments(const std::vector<std::string>& command) const;
  RunOptions process_options() const;
  const std::string& result_file() const { return result_file_; }

 private:
  TempDir root_;
  std::string home_, workspace_, policy_file_, result_file_;
};

}  // namespace ward::test
