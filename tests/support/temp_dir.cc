// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "support/temp_dir.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ward::test {
namespace fs = std::filesystem;

namespace {
const std::string kFallback = "/var/tmp";
}  // namespace

TempDir::TempDir() {
  const char* home = std::getenv("HOME");
  for (const std::string& parent : {std::string(home != nullptr ? home : "/"), kFallback}) {
    std::string pattern = parent + "/ward-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) continue;
    path_ = fs::canonical(pattern).string();
    return;
  }
  throw std::runtime_error("mkdtemp in HOME and " + kFallback + ": " + std::strerror(errno));
}

TempDir::~TempDir() {
  std::error_code ignored;
  // A test may leave folders without permissions; give them back so that they can be removed.
  for (fs::recursive_directory_iterator
           it(path_, fs::directory_options::skip_permission_denied, ignored),
       end;
       !ignored && it != end; it.increment(ignored)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(path_, ignored);
}

std::string TempDir::write(std::string_view name, std::string_view content) const {
  std::string path = *this / name;
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string TempDir::make_dir(std::string_view name) const {
  std::string path = *this / name;
  fs::create_directories(path);
  return path;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace ward::test
