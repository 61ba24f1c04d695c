// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// NetworkInside: what a sandbox's network namespace holds besides its own loopback. The addresses
// that the gateway answers for are local ones of the namespace, init binds the gateway's sockets to
// them and hands them out, so that nothing relays inside, and a few files name the resolver. Empty
// where the policy lets nothing out: then a sandbox has none of it. A plain value.
#pragma once

#include <string>
#include <vector>

#include "sys/inet.h"

namespace ward::confine {

struct InsideListener {
  sys::Endpoint endpoint;
  int type = SOCK_STREAM;
};

// A file that stands in the place of the host's. `path` is canonical on the host.
struct InsideFile {
  std::string path;
  std::string content;
};

struct NetworkInside {
  std::vector<sys::InetAddress> addresses;  // of the loopback interface
  std::vector<sys::InetBlock> routes;       // local inside, whoever owns them outside
  std::vector<InsideListener> listeners;
  std::vector<InsideFile> files;
  bool empty() const { return routes.empty() && listeners.empty() && files.empty(); }
};

}  // namespace ward::confine
