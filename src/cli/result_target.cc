// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/result_target.h"

#include <linux/openat2.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "sys/file.h"

namespace ward::cli {

namespace {

Result<UniqueFd> adopt_descriptor(const std::string& text) {
  int number = -1;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + 3, end, number);
  if (error != std::errc() || stop != end || number < 3)
    return fail(Error(ErrorKind::invalid, "--result " + text + ": not a descriptor number")
                    .with_remedy("write fd:3 or a higher number"));
  if (::fcntl(number, F_SETFD, FD_CLOEXEC) != 0)
    return fail(Error::from_errno(errno, "--result " + text)
                    .with_remedy("open it in the shell, as in 3>result.json"));
  return UniqueFd(number);
}

// The way behind the working folder may be a sandbox's own making, and a link on it would have Ward
// write over any file of its user. The last component is never a link.
Result<UniqueFd> open_file(const std::string& text) {
  std::string_view way = text;
  Result<std::string> cwd = sys::readlink_at(AT_FDCWD, "/proc/self/cwd");
  if (cwd && way.starts_with(*cwd + "/")) way.remove_prefix(cwd->size() + 1);
  while (way.size() > 1 && way.starts_with('/') && text.size() != way.size()) way.remove_prefix(1);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
  Result<UniqueFd> file = sys::open_resolved(
      AT_FDCWD, std::string(way), kFlags,
      way.starts_with('/') ? std::uint64_t{0} : std::uint64_t{RESOLVE_NO_SYMLINKS}, 0600);
  if (file) return file;
  Error error = Error::from_errno(file.error().os_errno(), "--result " + text);
  if (error.os_errno() == ELOOP)
    error = std::move(error).with_remedy("name the file itself: it is not written through a link");
  return fail(std::move(error));
}

}  // namespace

Result<ResultTarget> ResultTarget::open(const std::string& text) {
  ResultTarget target;
  if (text.empty()) return target;
  if (text.rfind("fd:", 0) == 0) {
    WARD_ASSIGN(target.fd_, adopt_descriptor(text));
    return target;
  }
  WARD_ASSIGN(target.fd_, open_file(text));
  WARD_ASSIGN(target.path_, sys::path_of_fd(target.fd_.get()));
  return target;
}

Status ResultTarget::write(const std::string& document) const {
  if (!path_.empty() && ::ftruncate(fd_.get(), 0) != 0) return fail_errno(errno, "write " + path_);
  return in_context(sys::write_all(fd_.get(), document), "--result");
}

}  // namespace ward::cli
