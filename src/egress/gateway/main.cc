// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// ward-gateway: the egress gateway of one sandbox, started by the supervisor with its channel as
// descriptor 3. Not for use by hand.
#include <dlfcn.h>
#include <netdb.h>

#include "egress/client.h"
#include "egress/gateway/gateway.h"
#include "egress/gateway/intercept.h"

#ifdef WARD_NO_NAME_SERVICE
// Libraries that are linked in refer to the C library's name services, which in a static program
// would load modules of the host at run time. The gateway needs none of them: names are c-ares's,
// and nothing is loaded.
extern "C" {
int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**) { return EAI_FAIL; }
void freeaddrinfo(addrinfo*) noexcept {}
int getnameinfo(const sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int) {
  return EAI_FAIL;
}
hostent* gethostbyname(const char*) { return nullptr; }
servent* getservbyname(const char*, const char*) { return nullptr; }
servent* getservbyport(int, const char*) { return nullptr; }
int getservbyport_r(int, const char*, servent*, char*, std::size_t, servent** found) {
  *found = nullptr;
  return 0;
}
void endservent() {}
protoent* getprotobyname(const char*) { return nullptr; }
protoent* getprotobynumber(int) { return nullptr; }
void endprotoent() {}
void* dlopen(const char*, int) noexcept { return nullptr; }
}
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// The search for leaks needs a process of its own, which the gateway's filter does not let it make.
extern "C" int __lsan_is_turned_off() { return 1; }
#endif
#endif

int main() {
  ward::egress::run_gateway(ward::UniqueFd(ward::egress::kGatewayChannelFd),
                            &ward::egress::make_interceptor);
}
