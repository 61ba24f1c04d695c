// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace ward {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid: return "invalid";
    case ErrorKind::denied: return "denied";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::busy: return "busy";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::exhausted: return "exhausted";
    case ErrorKind::io: return "io";
    case ErrorKind::bug: return "bug";
  }
  return "bug";
}

namespace {

ErrorKind kind_of_errno(int os_errno) {
  switch (os_errno) {
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::denied;
    case ENOENT:
    case ESRCH:
    case ENOTDIR: return ErrorKind::not_found;
    case ENOSYS:
    case EOPNOTSUPP:
    case EAFNOSUPPORT: return ErrorKind::unsupported;
    case EBUSY:
    case EAGAIN:
    case EEXIST: return ErrorKind::busy;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP: return ErrorKind::invalid;
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case EDQUOT:
    case ENOMEM: return ErrorKind::exhausted;
    default: return ErrorKind::io;
  }
}

}  // namespace

Error Error::from_errno(int os_errno, std::string op) {
  Error error(kind_of_errno(os_errno), std::move(op) + ": " + std::strerror(os_errno));
  error.os_errno_ = os_errno;
  return error;
}

Error Error::with_context(std::string context) && {
  context_.push_back(std::move(context));
  return std::move(*this);
}

Error Error::with_remedy(std::string remedy) && {
  if (remedy_.empty()) remedy_ = std::move(remedy);
  return std::move(*this);
}

std::string Error::message() const {
  std::string text;
  for (auto it = context_.rbegin(); it != context_.rend(); ++it) text += *it + ": ";
  return text + message_;
}

std::string Error::describe() const {
  return remedy_.empty() ? message() : message() + " (" + remedy_ + ")";
}

}  // namespace ward
