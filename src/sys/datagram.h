// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// One datagram to a local socket by path, as a log daemon listens on. Safe from any thread.
// Source: unix(7), sendto(2).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ward::sys {

// Never waits: a full queue is an error of kind busy, nobody listening not_found or io.
Status send_datagram(const std::string& socket_path, std::string_view bytes);

}  // namespace ward::sys
