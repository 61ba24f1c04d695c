// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/state_folder.h"

#include <unistd.h>

#include <cerrno>

#include "sys/file.h"

namespace ward::sys {

namespace {

constexpr mode_t kOwnMode = 0700;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

Result<UniqueFd> open_folder(const std::string& path) {
  auto folder = open_path(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (folder || (folder.error().os_errno() != ELOOP && folder.error().os_errno() != ENOTDIR))
    return folder;
  return fail(Error(ErrorKind::denied, "state folder " + path + " is not a folder of its own")
                  .with_remedy("replace the link or file by a folder"));
}

Status check_owner(int folder, const std::string& path) {
  WARD_ASSIGN(struct stat status, stat_fd(folder));
  if (status.st_uid != ::geteuid())
    return fail(Error(ErrorKind::denied,
                      "state folder " + path + " belongs to uid " + std::to_string(status.st_uid))
                    .with_remedy("set XDG_STATE_HOME to a folder of your own"));
  if ((status.st_mode & kOthersWrite) != 0)
    return fail(Error(ErrorKind::denied, "state folder " + path + " is writable by others")
                    .with_remedy("look at what is in it, then chmod 700 it"));
  if ((status.st_mode & 0777U) != kOwnMode && ::fchmod(folder, kOwnMode) != 0 && errno != EROFS)
    return fail_errno(errno, "chmod 700 " + path);
  return {};
}

}  // namespace

Result<std::string> state_folder_path(const char* xdg_state_home, const char* home) {
  if (xdg_state_home != nullptr && *xdg_state_home == '/')
    return std::string(xdg_state_home) + "/ward";
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/ward";
  return fail(Error(ErrorKind::not_found, "no state folder: XDG_STATE_HOME and HOME are not set")
                  .with_remedy("set HOME"));
}

Result<UniqueFd> open_state_folder(const std::string& path) {
  WARD_ASSIGN(UniqueFd folder, open_folder(path));
  WARD_TRY(check_owner(folder.get(), path));
  return folder;
}

Result<UniqueFd> make_state_folder(const std::string& path) {
  auto folder = open_state_folder(path);
  if (folder || folder.error().os_errno() != ENOENT) return folder;
  WARD_TRY(in_context(make_dirs(path, kOwnMode), "make the state folder"));
  return open_state_folder(path);
}

}  // namespace ward::sys
