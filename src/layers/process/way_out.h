// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// WayOut: how one sandbox reaches what its policy allows outside, and how the host's loopback
// reaches what it publishes. It owns the gateway's process, knows what the sandbox's network
// namespace must hold for it, has init make the sockets that the gateway asks for, and turns the
// gateway's records into denials and lines of the log. A gateway that is gone leaves a sandbox
// without network; the run goes on. What the gateway says is bounded and checked: it parses hostile
// bytes. Owned by the run, on its one thread; nothing waits but start() where the certificate is
// needed, and finish().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "confine/connect_broker.h"
#include "confine/control.h"
#include "confine/denial.h"
#include "confine/network_inside.h"
#include "egress/client.h"
#include "egress/record.h"
#include "egress/spec.h"
#include "layers/process/lost_packets.h"
#include "sys/event.h"

namespace ward::process {

struct WayOutSpec {
  egress::GatewaySpec gateway;
  std::string program;  // the gateway's, an absolute path
  std::vector<std::uint16_t> publish;
  std::vector<confine::InsideFile> files = {};  // that programs inside are told of by a variable
};

// Whether a policy needs one at all.
bool needs_way_out(const policy::Policy& policy);

struct WayOutEvents {
  std::function<void(const confine::Denial&)> on_denial;
  // At most once a second, and at the end.
  std::function<void(std::span<const egress::Record>)> on_records;
  std::function<void(const std::string&)> on_warning;
  // The gateway never came up: the command runs without what it was started for.
  std::function<void(const std::string& why)> on_failed;
  std::function<void(const egress::Ask&)> on_ask;
  std::function<Status(const confine::Command&)> ask_for_socket;
  std::function<void(const sys::Endpoint&)> resume_connects;
};

class WayOut {
 public:
  // Starts the gateway, without waiting for it, and listens on the host for what is published. An
  // error names what is missing or taken.
  static Result<std::unique_ptr<WayOut>> start(WayOutSpec spec, WayOutEvents events);
  WayOut(const WayOut&) = delete;
  WayOut& operator=(const WayOut&) = delete;
  ~WayOut();

  const confine::NetworkInside& inside() const { return inside_; }
  confine::NetworkJudge judge();
  // Waits for the gateway to be ready, where something is to be intercepted: its certificate
  // authority, which programs inside are to trust.
  Result<std::string> certificate();
  // The sandbox of `init` is set up, and its command has not begun: the sockets of
  // inside().listeners, in their order, go to the gateway.
  void hand_over(pid_t init, std::vector<UniqueFd> listeners);

  // Readable when on_readable() has work; never an error that ends the run.
  int fd() const { return loop_.fd(); }
  Status on_readable();
  void on_socket(const confine::Report& report, UniqueFd socket);

  // `done` gets the reason why the old rules are still in force, or "".
  Status reload(egress::GatewaySpec spec, std::function<void(std::string)> done);
  Status decide(const egress::Decision& decision);
  const egress::GatewaySpec& spec() const { return spec_.gateway; }

  // The sandbox is gone: takes the last records, ends the gateway.
  void finish();

 private:
  // What a socket of init's is for.
  struct ListenRequest {
    egress::ListenerRole role = egress::ListenerRole::transparent;
    std::string name;
    sys::Endpoint endpoint;
  };
  struct ConnectRequest {
    std::uint64_t id = 0;
    sys::Endpoint endpoint;
  };
  using SocketRequest = std::variant<ListenRequest, ConnectRequest>;
  struct Offer {
    egress::ListenerOffer offer;
    UniqueFd socket;
  };

  WayOut(WayOutSpec spec, WayOutEvents events, egress::GatewayClient client, sys::EventLoop loop)
      : spec_(std::move(spec)),
        events_(std::move(events)),
        client_(std::move(client)),
        loop_(std::move(loop)) {}
  Status plan_inside();
  Status publish();
  Status publish_port(std::uint16_t port);

  void take_messages();
  void on_message(egress::FromGateway message);
  void on_record(egress::Record record);
  void on_need(const egress::NeedListener& need);
  void on_need(const egress::NeedConnection& need);
  void on_gone(const std::string& why);
  void request_socket(confine::Command::Kind kind, SocketRequest request);
  void refuse(const SocketRequest& request, const std::string& reason);
  void connect_inside(const ConnectRequest& request, UniqueFd socket);
  void connected(int fd);
  void offer_connection(const ConnectRequest& request, int socket, const std::string& reason);
  void flush();
  void tell_lost_packets();
  // The channel is broken where this fails.
  void check(Status sent);

  confine::NetworkJudge::Answer before_connect(const sys::Endpoint& endpoint, int type);
  std::optional<confine::ConnectRefusal> refused_connect(const sys::Endpoint& endpoint, int type,
                                                         int error);
  bool is_literal(const sys::InetAddress& address, std::uint16_t port) const;

  WayOutSpec spec_;
  WayOutEvents events_;
  std::optional<egress::GatewayClient> client_;
  sys::EventLoop loop_;
  UniqueFd flush_timer_;
  confine::NetworkInside inside_;
  std::vector<egress::ListenerOffer> inside_offers_;  // one for each of inside_.listeners
  std::vector<Offer> host_offers_;
  std::optional<std::string> certificate_;  // once the gateway is ready

  std::map<std::int32_t, SocketRequest> requests_;
  std::int32_t next_request_ = 1;
  struct Connecting {
    UniqueFd socket;
    ConnectRequest request;
  };
  std::map<int, Connecting> connecting_;
  std::map<sys::InetAddress, std::string> names_;  // by their addresses inside
  std::set<sys::Endpoint> listening_;              // of names, and literal ones
  std::set<sys::Endpoint> asked_;                  // literal ones that a connect waits for
  LostPackets lost_;
  std::uint64_t told_ = 0;  // of the lost ones, by refused_connect()
  std::vector<egress::Record> unsent_;
  std::size_t recorded_ = 0, dropped_ = 0;
  std::function<void(std::string)> reload_done_;
  std::optional<egress::GatewaySpec> reloading_;
};

// What the report says of an address that nothing allows.
confine::ConnectRefusal refusal_by(const policy::Network& network, const sys::Endpoint& endpoint);

// The variables that send a program to the gateway's proxies: "NAME=value".
std::vector<std::string> proxy_variables();

}  // namespace ward::process
