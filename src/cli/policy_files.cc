// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/policy_files.h"

#include <cerrno>

#include "policy/path_decision.h"
#include "sys/file.h"

namespace ward::cli {

namespace {

// Not waiting: a workspace may hold a FIFO under the name of a policy.
constexpr int kOpenDocument = O_RDONLY | O_NONBLOCK | O_NOCTTY;

Result<std::string> read_regular(int fd, const std::string& path, std::uint64_t max_bytes) {
  WARD_ASSIGN(struct stat status, sys::stat_fd(fd));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, path + ": not a regular file");
  return in_context(sys::read_fd(fd, max_bytes), path);
}

Error not_roots(const std::string& path, const std::string& why) {
  return Error(ErrorKind::denied, path + " " + why + ", so it cannot hold a managed policy")
      .with_remedy("as root, look at what is in it, then `chown root " + path + " && chmod go-w " +
                   path + "`");
}

Status check_roots(int fd, const std::string& path) {
  WARD_ASSIGN(struct stat status, sys::stat_fd(fd));
  if (status.st_uid != 0)
    return fail(not_roots(path, "belongs to uid " + std::to_string(status.st_uid)));
  // An access list that lets another write shows in the group's bits. In a folder as /tmp nobody
  // can replace what is root's.
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky)
    return fail(not_roots(path, "can be written by others than root"));
  return {};
}

// Follows no link: who can replace what it leads to would be another question at each step.
Result<UniqueFd> open_roots(int dirfd, const std::string& name, int flags,
                            const std::string& path) {
  Result<UniqueFd> fd = sys::open_at(dirfd, name, flags | O_NOFOLLOW);
  if (fd) WARD_TRY(check_roots(fd->get(), path));
  if (fd || (fd.error().os_errno() != ELOOP && fd.error().os_errno() != ENOTDIR)) return fd;
  return fail(Error(ErrorKind::denied, path + " is a symbolic link, or no folder, on the way to a "
                                              "managed policy")
                  .with_remedy("put the folders and the file themselves there"));
}

Result<std::string> place_of(const std::string& path) {
  WARD_ASSIGN(const UniqueFd fd, sys::open_path(path, O_PATH));
  return sys::path_of_fd(fd.get());
}

}  // namespace

Result<std::string> PolicyFiles::read(const std::string& path, std::uint64_t max_bytes) const {
  WARD_ASSIGN(UniqueFd fd, sys::open_path(path, kOpenDocument));
  return read_regular(fd.get(), path, max_bytes);
}

Result<std::string> PolicyFiles::read_managed(const std::string& path,
                                              std::uint64_t max_bytes) const {
  // Asked of the folder: where it is there without the file, somebody may have taken that away.
  WARD_TRY(sys::open_path(path.substr(0, path.rfind('/') + 1), O_PATH));
  // Each folder on the way: its owner can replace what is below it.
  WARD_ASSIGN(UniqueFd folder, open_roots(AT_FDCWD, "/", O_PATH | O_DIRECTORY, "/"));
  std::size_t start = 1;
  for (std::size_t slash; (slash = path.find('/', start)) != std::string::npos; start = slash + 1) {
    WARD_ASSIGN(folder, open_roots(folder.get(), path.substr(start, slash - start),
                                   O_PATH | O_DIRECTORY, path.substr(0, slash)));
  }
  WARD_ASSIGN(UniqueFd fd, open_roots(folder.get(), path.substr(start), kOpenDocument, path));
  return read_regular(fd.get(), path, max_bytes);
}

void protect_documents(policy::Filesystem& filesystem, std::span<const std::string> documents) {
  std::vector<policy::PathRule> rules;
  const policy::PathDecider decider(filesystem);
  const auto protect = [&](std::string path, const std::string& document) {
    if (!decider.decide(path).write.allowed) return;
    rules.push_back({policy::PathList::deny_write,
                     std::move(path),
                     true,
                     document,
                     {document, 0, policy::Scope::managed}});
  };
  for (const std::string& document : documents) {
    // The name, which may be a link, and the file that it leads to.
    const std::size_t name = document.rfind('/') + 1;
    if (auto folder = place_of(name == 0 ? "." : document.substr(0, name)))
      protect(*folder + (*folder == "/" ? "" : "/") + document.substr(name), document);
    if (auto file = place_of(document)) protect(std::move(*file), document);
  }
  filesystem.rules.insert(filesystem.rules.end(), rules.begin(), rules.end());
}

}  // namespace ward::cli
