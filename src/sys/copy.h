// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Copying and comparing the contents of regular files, holes kept: a file that says it is a
// terabyte and holds a page costs a page. Safe from any thread. Sources: ioctl_ficlone(2),
// copy_file_range(2), lseek(2) with SEEK_DATA (Linux 3.1).
#pragma once

#include "base/result.h"

namespace ward::sys {

// Makes `to`, an empty file open for writing, hold what `from` holds. Shares the blocks where the
// file system can.
Status copy_contents(int from, int to);

// Whether two regular files hold the same bytes. Neither position is changed.
Result<bool> same_contents(int a, int b);

}  // namespace ward::sys
