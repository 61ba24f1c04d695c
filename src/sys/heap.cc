// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace ward::sys {

void prepare_heap(std::size_t bytes) {
  // From the break, not from a mapping of its own, and kept when it is freed.
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(2 * bytes));
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(4 * bytes));
  void* room = std::malloc(bytes);
  if (room == nullptr) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* begin = room;
  std::size_t whole = bytes;
  if (std::align(page, page, begin, whole) != nullptr)
    ::madvise(begin, whole / page * page, MADV_POPULATE_WRITE);
  std::free(room);
}

}  // namespace ward::sys
