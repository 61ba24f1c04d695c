// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Times commands from spawn to exit, one of each in turn, so that a slow moment of the machine
// falls on all of them alike. Usage: spawn_bench ROUNDS COMMAND-FILE, a command a line, words
// separated by tabs. Prints for each command its median and minimum in microseconds and its exit
// status. Standard input is empty, output is dropped.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Command {
  std::vector<std::string> words;
  std::vector<double> micros;
  int status = 0;
};

std::vector<Command> read_commands(const char* path) {
  std::vector<Command> commands;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Command command;
    std::string word;
    while (std::getline(words, word, '\t')) command.words.push_back(word);
    if (!command.words.empty()) commands.push_back(std::move(command));
  }
  return commands;
}

void time_once(Command& command, const posix_spawn_file_actions_t& actions) {
  std::vector<char*> argv;
  argv.reserve(command.words.size() + 1);
  for (std::string& word : command.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  if (posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), ::environ) != 0) {
    command.status = 127;
    return;
  }
  waitpid(pid, &status, 0);
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  command.micros.push_back(taken.count());
  command.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: spawn_bench ROUNDS COMMAND-FILE\n", stderr);
    return 2;
  }
  std::vector<Command> commands = read_commands(argv[2]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const int rounds = std::atoi(argv[1]);
  for (int round = 0; round < rounds; ++round) {
    for (Command& command : commands) time_once(command, actions);
  }
  for (Command& command : commands) {
    std::sort(command.micros.begin(), command.micros.end());
    const bool ran = !command.micros.empty();
    std::printf("%.1f %.1f %d\n", ran ? command.micros[command.micros.size() / 2] : 0.0,
                ran ? command.micros.front() : 0.0, command.status);
  }
  return 0;
}
