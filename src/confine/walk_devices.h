// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What a walk knows of the file systems it meets: whether one is the kernel's own and not entered,
// and whether its folders' times may be believed by the index. Owned by one walk, asked once a
// device. Sources: statfs(2), linux/magic.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "sys/directory.h"

namespace ward::confine {

struct WalkDevice {
  std::uint64_t number = 0;
  std::uint64_t file_system = 0;  // identity over reboots, where the file system has one
  bool kernel = false;            // shows kernel state only
  bool indexable = false;         // its times come from this machine's clock
};

class WalkDevices {
 public:
  // The device `number` of the folder at `path` relative to `dirfd`; an empty path is `dirfd`
  // itself. Fails (not_found) where the folder was replaced since its device number was read.
  Result<WalkDevice> find(std::uint64_t number, int dirfd, const char* path);

 private:
  std::vector<WalkDevice> known_;
};

}  // namespace ward::confine
