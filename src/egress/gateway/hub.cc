// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/hub.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>

#include "egress/gateway/listeners.h"
#include "egress/inside.h"
#include "sys/memory_file.h"

namespace ward::egress {

namespace {

constexpr auto kEndPatience = std::chrono::seconds(1);
constexpr auto kSameQuestion = std::chrono::seconds(1);

asio::ip::tcp::endpoint endpoint_of(const Address& address, std::uint16_t port) {
  if (address.family == Address::Family::v4) {
    asio::ip::address_v4::bytes_type bytes;
    std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
    return {asio::ip::address_v4(bytes), port};
  }
  return {asio::ip::address_v6(address.bytes), port};
}

// Whether an address is one of this machine's own: the kernel then sends to it from itself. Nothing
// is sent; an address without a route is nobody's.
Ownership ownership_of(const Address& address, std::uint16_t port) {
  const auto endpoint = endpoint_of(address, port);
  const UniqueFd probe(::socket(endpoint.protocol().family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe.valid() ||
      ::connect(probe.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0)
    return Ownership::foreign;
  asio::ip::tcp::endpoint from;
  socklen_t size = static_cast<socklen_t>(from.capacity());
  if (::getsockname(probe.get(), from.data(), &size) != 0) return Ownership::foreign;
  from.resize(size);
  return from.address() == endpoint.address() ? Ownership::own : Ownership::foreign;
}

// How the descriptors that this process may have are shared out, so that neither names nor
// connections take those of the other, and a message of the supervisor always has room for its own.
struct Budget {
  std::size_t connections = kMaxConnections;
  std::size_t listeners = kMaxListeners;
};
Budget budget() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  const std::size_t all = limit.rlim_cur;
  const std::size_t listeners = std::min(kMaxListeners, all / 4);
  const std::size_t taken = std::min(all, listeners + kSpareDescriptors);
  return {std::clamp<std::size_t>((all - taken) / kDescriptorsEach, 1, kMaxConnections), listeners};
}

}  // namespace

void fill_refusal(Record& record, const Ruling& ruling) {
  record.verdict = RecordVerdict::denied;
  record.rule = ruling.rule;
  record.reason = ruling.reason;
}

Hub::Open::Open(Hub& hub, const Socket& client, Record& record)
    : hub_(hub), client_(const_cast<Socket&>(client).native_handle()), record_(record) {
  place_ = hub_.open_.insert(hub_.open_.end(), this);
}

Hub::Open::~Open() { hub_.open_.erase(place_); }

void Hub::Open::end(const std::string& reason) {
  record_.reason = reason;
  ::shutdown(client_, SHUT_RDWR);
  if (upstream_ >= 0) ::shutdown(upstream_, SHUT_RDWR);
}

Hub::Hub(asio::io_context& loop, UniqueFd channel)
    : loop_(loop),
      channel_(loop, std::move(channel)),
      max_connections_(budget().connections),
      max_listeners_(budget().listeners),
      listeners_changed_(loop),
      answers_changed_(loop) {}

Hub::~Hub() = default;

Status Hub::start(InterceptorFactory make_interceptor) {
  WARD_ASSIGN(const Incoming first, channel_.receive_first());
  if (!std::holds_alternative<Configure>(first.message))
    return fail(ErrorKind::bug, "the first message is no configuration");
  WARD_ASSIGN(const std::string bytes, sys::read_sealed_memory(first.fd.get(), kMaxSpecBytes));
  WARD_ASSIGN(GatewaySpec spec, parse_spec(bytes));
  WARD_ASSIGN(resolver_, Resolver::create(loop_, spec.name_servers));
  spec_ = std::make_shared<const GatewaySpec>(std::move(spec));
  if (make_interceptor != nullptr) {
    WARD_ASSIGN(interceptor_, make_interceptor(*this, *spec_));
  } else if (needs_interception(*spec_)) {
    return fail(ErrorKind::unsupported, "this gateway reads no TLS, which the policy needs");
  }
  return {};
}

void Hub::run() {
  channel_.send(Ready{interceptor_ ? interceptor_->ca_certificate_pem() : ""});
  channel_.run([this](Incoming incoming) { received(std::move(incoming)); },
               [this] { loop_.stop(); });
  loop_.run();
}

void Hub::received(Incoming incoming) {
  if (const auto* offer = std::get_if<ListenerOffer>(&incoming.message)) {
    take_listener(*offer, std::move(incoming.fd));
  } else if (const auto* refused = std::get_if<ListenerRefused>(&incoming.message)) {
    asked_for_.erase({refused->address, refused->port});
    listeners_changed_.announce();
  } else if (std::holds_alternative<Reconfigure>(incoming.message)) {
    const Status status = reconfigure(incoming.fd.get());
    channel_.send(Reconfigured{status ? "" : status.error().describe()});
  } else if (const auto* decision = std::get_if<Decision>(&incoming.message)) {
    if (waiting_.contains(decision->id)) decisions_[decision->id] = *decision;
    answers_changed_.announce();
  } else if (const auto* connection = std::get_if<ConnectionOffer>(&incoming.message)) {
    if (waiting_.contains(connection->id))
      connections_[connection->id] = {std::move(incoming.fd), connection->reason};
    answers_changed_.announce();
  } else if (std::holds_alternative<End>(incoming.message)) {
    finish();
  }
}

void Hub::take_listener(const ListenerOffer& offer, UniqueFd socket) {
  const Place place{offer.address, offer.port};
  asked_for_.erase(place);
  if (ending_ || !socket.valid() || listening_.size() >= max_listeners_) {
    listeners_changed_.announce();
    return;
  }
  const Status status = listen_on(*this, offer, std::move(socket));
  if (!status) channel_.send(Failed{status.error().describe()});
  if (status && offer.role == ListenerRole::transparent) listening_.insert(place);
  listeners_changed_.announce();
}

Status Hub::reconfigure(int memory) {
  WARD_ASSIGN(const std::string bytes, sys::read_sealed_memory(memory, kMaxSpecBytes));
  WARD_ASSIGN(GatewaySpec spec, parse_spec(bytes));
  if (interceptor_) {
    WARD_TRY(interceptor_->reconfigure(spec));
  } else if (needs_interception(spec)) {
    return fail(ErrorKind::unsupported, "this gateway reads no TLS, which the policy needs");
  }
  spec_ = std::make_shared<const GatewaySpec>(std::move(spec));
  for (Open* open : open_)
    if (!open->target_.host.empty() &&
        !decide(spec_->network, open->target_.host, open->target_.port).allowed)
      open->end("the policy was changed, and denies it now");
  return {};
}

void Hub::finish() {
  if (ending_) return;
  ending_ = true;
  for (Open* open : open_) open->end("the sandbox ended");
  asio::co_spawn(loop_, finish_slowly(), asio::detached);
}

Task<void> Hub::finish_slowly() {
  const auto deadline = Clock::now() + kEndPatience;
  while (!open_.empty() && Clock::now() < deadline)
    co_await sleep_until(loop_, Clock::now() + std::chrono::milliseconds(1));
  channel_.send(Ended{});
  channel_.flush();
  loop_.stop();
}

Task<Result<std::vector<Address>>> Hub::checked_addresses(const Target& target, Record& record) {
  const auto rules = spec_;
  std::vector<Address> found;
  if (target.literal) {
    if (const auto address = parse_address(target.host)) found.push_back(*address);
  } else {
    auto resolved = co_await resolver_->resolve(target.host);
    if (!resolved) {
      record.verdict = RecordVerdict::failed;
      record.reason = resolved.error().message();
      co_return fail(std::move(resolved).error());
    }
    found = std::move(*resolved);
  }
  // What is refused is left out; where nothing remains, the first refusal is the answer.
  std::vector<Address> checked;
  std::optional<Ruling> refused;
  for (const Address& address : found) {
    Ruling ruling = check_address(rules->network, target.host, address, target.port,
                                  ownership_of(address, target.port));
    if (ruling.allowed) {
      checked.push_back(address);
    } else if (!refused) {
      refused = std::move(ruling);
      record.address = to_text(address);
    }
  }
  if (checked.empty() && refused) {
    fill_refusal(record, *refused);
    co_return fail(ErrorKind::denied, refused->text);
  }
  if (checked.empty()) co_return fail(ErrorKind::not_found, target.host + " has no address");
  record.address.clear();
  co_return checked;
}

Task<Result<Socket>> Hub::dial(const Target& target, Record& record) {
  record.host = target.host;
  record.port = target.port;
  const Ruling ruling = decide(spec_->network, target.host, target.port);
  if (!ruling.allowed) {
    fill_refusal(record, ruling);
    co_return fail(ErrorKind::denied, ruling.text);
  }
  record.rule = ruling.rule;
  record.verdict = RecordVerdict::failed;
  const Result<std::vector<Address>> addresses = co_await checked_addresses(target, record);
  if (!addresses) co_return fail(addresses.error());
  const auto deadline = Clock::now() + kConnectPatience;
  Result<Socket> last = fail(ErrorKind::io, "no address");
  for (const Address& address : *addresses) {
    const bool more = address != addresses->back();
    record.address = to_text(address);
    last =
        co_await connect_to(loop_, endpoint_of(address, target.port),
                            more ? std::min(deadline, Clock::now() + kFirstTryPatience) : deadline);
    if (last) break;
  }
  if (last) {
    record.verdict = RecordVerdict::allowed;
  } else {
    record.reason = last.error().message();
  }
  co_return last;
}

Task<Decision> Hub::ask(Ask question) {
  const std::uint64_t id = next_id_++;
  question.id = id;
  waiting_.insert(id);
  channel_.send(question);
  while (!decisions_.contains(id)) co_await answers_changed_.wait();
  Decision decision = std::move(decisions_.extract(id).mapped());
  waiting_.erase(id);
  co_return decision;
}

Task<Result<Socket>> Hub::connect_inside(std::uint16_t port) {
  const std::uint64_t id = next_id_++;
  waiting_.insert(id);
  channel_.send(NeedConnection{id, port});
  while (!connections_.contains(id)) co_await answers_changed_.wait();
  auto [fd, reason] = std::move(connections_.extract(id).mapped());
  waiting_.erase(id);
  if (!fd.valid()) co_return fail(ErrorKind::io, reason);
  auto socket = adopt_socket(loop_, fd.get());
  if (socket) (void)fd.release();
  co_return socket;
}

bool Hub::asked_again(const std::string& name) {
  const auto now = Clock::now();
  if (name == last_refused_ && now - last_refused_at_ < kSameQuestion) return true;
  last_refused_ = name;
  last_refused_at_ = now;
  return false;
}

Task<Result<Address>> Hub::address_for(const std::string& name, Address::Family family,
                                       const std::vector<std::uint16_t>& ports) {
  auto found = names_.find(name);
  if (found == names_.end()) {
    if (names_.size() >= kMaxNames)
      co_return fail(ErrorKind::exhausted,
                     "more than " + std::to_string(kMaxNames) + " names were asked for");
    found = names_.emplace(name, static_cast<std::uint32_t>(names_.size())).first;
  }
  const char* base = family == Address::Family::v4 ? kFirstNameV4 : kFirstNameV6;
  const Address address = advance(*parse_address(base), found->second);
  const std::string text = to_text(address);
  for (const std::uint16_t port : ports) {
    if (listening_.contains({text, port}) || asked_for_.contains({text, port})) continue;
    if (listening_.size() + asked_for_.size() >= max_listeners_)
      co_return fail(ErrorKind::exhausted, "no descriptors are left for more names");
    asked_for_.insert({text, port});
    channel_.send(NeedListener{name, text, port});
  }
  const auto waited_for = [&](std::uint16_t port) { return asked_for_.contains({text, port}); };
  const auto deadline = Clock::now() + kListenerPatience;
  while (std::any_of(ports.begin(), ports.end(), waited_for)) {
    if (Clock::now() >= deadline) break;
    co_await listeners_changed_.wait_until(deadline);
  }
  const bool some = std::any_of(ports.begin(), ports.end(), [&](std::uint16_t port) {
    return listening_.contains({text, port});
  });
  if (!some) co_return fail(ErrorKind::io, "nothing could be made to listen for " + name);
  co_return address;
}

}  // namespace ward::egress
