// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A fresh folder that is removed with everything in it. Owned by the test that makes it; the path
// is canonical, so that it can be compared with what the kernel reports. It lies in the home folder
// (scripts/run-tests makes one for the run): a sandbox has a /tmp and a /var/tmp of its own, where
// the host's files would be absent instead of denied. Where the home is not writable it is in
// /var/tmp.
#pragma once

#include <string>
#include <string_view>

namespace ward::test {

class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const { return path_; }
  // The path of `name` inside.
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Writes a file inside, making the folders on the way; returns its path.
  std::string write(std::string_view name, std::string_view content) const;
  // Makes a folder inside, and those on the way; returns its path.
  std::string make_dir(std::string_view name) const;

 private:
  std::string path_;
};

// The whole file; fails the test if it cannot be read.
std::string read_text(const std::string& path);

}  // namespace ward::test
