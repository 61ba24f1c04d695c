// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/escape.h"

namespace ward::cli {

struct CommandLine::Parser {
  CLI::App app;
  std::vector<std::string>* command = nullptr;
};

CommandLine::CommandLine(std::string usage, std::string purpose)
    : parser_(std::make_unique<Parser>()) {
  parser_->app.name(std::move(usage));
  parser_->app.description(std::move(purpose));
}

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  parser_->app.add_flag(names, value, help);
  return *this;
}

CommandLine& CommandLine::option(const std::string& names, std::string& value,
                                 const std::string& help) {
  parser_->app.add_option(names, value, help)->type_name("");
  return *this;
}

CommandLine& CommandLine::option(const std::string& names, std::vector<std::string>& values,
                                 const std::string& help) {
  parser_->app.add_option(names, values, help)
      ->type_name("")
      ->type_size(1)
      ->allow_extra_args(false);
  return *this;
}

CommandLine& CommandLine::option(const std::string& names, std::int64_t& value,
                                 const std::string& help) {
  parser_->app.add_option(names, value, help)->type_name("N");
  return *this;
}

CommandLine& CommandLine::positional(const std::string& name, std::string& value,
                                     const std::string& help, bool required) {
  parser_->app.add_option(name, value, help)->type_name("")->required(required);
  return *this;
}

CommandLine& CommandLine::positionals(const std::string& name, std::vector<std::string>& values,
                                      const std::string& help) {
  parser_->app.add_option(name, values, help)->type_name("");
  return *this;
}

CommandLine& CommandLine::command(std::vector<std::string>& words) {
  parser_->app.prefix_command();
  parser_->app.footer("The command follows the options: " + parser_->app.get_name() +
                      " [OPTIONS] -- COMMAND [ARGUMENTS]");
  parser_->command = &words;
  return *this;
}

std::optional<int> CommandLine::parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser_->app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(parser_->app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::string name = parser_->app.get_name();
    std::fprintf(stderr, "%s: %s (see `%s --help`)\n", name.c_str(), error.what(), name.c_str());
    return kUsageError;
  }
  if (parser_->command != nullptr) {
    std::vector<std::string>& words = *parser_->command;
    words = parser_->app.remaining();
    const std::size_t first = arguments.size() - words.size();
    const bool marked = first > 0 && arguments[first - 1] == "--";
    if (!words.empty() && words.front() == "--") {
      words.erase(words.begin());
    } else if (!marked && !words.empty() && words.front().starts_with('-')) {
      // A misspelt option, not the name of a program.
      std::string name = parser_->app.get_name();
      std::fprintf(stderr, "%s: there is no option %s (see `%s --help`)\n", name.c_str(),
                   escape_for_terminal(words.front()).c_str(), name.c_str());
      return kUsageError;
    }
  }
  return std::nullopt;
}

}  // namespace ward::cli
