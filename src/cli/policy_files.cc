// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/policy_files.h"

#include "sys/file.h"

namespace ward::cli {

Result<std::string> PolicyFiles::read(const std::string& path, std::uint64_t max_bytes) const {
  // Not waiting: a workspace may hold a FIFO under the name of a policy.
  WARD_ASSIGN(UniqueFd fd, sys::open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  WARD_ASSIGN(struct stat status, sys::stat_fd(fd.get()));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, path + ": not a regular file");
  return in_context(sys::read_fd(fd.get(), max_bytes), path);
}

}  // namespace ward::cli
