// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/setup_arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace ward::confine {

Result<SetupArena> SetupArena::create() {
  void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return fail_errno(errno, "map the memory of a sandbox's plan");
  return SetupArena(static_cast<char*>(memory));
}

SetupArena::SetupArena(SetupArena&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), used_(other.used_) {}

SetupArena& SetupArena::operator=(SetupArena&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(used_, other.used_);
  return *this;
}

SetupArena::~SetupArena() {
  if (memory_ != nullptr) ::munmap(memory_, kBytes);
}

void* SetupArena::take(std::size_t bytes, std::size_t alignment) {
  used_ = (used_ + alignment - 1) / alignment * alignment;
  // The walk's own maximum of matches (tree_walk.h) keeps plans far below this.
  if (bytes > kBytes - used_) std::abort();
  void* at = memory_ + used_;
  used_ += bytes;
  return at;
}

}  // namespace ward::confine
