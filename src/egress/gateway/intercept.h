// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The gateway's Interceptor: ends the TLS of the sandbox's clients with a certificate of the
// sandbox's own authority, begins a verified one to the server, and passes HTTP/1.1 requests
// between them as request rules, gates and secrets permit. What is not HTTP/1.1 does not pass. One
// thread.
#pragma once

#include <memory>

#include "egress/gateway/flow.h"

namespace ward::egress {

// Reads the host's bundle of authorities where the spec brings none, so call it before the process
// loses sight of files. An InterceptorFactory.
Result<std::unique_ptr<Interceptor>> make_interceptor(Services& services, const GatewaySpec& spec);

}  // namespace ward::egress
