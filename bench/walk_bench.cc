// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures the walk: walk_bench FOLDER [PATTERN...]. Walks FOLDER with a warm page cache, without
// an index and with a warm one, and prints the time of each. With
// `--make ENTRIES FOLDER` it first makes a tree of that many entries there: 20 to a folder, a
// thousandth of them named .env.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "confine/glob_index.h"
#include "confine/tree_walk.h"
#include "policy/glob.h"
#include "sys/file.h"

namespace {

using namespace ward;

void make_file(const std::string& path) {
  if (std::FILE* file = std::fopen(path.c_str(), "w")) std::fclose(file);
}

void make_tree(const std::string& folder, std::size_t entries) {
  constexpr std::size_t kFiles = 17, kFolders = 3;  // of each folder
  std::vector<std::string> open = {folder};
  std::filesystem::create_directories(folder);
  std::size_t made = 0;
  for (std::size_t next = 0; next < open.size() && made < entries; ++next) {
    const std::string here = open[next];
    for (std::size_t i = 0; i < kFiles && made < entries; ++i, ++made)
      make_file(here + (made % 1000 == 5 ? "/.env" : "/file" + std::to_string(i) + ".txt"));
    for (std::size_t i = 0; i < kFolders && made < entries; ++i, ++made) {
      open.push_back(here + "/folder" + std::to_string(i));
      std::filesystem::create_directory(open.back());
    }
  }
}

// Milliseconds on the wall and, less disturbed by other load, on the processor.
struct Times {
  std::vector<double> wall, processor;
};

double now_ms(clockid_t clock) {
  struct timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void report(const char* what, Times times, const confine::WalkResult& last) {
  std::sort(times.wall.begin(), times.wall.end());
  std::sort(times.processor.begin(), times.processor.end());
  const std::size_t middle = times.wall.size() / 2;
  std::printf(
      "%-14s wall median %8.3f least %8.3f ms, cpu median %8.3f ms (%zu folders, %zu read, "
      "%zu entries, %zu matches%s%s)\n",
      what, times.wall[middle], times.wall.front(), times.processor[middle], last.stats.folders,
      last.stats.folders_read, last.stats.entries, last.matches.size(),
      last.stats.cache_note.empty() ? "" : "; ", last.stats.cache_note.c_str());
}

int measure(const char* what, const confine::WalkRequest& request, const confine::WalkCache* cache,
            int rounds) {
  Times times;
  confine::WalkResult last;
  for (int i = 0; i < rounds; ++i) {
    const double wall = now_ms(CLOCK_MONOTONIC), processor = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    auto result = confine::walk_tree(request, cache);
    times.wall.push_back(now_ms(CLOCK_MONOTONIC) - wall);
    times.processor.push_back(now_ms(CLOCK_PROCESS_CPUTIME_ID) - processor);
    if (!result) {
      std::fprintf(stderr, "%s\n", result.error().describe().c_str());
      return 1;
    }
    last = std::move(*result);
  }
  report(what, std::move(times), last);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::size_t entries = 0;
  if (arguments.size() >= 3 && arguments[0] == "--make") {
    entries = std::strtoull(arguments[1].c_str(), nullptr, 10);
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: walk_bench [--make ENTRIES] FOLDER [PATTERN...]\n");
    return 2;
  }
  if (entries != 0) make_tree(arguments[0], entries);
  const std::string root = std::filesystem::canonical(arguments[0]);
  std::vector<std::string> patterns(arguments.begin() + 1, arguments.end());
  if (patterns.empty()) patterns.push_back(policy::escape_glob(root) + "/**/.env");
  std::vector<policy::Glob> globs;
  for (const std::string& pattern : patterns) {
    auto glob = policy::Glob::compile(pattern);
    if (!glob) {
      std::fprintf(stderr, "%s\n", glob.error().describe().c_str());
      return 2;
    }
    globs.push_back(std::move(*glob));
  }
  auto set = policy::GlobSet::compile(std::move(globs));
  if (!set) return 2;
  confine::WalkRequest request;
  request.roots = {{root, {}}};
  request.globs = &*set;

  constexpr int kRounds = 21;
  int failed = measure("no index", request, nullptr, kRounds);
  std::string folder = std::filesystem::temp_directory_path() / "ward-walk-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const confine::WalkCache cache(folder + "/ward");
  failed |= measure("first, indexed", request, &cache, 1);
  failed |= measure("warm index", request, &cache, kRounds);
  std::filesystem::remove_all(folder);
  return failed;
}
