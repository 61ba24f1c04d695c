// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// CommandLine: reads the options of one subcommand with CLI11, whose headers are too heavy for more
// than one file. Only the options of the subcommand that was named are made, which keeps the start
// of `ward run` short. A malformed line prints its error and the usage and is exit status 2.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ward::cli {

inline constexpr int kUsageError = 2;
inline constexpr int kSetupError = 125;

class CommandLine {
 public:
  // `usage` is the subcommand's name as in "ward run"; `purpose` one sentence.
  CommandLine(std::string usage, std::string purpose);
  ~CommandLine();

  // Each names an option ("--wall", "-w,--workspace") or a positional ("FILE") and where its value
  // goes. The referred-to values must outlive parse().
  CommandLine& flag(const std::string& names, bool& value, const std::string& help);
  CommandLine& option(const std::string& names, std::string& value, const std::string& help);
  CommandLine& option(const std::string& names, std::vector<std::string>& values,
                      const std::string& help);
  CommandLine& option(const std::string& names, std::int64_t& value, const std::string& help);
  CommandLine& positional(const std::string& name, std::string& value, const std::string& help,
                          bool required = true);
  // Any number of words.
  CommandLine& positionals(const std::string& name, std::vector<std::string>& values,
                           const std::string& help);
  // Everything from the first word that is no option, or after `--`, is a command.
  CommandLine& command(std::vector<std::string>& words);

  // `arguments` are those behind the subcommand's name. An exit status where the program is to end
  // now: 0 after --help, 2 after an error.
  std::optional<int> parse(const std::vector<std::string>& arguments);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ward::cli
