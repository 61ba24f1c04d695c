// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The folder where Ward keeps what outlives a run of one user: journal, trusted policies, held
// changes. It must be the user's alone: whoever else could write there could rewrite the record.
// Safe from any thread. Source: XDG Base Directory Specification 0.8.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ward::sys {

// $XDG_STATE_HOME/ward, or ~/.local/state/ward where that is unset, empty or relative. Arguments
// are the variables' values, null where unset. not_found where both say nothing.
Result<std::string> state_folder_path(const char* xdg_state_home, const char* home);

// Opens the folder; refuses (denied) a symbolic link, another user's folder, one that group or
// others can write. One that others can only read is made 0700.
Result<UniqueFd> open_state_folder(const std::string& path);
// The same; makes it with mode 0700, and its parents, if absent.
Result<UniqueFd> make_state_folder(const std::string& path);

}  // namespace ward::sys
