// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ward: one program, a table of subcommands.
#include <cstdio>
#include <cstring>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/policy_commands.h"
#include "keeper/stdio.h"

namespace {

struct Subcommand {
  const char* name;
  const char* purpose;
  int (*run)(const std::vector<std::string>&);
};

constexpr Subcommand kSubcommands[] = {
    {"run", "run a command, confined by a policy that the kernel enforces", ward::cli::run_command},
    {"review", "show the changes that a run holds", ward::cli::review_command},
    {"apply", "land held changes", ward::cli::apply_command},
    {"discard", "drop held changes", ward::cli::discard_command},
    {"approve", "let a request through that a gate holds", ward::cli::approve_command},
    {"deny", "refuse a request that a gate holds", ward::cli::deny_command},
    {"doctor", "print what this machine can enforce, and run the self-test",
     ward::cli::doctor_command},
    {"audit", "show and verify the journal", ward::cli::audit_command},
    {"policy", "write, check, explain, trust and import policies", ward::cli::policy_command},
};

int print_usage(FILE* stream, int status) {
  std::fputs("ward: runs what an AI agent decides to run in the right layer\n\nusage:\n", stream);
  for (const Subcommand& subcommand : kSubcommands)
    std::fprintf(stream, "  ward %-8s %s\n", subcommand.name, subcommand.purpose);
  std::fputs("  ward NAME --help\n  ward --version\n", stream);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // Before anything is opened: a file must not land on the number of a closed stream.
  if (ward::Status filled = ward::keeper::fill_closed_stdio(); !filled)
    return ward::cli::kSetupError;
  if (argc < 2) return print_usage(stderr, ward::cli::kUsageError);
  for (const Subcommand& subcommand : kSubcommands)
    if (std::strcmp(subcommand.name, argv[1]) == 0)
      return subcommand.run(std::vector<std::string>(argv + 2, argv + argc));
  if (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0 ||
      std::strcmp(argv[1], "help") == 0)
    return print_usage(stdout, 0);
  if (std::strcmp(argv[1], "--version") == 0) {
    std::puts("ward " WARD_VERSION);
    return 0;
  }
  std::fprintf(stderr, "ward: there is no subcommand \"%s\"\n", argv[1]);
  return print_usage(stderr, ward::cli::kUsageError);
}
