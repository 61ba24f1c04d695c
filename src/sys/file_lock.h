// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Advisory locks of whole files and folders, held by an open descriptor and gone with it. Safe from
// any thread. Source: flock(2).
#pragma once

#include "base/result.h"

namespace ward::sys {

enum class LockMode { shared, exclusive };

// Takes the lock, or converts the one held, without waiting; held by somebody else: kind busy.
Status try_lock(int fd, LockMode mode);
void unlock(int fd);

}  // namespace ward::sys
