// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The words that /proc/PID/cmdline shows of this process. The kernel reads them from the process's
// own memory, for whoever asks and without the permission that /proc/PID/environ needs. For code
// between clone and exec: no allocation, negative errno. Source: proc(5), stat's fields arg_start
// and arg_end (Linux 3.5).
#pragma once

#include <string_view>

namespace ward::sys::raw {

// Writes the title over all of them, cut to their length; the rest is NUL. Pointers to them, such
// as main's argv, lead to the title then.
long replace_own_arguments(std::string_view title);

}  // namespace ward::sys::raw
