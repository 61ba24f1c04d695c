// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value or an Error. Every fallible function of Ward below main returns one; dropping
// one is a compiler error. Exceptions come from third-party libraries only and are caught at that
// library's wrapper.
#pragma once

// tl::expected 1.0.0 is not [[nodiscard]]; a declaration before the include makes it so.
namespace tl {
template <class T, class E>
class [[nodiscard]] expected;
}  // namespace tl

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace ward {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return fail(Error(kind, std::move(message)));
}
inline tl::unexpected<Error> fail_errno(int os_errno, std::string op) {
  return fail(Error::from_errno(os_errno, std::move(op)));
}

// Puts `context` in front of the error, if there is one.
template <class T>
Result<T> in_context(Result<T> result, const std::string& context) {
  if (!result) return fail(std::move(result).error().with_context(context));
  return result;
}

}  // namespace ward

#define WARD_CONCAT_INNER(a, b) a##b
#define WARD_CONCAT(a, b) WARD_CONCAT_INNER(a, b)

// WARD_TRY(expr): returns the error of a Status, if it is one.
// WARD_ASSIGN(lhs, expr): assigns the value of a Result to `lhs` (which may be a declaration), or
// returns its error.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define WARD_TRY(expr)                                     \
  do {                                                     \
    if (auto ward_status = (expr); !ward_status)           \
      return ::ward::fail(std::move(ward_status).error()); \
  } while (false)
#define WARD_ASSIGN_INNER(temp, lhs, expr)                 \
  auto temp = (expr);                                      \
  if (!temp) return ::ward::fail(std::move(temp).error()); \
  lhs = std::move(*temp)
#define WARD_ASSIGN(lhs, expr) WARD_ASSIGN_INNER(WARD_CONCAT(ward_result_, __COUNTER__), lhs, expr)
// NOLINTEND(bugprone-macro-parentheses)
