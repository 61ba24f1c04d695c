// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The network step of init, and the sockets it makes later at the supervisor's word. Post-fork
// code.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "confine/control.h"
#include "confine/setup.h"
#include "sys/raw.h"
#include "sys/raw_inet.h"

namespace ward::confine {

namespace raw = sys::raw;

long send_with_descriptors(int channel, const Report& report, std::span<const int> fds) {
  const long sent = raw::send_with_fds(channel, &report, sizeof report, fds);
  return sent < 0 ? sent : 0;
}

namespace {

// A bit of the report's `value` for each socket of the chunk that could be made.
long hand_out_chunk(InitState& state, std::size_t first, std::size_t count, bool with_ipv6) {
  Report report;
  report.kind = Report::Kind::listeners;
  report.detail = static_cast<std::int32_t>(first);
  std::array<int, kMaxReportFds> fds;
  std::size_t made = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const SetupListener& wanted = state.plan->listeners[first + i];
    if (wanted.endpoint.address.family == AF_INET6 && !with_ipv6) continue;
    state.detail = static_cast<std::int32_t>(first + i);
    const long fd = raw::bound_socket(wanted.endpoint, wanted.type);
    if (fd < 0) return fd;
    fds[made++] = static_cast<int>(fd);
    report.value |= std::int32_t{1} << i;
  }
  const long status = send_with_descriptors(state.channels.launch, report, {fds.data(), made});
  for (std::size_t i = 0; i < made; ++i) raw::close(fds[i]);
  return status;
}

}  // namespace

// A machine without IPv6 has nothing to route there.
long open_network(InitState& state) {
  const SetupPlan& plan = *state.plan;
  if (plan.routes.empty() && plan.listeners.empty()) return 0;
  const raw::LocalAddresses local = {plan.addresses, plan.routes};
  long status = raw::add_local_addresses(local, AF_INET);
  if (status < 0) return status;
  const bool with_ipv6 = raw::add_local_addresses(local, AF_INET6) == 0;
  for (std::size_t first = 0; first < plan.listeners.size(); first += kMaxReportFds) {
    const std::size_t count = std::min(kMaxReportFds, plan.listeners.size() - first);
    status = hand_out_chunk(state, first, count, with_ipv6);
    if (status < 0) return status;
  }
  state.detail = -1;
  return 0;
}

void answer_socket_request(int control, const Command& request) {
  Report report;
  report.kind = Report::Kind::socket;
  report.detail = request.value;
  const long fd =
      request.kind == Command::Kind::listen
          ? raw::bound_socket(request.endpoint, SOCK_STREAM)
          : raw::value_or_errno(::socket(request.endpoint.address.family,
                                         SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd < 0) {
    report.value = static_cast<std::int32_t>(-fd);
    send_with_descriptors(control, report, {});
    return;
  }
  const int made = static_cast<int>(fd);
  // Where the descriptor cannot be sent, at least the answer is.
  if (const long status = send_with_descriptors(control, report, {&made, 1}); status < 0) {
    report.value = static_cast<std::int32_t>(-status);
    send_with_descriptors(control, report, {});
  }
  raw::close(made);
}

}  // namespace ward::confine
