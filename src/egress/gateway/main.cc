// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ward-gateway: the egress gateway of one sandbox, started by the supervisor with its channel as
// descriptor 3. Not for use by hand.
#include <netdb.h>

#include "egress/client.h"
#include "egress/gateway/gateway.h"

#ifdef WARD_NO_NAME_SERVICE
// Libraries that are linked in refer to the C library's resolver, which in a static program would
// load modules of the host at run time. The gateway resolves by c-ares alone, so it has none.
extern "C" int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**) {
  return EAI_FAIL;
}
extern "C" void freeaddrinfo(addrinfo*) {}
#endif

int main() {
  return ward::egress::run_gateway(ward::UniqueFd(ward::egress::kGatewayChannelFd), nullptr);
}
