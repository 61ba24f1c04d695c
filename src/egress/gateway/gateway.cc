// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/gateway.h"

namespace ward::egress {

int run_gateway(UniqueFd channel, InterceptorFactory) { return channel.valid() ? 0 : 1; }

}  // namespace ward::egress
