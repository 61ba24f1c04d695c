// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/way_out.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "egress/decide.h"
#include "egress/inside.h"
#include "policy/explain.h"
#include "sys/file.h"
#include "sys/raw_inet.h"

namespace ward::process {

namespace {

using egress::ListenerRole;

constexpr std::chrono::milliseconds kFlushDelay{1000};
constexpr std::size_t kFlushAt = 256;
// Of one run: a program that asks for a million names does not fill the disk.
constexpr std::size_t kMostRecords = 100'000;
constexpr std::size_t kMostRequests = 1024;  // sockets that init is asked for at a time
constexpr std::size_t kMostNames = 65'536, kMostListeners = 131'072;
constexpr int kMessagesInARow = 64;  // then the sandbox's calls have their turn
constexpr std::chrono::milliseconds kReadyPatience{10'000}, kEndPatience{1000};

sys::InetBlock block_of(const char* text) { return sys::parse_inet_block(text).value(); }
sys::InetAddress address_of(const char* text) { return sys::parse_inet_address(text).value(); }

bool is_inside(const sys::InetAddress& address) {
  static const sys::InetBlock v4 = block_of(egress::kInsideBlockV4);
  static const sys::InetBlock v6 = block_of(egress::kInsideBlockV6);
  return v4.contains(address) || v6.contains(address);
}

// Where the host's file really is; a link may lead into a folder that is private inside and empty.
Result<std::string> target_of(const std::string& path) {
  if (Result<UniqueFd> fd = sys::open_path(path, O_PATH)) return sys::path_of_fd(fd->get());
  Result<std::string> link = sys::readlink_at(AT_FDCWD, path);
  if (!link)
    return fail(Error(ErrorKind::not_found, "there is no " + path + " to stand in for")
                    .with_remedy("make an empty file of that name, or allow no host"));
  return link->starts_with('/') ? *link : "/etc/" + *link;
}

// What the report says of a host that was not let through, in the words of `ward policy explain`.
confine::ConnectRefusal refusal(const policy::Network& network, const std::string& host,
                                std::uint16_t port) {
  confine::ConnectRefusal refused;
  refused.target = egress::host_and_port(host, port);
  if (const auto explained = policy::explain_host(network, refused.target)) {
    refused.rule = explained->lines.front().rule;
    refused.remedy = explained->lines.front().remedy;
  }
  return refused;
}

confine::Denial denial_of(const policy::Network& network, const egress::Record& record) {
  confine::Denial denial;
  const bool question = record.kind == egress::RecordKind::question;
  denial.act = question ? confine::Denial::Act::name : confine::Denial::Act::connect;
  denial.target =
      question || record.port == 0 ? record.host : egress::host_and_port(record.host, record.port);
  denial.rule = record.rule;
  const std::uint16_t port = record.port == 0 ? std::uint16_t{443} : record.port;
  const confine::ConnectRefusal of_policy = refusal(network, record.host, port);
  denial.remedy = of_policy.rule == record.rule ? of_policy.remedy : record.reason;
  return denial;
}

// Inside, loopback is the sandbox's own: who allows the host's means its ports.
void add_loopback_ports(policy::Network& network) {
  for (const policy::HostRule& rule : network.allow) {
    const auto address = sys::parse_inet_address(rule.host);
    if (rule.host != "localhost" && !(address && address->is_loopback())) continue;
    const std::vector<std::uint16_t> ports =
        rule.port ? std::vector{*rule.port} : std::vector<std::uint16_t>{80, 443};
    for (const std::uint16_t port : ports)
      if (std::find(network.host_ports.begin(), network.host_ports.end(), port) ==
          network.host_ports.end())
        network.host_ports.push_back(port);
  }
}

}  // namespace

confine::ConnectRefusal refusal_by(const policy::Network& network, const sys::Endpoint& endpoint) {
  return refusal(network, sys::to_string(endpoint.address), endpoint.port);
}

bool needs_way_out(const policy::Policy& policy) {
  return policy.network.allows_anything() || !policy.publish.empty();
}

Result<std::unique_ptr<WayOut>> WayOut::start(WayOutSpec spec, WayOutEvents events) {
  add_loopback_ports(spec.gateway.network);
  WARD_ASSIGN(sys::EventLoop loop, sys::EventLoop::create());
  WARD_ASSIGN(egress::GatewayClient client,
              egress::GatewayClient::start(spec.program, spec.gateway));
  const int channel = client.channel();
  std::unique_ptr<WayOut> way(
      new WayOut(std::move(spec), std::move(events), std::move(client), std::move(loop)));
  WARD_TRY(way->publish());
  WARD_TRY(way->plan_inside());
  WARD_ASSIGN(way->flush_timer_, sys::make_timer());
  WARD_TRY(way->loop_.add(way->flush_timer_.get(), EPOLLIN,
                          [at = way.get()](std::uint32_t) { at->flush(); }));
  WARD_TRY(
      way->loop_.add(channel, EPOLLIN, [at = way.get()](std::uint32_t) { at->take_messages(); }));
  return way;
}

WayOut::~WayOut() = default;

// The services of the gateway, the ports of the host, the resolver; and the addresses that the
// policy allows become local ones, so that a connect to one can be answered.
Status WayOut::plan_inside() {
  const policy::Network& network = spec_.gateway.network;
  if (!network.allows_anything()) return {};
  auto listen = [this](ListenerRole role, const sys::Endpoint& endpoint, int type) {
    inside_.listeners.push_back({endpoint, type});
    inside_offers_.push_back({role, "", sys::to_string(endpoint.address), endpoint.port});
  };
  const sys::InetAddress gateway = address_of(egress::kGatewayV4);
  listen(ListenerRole::dns, {gateway, egress::kDnsPort}, SOCK_DGRAM);
  listen(ListenerRole::dns_stream, {gateway, egress::kDnsPort}, SOCK_STREAM);
  listen(ListenerRole::http_proxy, {gateway, egress::kHttpProxyPort}, SOCK_STREAM);
  listen(ListenerRole::socks, {gateway, egress::kSocksPort}, SOCK_STREAM);
  for (const std::uint16_t port : network.host_ports)
    for (const char* loopback : {"127.0.0.1", "::1"})
      listen(ListenerRole::host_port, {address_of(loopback), port}, SOCK_STREAM);
  inside_.addresses = {gateway, address_of(egress::kGatewayV6)};
  inside_.routes = {block_of(egress::kInsideBlockV4), block_of(egress::kInsideBlockV6)};
  for (const policy::HostRule& rule : network.allow)
    // A rule for an address that is the gateway's inside speaks of where names lead outside.
    if (const auto block = sys::parse_inet_block(rule.host); block && !is_inside(block->address))
      inside_.routes.push_back(*block);
  WARD_ASSIGN(std::string resolver, target_of("/etc/resolv.conf"));
  inside_.files.push_back(
      {std::move(resolver), "nameserver " + std::string(egress::kGatewayV4) + "\n"});
  for (confine::InsideFile& file : spec_.files) inside_.files.push_back(std::move(file));
  // Addresses that the host's file knows lead nowhere from inside.
  if (Result<std::string> hosts = target_of("/etc/hosts"))
    inside_.files.push_back(
        {std::move(*hosts), "127.0.0.1 localhost ward\n::1 localhost ip6-localhost ward\n"});
  return {};
}

Status WayOut::publish() {
  for (const std::uint16_t port : spec_.publish) WARD_TRY(publish_port(port));
  return {};
}

Status WayOut::publish_port(std::uint16_t port) {
  for (const char* loopback : {"127.0.0.1", "::1"}) {
    const sys::Endpoint endpoint{address_of(loopback), port};
    const long fd = sys::raw::bound_socket(endpoint, SOCK_STREAM);
    if (fd >= 0) {
      host_offers_.push_back(
          {{ListenerRole::publish, "", loopback, port}, UniqueFd(static_cast<int>(fd))});
      continue;
    }
    const int error = static_cast<int>(-fd);
    if (endpoint.address.family == AF_INET6 && (error == EAFNOSUPPORT || error == EADDRNOTAVAIL))
      continue;  // a machine without IPv6
    Error failed = Error::from_errno(
        error, "publish port " + std::to_string(port) + " at " + sys::to_string(endpoint));
    return fail(std::move(failed).with_remedy(
        error == EADDRINUSE ? "something on this machine has the port: publish another, or end it"
                            : "publish a port from 1024 on"));
  }
  return {};
}

confine::NetworkJudge WayOut::judge() {
  return {
      [this](const sys::Endpoint& endpoint, int type) { return before_connect(endpoint, type); },
      [this](const sys::Endpoint& endpoint, int type, int error) {
        return refused_connect(endpoint, type, error);
      }};
}

Result<std::string> WayOut::certificate() {
  const auto deadline = std::chrono::steady_clock::now() + kReadyPatience;
  while (!certificate_ && client_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    struct pollfd channel = {client_->channel(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&channel, 1, static_cast<int>(left.count())) == 0)
      return fail(ErrorKind::io, "the egress gateway does not answer");
    take_messages();
  }
  if (!certificate_) return fail(ErrorKind::io, "the egress gateway ended before it was ready");
  return *certificate_;
}

void WayOut::hand_over(pid_t init, std::vector<UniqueFd> listeners) {
  // What the self-test was refused is not the command's.
  unsent_.clear();
  recorded_ = told_ = 0;
  if (!inside_.empty()) lost_ = LostPackets::of(init);
  for (Offer& host : host_offers_) {
    if (client_) check(client_->offer(host.offer, host.socket.get()));
  }
  host_offers_.clear();
  for (std::size_t i = 0; i < listeners.size() && i < inside_offers_.size(); ++i)
    if (listeners[i].valid() && client_)
      check(client_->offer(inside_offers_[i], listeners[i].get()));
  // No copy stays here: what connected to it would wait for ever once the gateway is gone.
}

void WayOut::check(Status sent) {
  if (sent) return;
  take_messages();  // it may have said why
  on_gone(sent.error().describe());
}

Status WayOut::on_readable() { return loop_.run_ready(); }

void WayOut::take_messages() {
  for (int taken = 0; client_ && taken < kMessagesInARow; ++taken) {
    Result<std::optional<egress::GatewayClient::Received>> received = client_->receive();
    if (!received) return on_gone(received.error().describe());
    if (!*received) return;
    auto* message = std::get_if<egress::FromGateway>(&**received);
    if (message == nullptr) return on_gone("the egress gateway has ended");
    on_message(std::move(*message));
  }
}

void WayOut::on_message(egress::FromGateway message) {
  if (auto* ready = std::get_if<egress::Ready>(&message)) {
    certificate_ = std::move(ready->ca_certificate_pem);
  } else if (auto* record = std::get_if<egress::Record>(&message)) {
    on_record(std::move(*record));
  } else if (const auto* listener = std::get_if<egress::NeedListener>(&message)) {
    on_need(*listener);
  } else if (const auto* connection = std::get_if<egress::NeedConnection>(&message)) {
    on_need(*connection);
  } else if (const auto* ask = std::get_if<egress::Ask>(&message)) {
    if (events_.on_ask)
      events_.on_ask(*ask);
    else if (client_)
      check(client_->decide({ask->id, 0, "nobody is there to decide"}));
  } else if (auto* reconfigured = std::get_if<egress::Reconfigured>(&message)) {
    if (reconfigured->error.empty() && reloading_) spec_.gateway = std::move(*reloading_);
    reloading_.reset();
    if (auto done = std::exchange(reload_done_, nullptr)) done(std::move(reconfigured->error));
  } else if (const auto* failed = std::get_if<egress::Failed>(&message)) {
    on_gone(failed->error);
  }
}

void WayOut::on_gone(const std::string& why) {
  if (!client_) return;
  loop_.remove(client_->channel());
  client_->stop(std::chrono::milliseconds(0));
  client_.reset();
  listening_.clear();
  const std::set<sys::Endpoint> asked = std::exchange(asked_, {});
  if (events_.resume_connects)
    for (const sys::Endpoint& endpoint : asked) events_.resume_connects(endpoint);
  if (auto done = std::exchange(reload_done_, nullptr)) done(why);
  events_.on_warning("nothing reaches the network any more: " + why);
  if (!certificate_ && events_.on_failed) events_.on_failed(why);
}

void WayOut::on_record(egress::Record record) {
  if (record.verdict == egress::RecordVerdict::denied)
    events_.on_denial(denial_of(spec_.gateway.network, record));
  if (++recorded_ > kMostRecords) {
    ++dropped_;
    return;
  }
  if (unsent_.empty())
    static_cast<void>(sys::set_timer(flush_timer_.get(), kFlushDelay).has_value());
  unsent_.push_back(std::move(record));
  if (unsent_.size() >= kFlushAt) flush();
}

void WayOut::flush() {
  static_cast<void>(sys::stop_timer(flush_timer_.get()).has_value());
  const std::vector<egress::Record> records = std::exchange(unsent_, {});
  if (!records.empty() && events_.on_records) events_.on_records(records);
}

// The gateway names addresses of its own blocks only: anything else would be the sandbox's.
void WayOut::on_need(const egress::NeedListener& need) {
  const std::optional<sys::InetAddress> address = sys::parse_inet_address(need.address);
  if (!address || !is_inside(*address) || need.port == 0 || names_.size() >= kMostNames ||
      listening_.size() >= kMostListeners) {
    check(client_->refuse({need.address, need.port, "no address of a name"}));
    return;
  }
  names_.insert_or_assign(*address, need.name);
  request_socket(confine::Command::Kind::listen,
                 ListenRequest{ListenerRole::transparent, need.name, {*address, need.port}});
}

void WayOut::on_need(const egress::NeedConnection& need) {
  if (std::find(spec_.publish.begin(), spec_.publish.end(), need.port) == spec_.publish.end()) {
    check(client_->connect({need.id, "the port is not published"}, -1));
    return;
  }
  request_socket(confine::Command::Kind::socket,
                 ConnectRequest{need.id, {address_of("127.0.0.1"), need.port}});
}

void WayOut::request_socket(confine::Command::Kind kind, SocketRequest request) {
  if (requests_.size() >= kMostRequests) {
    refuse(request, "too many sockets are being made");
    return;
  }
  confine::Command command;
  command.kind = kind;
  command.value = next_request_;
  command.endpoint = std::visit(
      [](const auto& wanted) -> const sys::Endpoint& { return wanted.endpoint; }, request);
  next_request_ = next_request_ == INT32_MAX ? 1 : next_request_ + 1;
  const Status sent = events_.ask_for_socket(command);
  if (sent)
    requests_.insert_or_assign(command.value, std::move(request));
  else
    refuse(request, sent.error().describe());
}

void WayOut::refuse(const SocketRequest& request, const std::string& reason) {
  if (const auto* connection = std::get_if<ConnectRequest>(&request)) {
    offer_connection(*connection, -1, reason);
    return;
  }
  const auto& listen = std::get<ListenRequest>(request);
  if (listen.role == ListenerRole::literal) {
    asked_.erase(listen.endpoint);
    events_.resume_connects(listen.endpoint);
  } else if (client_) {
    check(client_->refuse({sys::to_string(listen.endpoint.address), listen.endpoint.port, reason}));
  }
}

void WayOut::on_socket(const confine::Report& report, UniqueFd socket) {
  const auto found = requests_.find(report.detail);
  if (found == requests_.end()) return;
  const SocketRequest request = std::move(found->second);
  requests_.erase(found);
  if (!socket.valid() || !client_) {
    refuse(request, Error::from_errno(report.value, "make a socket inside").describe());
    return;
  }
  if (const auto* connection = std::get_if<ConnectRequest>(&request)) {
    connect_inside(*connection, std::move(socket));
    return;
  }
  const auto& listen = std::get<ListenRequest>(request);
  check(client_->offer(
      {listen.role, listen.name, sys::to_string(listen.endpoint.address), listen.endpoint.port},
      socket.get()));
  socket.reset();
  listening_.insert(listen.endpoint);
  if (asked_.erase(listen.endpoint) > 0) events_.resume_connects(listen.endpoint);
}

// The socket belongs to the sandbox's network namespace, whoever calls connect(2).
void WayOut::connect_inside(const ConnectRequest& request, UniqueFd socket) {
  const sys::SocketAddress address = sys::socket_address(request.endpoint);
  const int fd = socket.get();
  if (::connect(fd, address.get(), address.size) == 0) {
    offer_connection(request, fd, "");
    return;
  }
  if (errno != EINPROGRESS) {
    offer_connection(request, -1, Error::from_errno(errno, "connect inside").describe());
    return;
  }
  connecting_.insert_or_assign(fd, Connecting{std::move(socket), request});
  if (Status added = loop_.add(fd, EPOLLOUT, [this, fd](std::uint32_t) { connected(fd); });
      !added) {
    connecting_.erase(fd);
    offer_connection(request, -1, added.error().describe());
  }
}

void WayOut::connected(int fd) {
  loop_.remove(fd);
  auto found = connecting_.extract(fd);
  if (found.empty()) return;
  const auto& [socket, request] = found.mapped();
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error == 0) {
    offer_connection(request, fd, "");
    return;
  }
  // Many servers listen on ::1 alone when they are told "localhost".
  const sys::Endpoint other{address_of("::1"), request.endpoint.port};
  if (error == ECONNREFUSED && request.endpoint != other)
    request_socket(confine::Command::Kind::socket, ConnectRequest{request.id, other});
  else
    offer_connection(request, -1, Error::from_errno(error, "connect inside").describe());
}

void WayOut::offer_connection(const ConnectRequest& request, int socket,
                              const std::string& reason) {
  if (client_) check(client_->connect({request.id, reason}, socket));
}

Status WayOut::reload(egress::GatewaySpec spec, std::function<void(std::string)> done) {
  add_loopback_ports(spec.network);
  if (!client_) return fail(ErrorKind::io, "the egress gateway is gone");
  if (reload_done_) return fail(ErrorKind::busy, "another reload is under way");
  if (spec.network.host_ports != spec_.gateway.network.host_ports)
    return fail(Error(ErrorKind::unsupported, "hostPorts cannot change while the command runs")
                    .with_remedy("start the command anew"));
  for (const policy::HostRule& rule : spec.network.allow) {
    const auto block = sys::parse_inet_block(rule.host);
    const bool routed =
        !block || std::any_of(inside_.routes.begin(), inside_.routes.end(), [&](const auto& route) {
          return route.prefix <= block->prefix && route.contains(block->address);
        });
    if (!routed)
      return fail(Error(ErrorKind::unsupported,
                        rule.origin.describe() + ": the address " + rule.host +
                            " was not allowed when the run began, so no route leads to it")
                      .with_remedy("allow it by a name, or start the command anew"));
  }
  WARD_TRY(client_->reconfigure(spec));
  reloading_ = std::move(spec);
  reload_done_ = std::move(done);
  return {};
}

Status WayOut::decide(const egress::Decision& decision) {
  if (!client_) return fail(ErrorKind::io, "the egress gateway is gone");
  return client_->decide(decision);
}

void WayOut::finish() {
  if (client_) take_messages();
  // One that never came up has served nobody: there is nothing to wait for.
  if (client_ && certificate_ && client_->end()) {
    const auto deadline = std::chrono::steady_clock::now() + kEndPatience;
    while (client_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      struct pollfd channel = {client_->channel(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&channel, 1, static_cast<int>(left.count())) == 0) break;
      Result<std::optional<egress::GatewayClient::Received>> received = client_->receive();
      if (!received || !*received) {
        if (!received) break;
        continue;
      }
      auto* message = std::get_if<egress::FromGateway>(&**received);
      if (message == nullptr || std::holds_alternative<egress::Ended>(*message)) break;
      if (auto* record = std::get_if<egress::Record>(message)) on_record(std::move(*record));
    }
  }
  // It is reaped by the destructor, and has ended by then: the kernel takes its time for it.
  if (client_) loop_.remove(client_->channel());
  tell_lost_packets();
  flush();
  if (dropped_ > 0)
    events_.on_warning(std::to_string(dropped_) + " records of the egress log beyond the first " +
                       std::to_string(kMostRecords) + " were dropped");
}

// Sockets that send without having been connected ask nobody.
void WayOut::tell_lost_packets() {
  const std::uint64_t lost = lost_.take();
  if (lost <= told_) return;
  egress::Record record;
  record.host = std::to_string(lost - told_) + " datagrams";
  record.rule = "the default: no host can be reached";
  record.reason = "they were sent to addresses that no rule allows; only TCP is let out";
  record.started = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  on_record(std::move(record));
}

bool WayOut::is_literal(const sys::InetAddress& address, std::uint16_t port) const {
  return egress::decide(spec_.gateway.network, sys::to_string(address), port).allowed;
}

// An address of the policy's gets its socket at the first connect to it: a block may hold millions.
confine::NetworkJudge::Answer WayOut::before_connect(const sys::Endpoint& endpoint, int type) {
  using Answer = confine::NetworkJudge::Answer;
  const sys::InetAddress& address = endpoint.address;
  if (type != SOCK_STREAM || !client_ || address.is_loopback() || address.is_unspecified() ||
      listening_.contains(endpoint))
    return Answer::go_on;
  // A connect that does not wait would hear of its refusal when nobody looks any more.
  if (is_inside(address)) return names_.contains(address) ? Answer::refuse : Answer::go_on;
  if (!is_literal(address, endpoint.port)) return Answer::go_on;
  if (asked_.insert(endpoint).second)
    request_socket(confine::Command::Kind::listen,
                   ListenRequest{ListenerRole::literal, "", endpoint});
  return asked_.contains(endpoint) ? Answer::wait : Answer::go_on;
}

std::optional<confine::ConnectRefusal> WayOut::refused_connect(const sys::Endpoint& endpoint,
                                                               int type, int error) {
  const sys::InetAddress& address = endpoint.address;
  std::string host = sys::to_string(address);
  if (is_inside(address)) {
    const auto name = names_.find(address);
    if (error != ECONNREFUSED || type != SOCK_STREAM || name == names_.end()) return std::nullopt;
    host = name->second;
  } else if (error != ENETUNREACH) {
    return std::nullopt;
  } else {
    ++told_;
  }
  if (egress::decide(spec_.gateway.network, host, endpoint.port).allowed) return std::nullopt;
  confine::ConnectRefusal refused = refusal(spec_.gateway.network, host, endpoint.port);
  egress::Record record;
  record.host = host;
  record.port = endpoint.port;
  record.rule = refused.rule;
  record.reason = refused.remedy;
  record.started = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  on_record(std::move(record));
  return refused;
}

std::vector<std::string> proxy_variables() {
  const std::string gateway = egress::kGatewayV4;
  const std::string http = "http://" + gateway + ":" + std::to_string(egress::kHttpProxyPort);
  const std::string socks = "socks5h://" + gateway + ":" + std::to_string(egress::kSocksPort);
  const std::string direct = "localhost,127.0.0.1,::1";
  return {"HTTP_PROXY=" + http,  "http_proxy=" + http, "HTTPS_PROXY=" + http,
          "https_proxy=" + http, "ALL_PROXY=" + socks, "all_proxy=" + socks,
          "NO_PROXY=" + direct,  "no_proxy=" + direct, "NODE_USE_ENV_PROXY=1"};
}

}  // namespace ward::process
