// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Accepts connections on the sockets the gateway is handed, and starts the session that the
// socket's role says. Nothing is accepted while the supervisor is behind with the records; a
// connection too many is reset at once, and recorded. One thread.
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/wire.h"

namespace ward::egress {

class Hub;

// Serves the socket for as long as the gateway runs.
Status listen_on(Hub& hub, const ListenerOffer& offer, UniqueFd socket);

}  // namespace ward::egress
