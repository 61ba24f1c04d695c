// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/id.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/run_door.h"
#include "cli/run_report.h"
#include "cli/surroundings.h"
#include "policy/quantities.h"

namespace ward::cli {

namespace {

Status decide(const std::string& run, const std::string& number, const std::string& request) {
  WARD_ASSIGN(const Surroundings surroundings, find_surroundings());
  WARD_ASSIGN(const Id id, Id::parse(run));
  WARD_TRY(policy::parse_count(number, 0, UINT32_MAX));
  return ask_run(surroundings.state_folder, id.text(), request + number);
}

int gate_command(const std::vector<std::string>& arguments, const char* name, const char* purpose,
                 const char* request, const char* done) {
  std::string run, number = "0";
  CommandLine line(name, purpose);
  line.positional("RUN", run, "its id, as `ward audit show` prints it")
      .positional("NUMBER", number, "which request, where the run holds several", false);
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (const Status decided = decide(run, number, request); !decided) {
    std::fputs(for_terminal(decided.error()).c_str(), stderr);
    return 1;
  }
  std::puts(done);
  return 0;
}

}  // namespace

int approve_command(const std::vector<std::string>& arguments) {
  return gate_command(arguments, "ward approve", "Lets a request through that a gate holds.",
                      kApproveRequest, "allowed");
}

int deny_command(const std::vector<std::string>& arguments) {
  return gate_command(arguments, "ward deny", "Refuses a request that a gate holds.", kDenyRequest,
                      "denied");
}

}  // namespace ward::cli
