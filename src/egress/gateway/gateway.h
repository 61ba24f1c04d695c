// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The gateway's life: takes its configuration from the channel, confines itself, serves the
// listening sockets it is handed, and ends when the channel does. One thread.
#pragma once

#include "base/unique_fd.h"
#include "egress/gateway/flow.h"

namespace ward::egress {

// The whole life of the program; exits. `interceptor` may be null: then a configuration that needs
// one is refused.
[[noreturn]] void run_gateway(UniqueFd channel, InterceptorFactory interceptor);

}  // namespace ward::egress
