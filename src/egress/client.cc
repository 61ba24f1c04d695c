// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/client.h"

#include <unistd.h>

#include <array>

#include "sys/file.h"
#include "sys/memory_file.h"
#include "sys/program.h"
#include "sys/socket.h"
#include "sys/stream.h"

namespace ward::egress {

namespace {

constexpr const char* kProgramName = "ward-gateway";

}  // namespace

Result<std::string> find_gateway_program() {
  WARD_ASSIGN(const std::string self, sys::readlink_at(AT_FDCWD, "/proc/self/exe"));
  const std::string folder = self.substr(0, self.rfind('/'));
  const std::array<std::string, 2> places = {
      folder + "/" + kProgramName,
      folder.substr(0, folder.rfind('/')) + "/libexec/ward/" + kProgramName};
  for (const std::string& place : places)
    if (::access(place.c_str(), X_OK) == 0) return place;
  return fail(Error(ErrorKind::not_found,
                    "the egress gateway is neither at " + places[0] + " nor at " + places[1])
                  .with_remedy("install the whole of Ward, or allow no host"));
}

Result<GatewayClient> GatewayClient::start(const std::string& program, const GatewaySpec& spec) {
  WARD_ASSIGN(auto ends, sys::socket_pair());
  const std::array<std::string, 1> argv = {program};
  WARD_ASSIGN(sys::StartedProgram started,
              sys::start_program(argv, ends.second.get(), kGatewayChannelFd));
  GatewayClient client(std::move(ends.first), std::move(started.process), started.pid);
  // The supervisor waits for nobody: a gateway that reads nothing is an error, not a hang.
  WARD_TRY(sys::set_nonblocking(client.channel_.get()));
  WARD_ASSIGN(const UniqueFd memory, sys::sealed_memory("ward-gateway", serialise(spec)));
  WARD_TRY(client.send(Configure{}, memory.get()));
  return client;
}

GatewayClient& GatewayClient::operator=(GatewayClient&& other) noexcept {
  std::swap(channel_, other.channel_);
  std::swap(process_, other.process_);
  std::swap(pid_, other.pid_);
  return *this;
}

GatewayClient::~GatewayClient() { (void)stop(std::chrono::milliseconds(0)); }

Status GatewayClient::send(const ToGateway& message, int fd) {
  const std::string bytes = encode(message);
  const std::span<const int> fds(&fd, fd < 0 ? 0 : 1);
  return in_context(sys::send_message(channel_.get(), bytes, fds), "talk to the egress gateway");
}

Status GatewayClient::offer(const ListenerOffer& listener, int socket) {
  return send(listener, socket);
}
Status GatewayClient::refuse(const ListenerRefused& refused) { return send(refused); }
Status GatewayClient::connect(const ConnectionOffer& connection, int socket) {
  return send(connection, socket);
}
Status GatewayClient::decide(const Decision& decision) { return send(decision); }
Status GatewayClient::end() { return send(End{}); }

Status GatewayClient::reconfigure(const GatewaySpec& spec) {
  WARD_ASSIGN(const UniqueFd memory, sys::sealed_memory("ward-gateway", serialise(spec)));
  return send(Reconfigure{}, memory.get());
}

Result<std::optional<GatewayClient::Received>> GatewayClient::receive() {
  auto message = sys::receive_message(channel_.get(), kMaxMessageBytes);
  if (!message && message.error().kind() == ErrorKind::busy) return std::nullopt;
  if (!message && message.error().os_errno() != ECONNRESET)
    return fail(std::move(message).error().with_context("listen to the egress gateway"));
  if (!message || message->bytes.empty()) return Received(Closed{});
  WARD_ASSIGN(FromGateway decoded, decode_from_gateway(message->bytes));
  return Received(std::move(decoded));
}

std::optional<int> GatewayClient::stop(std::chrono::milliseconds patience) {
  if (pid_ < 0) return std::nullopt;
  channel_.reset();
  const int status = sys::end_program(pid_, process_.get(), patience);
  process_.reset();
  pid_ = -1;
  return status;
}

}  // namespace ward::egress
