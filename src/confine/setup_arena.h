// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// SetupArena: memory that the supervisor and a sandbox's init share at the same address. Init is
// cloned before its plan exists, so that the kernel makes the namespaces while the supervisor
// plans; the plan is then written here, as plain data, and read there. Written by one process and
// read by the other after a message; made before the clone. Source: mmap(2) MAP_SHARED.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace ward::confine {

class SetupArena {
 public:
  // Room for a plan of a million rows; pages that are not used cost nothing.
  static constexpr std::size_t kBytes = std::size_t{1} << 30U;

  static Result<SetupArena> create();
  SetupArena(SetupArena&& other) noexcept;
  SetupArena& operator=(SetupArena&& other) noexcept;
  ~SetupArena();

  // Null-terminated.
  const char* text(std::string_view words) {
    char* at = static_cast<char*>(take(words.size() + 1, 1));
    if (!words.empty()) std::memcpy(at, words.data(), words.size());
    at[words.size()] = '\0';
    return at;
  }

  template <class T>
  std::span<T> array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* at = static_cast<T*>(take(values.size() * sizeof(T), alignof(T)));
    if (!values.empty())
      std::memcpy(static_cast<void*>(at), static_cast<const void*>(values.data()),
                  values.size() * sizeof(T));
    return {at, values.size()};
  }

  template <class T>
  T* object(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* at = static_cast<T*>(take(sizeof(T), alignof(T)));
    *at = value;
    return at;
  }

 private:
  explicit SetupArena(char* memory) : memory_(memory) {}
  void* take(std::size_t bytes, std::size_t alignment);
  char* memory_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace ward::confine
