// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The heap of a short-lived process, in one piece: each first touch of a page costs a fault, which
// on a virtual machine is dearer than all that is done with the page. Sources: mallopt(3),
// madvise(2) MADV_POPULATE_WRITE (Linux 5.14; older kernels fault page by page).
#pragma once

#include <cstddef>

namespace ward::sys {

// Makes `bytes` of memory ready for malloc(3). Call it after fork(2), which would make the pages
// shared, and fault once more each.
void prepare_heap(std::size_t bytes);

}  // namespace ward::sys
