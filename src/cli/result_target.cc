// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/result_target.h"

#include <charconv>

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

}  // namespace

Result<ResultTarget> ResultTarget::open(const std::string& text) {
  ResultTarget target;
  if (text.empty()) return target;
  if (text.rfind("fd:", 0) == 0) {
    WARD_ASSIGN(target.fd_, adopt_descriptor(text));
    return target;
  }
  WARD_ASSIGN(target.fd_,
              in_context(sys::open_path(text, O_WRONLY | O_CREAT | O_NOCTTY, 0600), "--result"));
  WARD_ASSIGN(target.path_, sys::path_of_fd(target.fd_.get()));
  return target;
}

Status ResultTarget::write(const std::string& document) const {
  if (!path_.empty() && ::ftruncate(fd_.get(), 0) != 0) return fail_errno(errno, "write " + path_);
  return in_context(sys::write_all(fd_.get(), document), "--result");
}

}  // namespace ward::cli
