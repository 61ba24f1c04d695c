// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward doctor` with its self-test: this very program, started anew, confines a command. Before the
// command runs, the launcher tries a forbidden write, read and connect, and runs nothing unless all
// of them fail.
#include <unistd.h>

#include <vector>

#include "cli/commands.h"
#include "cli/doctor.h"
#include "sys/file.h"
#include "sys/program.h"

namespace ward::cli {
namespace {

Status confine_a_command() {
  WARD_ASSIGN(std::string program, sys::readlink_at(AT_FDCWD, "/proc/self/exe"));
  const std::vector<std::string> argv = {std::move(program), "run", "--profile",
                                         "read-only",        "--",  "true"};
  std::vector<std::string> env;
  for (char** entry = ::environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  // Not where the caller is: what may be a workspace, as the home folder may not, is no question of
  // what the machine can do.
  WARD_ASSIGN(const sys::ProgramEnd end,
              sys::run_program({.argv = argv, .env = env, .folder = "/usr"}));
  if (end.exit_status == 0) return {};
  std::string said = end.output.substr(0, end.output.find_last_not_of('\n') + 1);
  return fail(ErrorKind::unsupported, "ward run -- true ended with " +
                                          std::to_string(end.exit_status) +
                                          (said.empty() ? "" : ": " + said));
}

}  // namespace

int doctor_command(const std::vector<std::string>& arguments) {
  return doctor(arguments, confine_a_command);
}

}  // namespace ward::cli
