// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/gateway.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "egress/gateway/hub.h"
#include "egress/gateway/self_confinement.h"

namespace ward::egress {

namespace {

// What c-ares reads at every question.
const std::vector<std::string> kReadable = {"/etc/hosts", "/etc/resolv.conf", "/etc/host.conf",
                                            "/etc/nsswitch.conf"};

Status serve(Hub& hub, InterceptorFactory interceptor) {
  WARD_TRY(hub.start(interceptor));
  WARD_TRY(confine_self(kReadable));
  hub.run();
  return {};
}

}  // namespace

void run_gateway(UniqueFd channel, InterceptorFactory interceptor) {
  const Status begun = begin_self_confinement();
  asio::io_context loop(1);
  Hub hub(loop, std::move(channel));
  const Status status = begun ? serve(hub, interceptor) : begun;
  if (!status) {
    hub.channel().send(Failed{status.error().describe()});
    hub.channel().flush();
  }
  // Nothing is taken down: sessions that still wait refer to the hub, and the hub to the loop that
  // holds them. The kernel closes what is open.
  ::_exit(status ? 0 : 1);
}

}  // namespace ward::egress
