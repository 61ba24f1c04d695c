// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include "egress/gateway/dns.h"
#include "egress/gateway/sessions.h"

namespace ward::egress {

namespace {

constexpr std::size_t kMaxQuestionsInFlight = 256;
constexpr int kQuestionsInARow = 32;
constexpr std::size_t kLengthBytes = 2;
constexpr auto kStreamPatience = std::chrono::seconds(10);

// A record for a question that was refused; those that were answered say nothing, the connection
// that follows does. Resolvers ask for A and AAAA together: that is one question.
void record_refusal(Hub& hub, const DnsQuestion& question, const Ruling& ruling,
                    RecordVerdict verdict) {
  if (hub.asked_again(question.asked)) return;
  const OpenRecord record(hub, Protocol::dns);
  record->kind = RecordKind::question;
  record->host = question.name.empty() ? question.asked : question.name;
  record->rule = ruling.rule;
  record->reason = ruling.reason;
  record->verdict = verdict;
}

Task<std::string> answer_to(Hub& hub, const std::string& packet) {
  const auto question = read_question(packet);
  if (!question) co_return "";
  Ruling ruling;
  ruling.rule = "the default: no host can be reached";
  if (question->code != DnsCode::no_error) {
    ruling.reason = "the question is damaged, or of a kind that is not answered";
    record_refusal(hub, *question, ruling, RecordVerdict::denied);
    co_return write_answer(packet, question->code, {});
  }
  const auto rules = hub.spec();
  std::vector<std::uint16_t> ports;
  if (!question->name.empty()) ports = allowed_ports(rules->network, question->name);
  if (ports.empty()) {
    ruling.reason = "it asks for what is no host name";
    if (!question->name.empty()) ruling = decide(rules->network, question->name, 443);
    record_refusal(hub, *question, ruling, RecordVerdict::denied);
    co_return write_answer(packet, DnsCode::name_error, {});
  }
  if (question->type == DnsQuestion::Type::other)
    co_return write_answer(packet, DnsCode::no_error, {});
  const bool v4 = question->type == DnsQuestion::Type::a;
  const auto address = co_await hub.address_for(
      question->name, v4 ? Address::Family::v4 : Address::Family::v6, ports);
  if (address) co_return write_answer(packet, DnsCode::no_error, {*address});
  // A sandbox without IPv6: the name has no address of that kind.
  if (!v4) co_return write_answer(packet, DnsCode::no_error, {});
  ruling.rule = "the addresses inside";
  ruling.reason = address.error().message();
  record_refusal(hub, *question, ruling, RecordVerdict::failed);
  co_return write_answer(packet, DnsCode::server_failure, {});
}

struct Sender {
  sockaddr_storage address = {};
  socklen_t size = sizeof(sockaddr_storage);
};

Task<void> answer_datagram(Hub& hub, std::shared_ptr<Watched> socket, std::string packet,
                           Sender sender, std::shared_ptr<std::size_t> in_flight) {
  const std::string answer = co_await answer_to(hub, packet);
  // A full buffer loses the answer; the resolver inside asks again.
  if (!answer.empty())
    (void)::sendto(socket->native_handle(), answer.data(), answer.size(),
                   MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&sender.address),
                   sender.size);
  --*in_flight;
}

}  // namespace

Task<void> serve_dns(Hub& hub, std::shared_ptr<Watched> socket) {
  boost::system::error_code code;
  const auto in_flight = std::make_shared<std::size_t>(0);
  std::string packet;
  for (int in_a_row = 0;; ++in_a_row) {
    if (in_a_row % kQuestionsInARow == 0) co_await give_way(hub.loop());
    co_await hub.channel().room();
    Sender sender;
    packet.resize(kMaxQuestionBytes);
    const ssize_t size =
        ::recvfrom(socket->native_handle(), packet.data(), packet.size(), MSG_DONTWAIT,
                   reinterpret_cast<sockaddr*>(&sender.address), &sender.size);
    if (size < 0 && errno != EAGAIN && errno != EINTR)
      co_await sleep_until(hub.loop(), Clock::now() + std::chrono::milliseconds(50));
    if (size < 0) {
      co_await socket->async_wait(Watched::wait_read, asio::redirect_error(kAwait, code));
      if (code) co_return;
      continue;
    }
    if (*in_flight >= kMaxQuestionsInFlight) continue;  // dropped, and asked again
    ++*in_flight;
    asio::co_spawn(hub.loop(),
                   answer_datagram(hub, socket, packet.substr(0, static_cast<std::size_t>(size)),
                                   sender, in_flight),
                   asio::detached);
  }
}

Task<void> serve_dns_stream(Hub& hub, Socket client) {
  const Hub::DnsStream place(hub);
  if (!place.free()) co_return reset(client);
  std::string bytes;
  for (;;) {
    const auto deadline = Clock::now() + kStreamPatience;
    // Two bytes of length, then so many.
    const auto wanted = [&] {
      if (bytes.size() < kLengthBytes) return kLengthBytes;
      return kLengthBytes +
             ((static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8U) |
              static_cast<unsigned char>(bytes[1]));
    };
    while (bytes.size() < kLengthBytes || bytes.size() < wanted()) {
      const auto more = co_await read_more(client, bytes, kMaxQuestionBytes, deadline);
      if (!more || *more == 0) co_return;
    }
    const std::size_t size = wanted();
    if (size > kMaxQuestionBytes) co_return reset(client);
    const std::string packet = bytes.substr(kLengthBytes, size - kLengthBytes);
    const std::string answer = co_await answer_to(hub, packet);
    bytes.erase(0, size);
    if (answer.empty()) co_return;
    std::string framed;
    framed.push_back(static_cast<char>(answer.size() >> 8U));
    framed.push_back(static_cast<char>(answer.size() & 0xffU));
    framed += answer;
    const Status sent = co_await write_all(client, framed, deadline);
    if (!sent) co_return;
    co_await hub.channel().room();
    co_await give_way(hub.loop());
  }
}

}  // namespace ward::egress
