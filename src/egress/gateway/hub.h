// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Hub: what the gateway's sessions share: the rules in force, the resolver, the channel, the
// addresses of names, the connections that are open. It is the Services of an interceptor. Owned
// by run_gateway(); everything runs on its loop's one thread.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "egress/address.h"
#include "egress/decide.h"
#include "egress/gateway/channel.h"
#include "egress/gateway/flow.h"
#include "egress/gateway/io.h"
#include "egress/gateway/resolver.h"
#include "egress/gateway/tunnel.h"

namespace ward::egress {

// Named limits of one gateway.
inline constexpr std::size_t kMaxConnections = 2048;
inline constexpr std::size_t kDescriptorsEach = 6;  // two sockets, and two pipes under way
inline constexpr std::size_t kSpareDescriptors = 256;
inline constexpr std::size_t kMaxDnsStreams = 64;
inline constexpr std::size_t kMaxNames = 1024;
inline constexpr std::size_t kMaxListeners = 8192;
inline constexpr auto kHeadPatience = std::chrono::seconds(20);  // for a head or a hello
inline constexpr auto kWritePatience = std::chrono::seconds(30);
inline constexpr auto kListenerPatience = std::chrono::seconds(5);
inline constexpr auto kConnectPatience = std::chrono::seconds(15);
inline constexpr auto kFirstTryPatience = std::chrono::seconds(2);  // where another address follows

class Hub final : public Services {
 public:
  // An open connection, so that it can be ended: at the end, and when a reload of the policy denies
  // it. Registered while it lives; one a session.
  class Open {
   public:
    Open(Hub& hub, const Socket& client, Record& record);
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open();
    // The upstream while it is this session's; -1: not, or not any longer.
    void set_upstream(int fd) { upstream_ = fd; }
    void set_target(Target target) { target_ = std::move(target); }

   private:
    friend class Hub;
    void end(const std::string& reason);
    Hub& hub_;
    int client_, upstream_ = -1;
    Record& record_;
    Target target_;
    std::list<Open*>::iterator place_;
  };

  // A connection to the resolver, of which there are few at a time.
  class DnsStream {
   public:
    explicit DnsStream(Hub& hub) : hub_(hub) { ++hub_.dns_streams_; }
    DnsStream(const DnsStream&) = delete;
    DnsStream& operator=(const DnsStream&) = delete;
    ~DnsStream() { --hub_.dns_streams_; }
    bool free() const { return hub_.dns_streams_ <= kMaxDnsStreams; }

   private:
    Hub& hub_;
  };

  Hub(asio::io_context& loop, UniqueFd channel);
  ~Hub() override;

  // --- Services ---
  Task<Result<Socket>> dial(const Target& target, Record& record) override;
  Task<Decision> ask(Ask question) override;
  void report(Record record) override { channel_.send(std::move(record)); }
  std::shared_ptr<const GatewaySpec> spec() const override { return spec_; }
  asio::io_context& loop() override { return loop_; }

  // Takes the rules that the channel brings first. What it needs of files is read here.
  Status start(InterceptorFactory make_interceptor);
  // Serves until the channel closes or End comes.
  void run();

  Interceptor* interceptor() { return interceptor_.get(); }
  GatewayChannel& channel() { return channel_; }
  PipePool& pipes() { return pipes_; }
  bool full() const { return open_.size() >= max_connections_; }

  // The own address of an allowed name, once something listens there at every port in `ports`.
  Task<Result<Address>> address_for(const std::string& name, Address::Family family,
                                    const std::vector<std::uint16_t>& ports);
  // Whether the question that was refused last is asked again at once.
  bool asked_again(const std::string& name);
  // A connected socket to a port inside.
  Task<Result<Socket>> connect_inside(std::uint16_t port);

 private:
  using Place = std::pair<std::string, std::uint16_t>;  // address and port

  void received(Incoming incoming);
  void take_listener(const ListenerOffer& offer, UniqueFd socket);
  Status reconfigure(int memory);
  void finish();
  Task<void> finish_slowly();
  Task<Result<std::vector<Address>>> checked_addresses(const Target& target, Record& record);

  asio::io_context& loop_;
  GatewayChannel channel_;
  std::shared_ptr<const GatewaySpec> spec_;
  std::unique_ptr<Resolver> resolver_;
  PipePool pipes_;
  std::size_t max_connections_;
  std::size_t max_listeners_;
  std::list<Open*> open_;
  std::size_t dns_streams_ = 0;
  bool ending_ = false;

  std::map<std::string, std::uint32_t> names_;
  std::set<Place> listening_, asked_for_;
  Signal listeners_changed_;
  std::string last_refused_;
  Clock::time_point last_refused_at_{};

  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Decision> decisions_;
  std::map<std::uint64_t, std::pair<UniqueFd, std::string>> connections_;
  std::set<std::uint64_t> waiting_;
  Signal answers_changed_;
  std::unique_ptr<Interceptor> interceptor_;
};

// Writes a refusal into a record.
void fill_refusal(Record& record, const Ruling& ruling);

}  // namespace ward::egress
