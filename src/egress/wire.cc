// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/wire.h"

#include <utility>

#include "egress/codec.h"

namespace ward::egress {

namespace {

// Texts of a record come from inside and are cut, so that every message fits.
constexpr std::size_t kMaxText = 4096;

}  // namespace

// Found from codec.h by their arguments, hence not in the unnamed namespace.
template <class C>
static void fields(C&, Coded<C, Configure>&) {}
template <class C>
static void fields(C&, Coded<C, Reconfigure>&) {}
template <class C>
static void fields(C&, Coded<C, End>&) {}
template <class C>
static void fields(C&, Coded<C, Ended>&) {}
template <class C>
static void fields(C& c, Coded<C, ListenerOffer>& offer) {
  c.enumeration(offer.role, ListenerRole::publish);
  c(offer.name, offer.address, offer.port);
}
template <class C>
static void fields(C& c, Coded<C, ListenerRefused>& refused) {
  c(refused.address, refused.port, refused.reason);
}
template <class C>
static void fields(C& c, Coded<C, ConnectionOffer>& offer) {
  c(offer.id, offer.reason);
}
template <class C>
static void fields(C& c, Coded<C, Decision>& decision) {
  c(decision.id, decision.allow, decision.reason);
}
template <class C>
static void fields(C& c, Coded<C, Ready>& ready) {
  c(ready.ca_certificate_pem);
}
template <class C>
static void fields(C& c, Coded<C, NeedListener>& need) {
  c(need.name, need.address, need.port);
}
template <class C>
static void fields(C& c, Coded<C, NeedConnection>& need) {
  c(need.id, need.port);
}
template <class C>
static void fields(C& c, Coded<C, Ask>& ask) {
  c(ask.id, ask.method, ask.url, ask.gate);
}
template <class C>
static void fields(C& c, Coded<C, Reconfigured>& answer) {
  c(answer.error);
}
template <class C>
static void fields(C& c, Coded<C, Failed>& failed) {
  c(failed.error);
}
template <class C>
static void fields(C& c, Coded<C, Record>& record) {
  c.enumeration(record.kind, RecordKind::question);
  c.enumeration(record.protocol, Protocol::publish);
  c.enumeration(record.verdict, RecordVerdict::failed);
  c(record.host, record.address, record.port, record.method, record.path, record.rule,
    record.reason, record.secrets, record.bytes_up, record.bytes_down);
  auto since_epoch = record.started.time_since_epoch();
  c(since_epoch, record.duration);
  if constexpr (std::is_same_v<C, Reader>)
    record.started = std::chrono::sys_time<std::chrono::milliseconds>(since_epoch);
}

namespace {

void cut(std::string& text) {
  if (text.size() > kMaxText) text.resize(kMaxText);
}

FromGateway within_bounds(FromGateway message) {
  if (auto* record = std::get_if<Record>(&message))
    for (std::string* text :
         {&record->host, &record->method, &record->path, &record->rule, &record->reason})
      cut(*text);
  if (auto* ask = std::get_if<Ask>(&message)) {
    cut(ask->method);
    cut(ask->url);
  }
  return message;
}

template <class Variant>
std::string encode_any(const Variant& message) {
  Writer writer;
  writer(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& value) { writer(value); }, message);
  return writer.take();
}

template <class Variant, std::size_t... I>
Result<Variant> decode_any(std::string_view bytes, std::index_sequence<I...>) {
  Reader reader(bytes);
  std::uint8_t index = 0;
  reader(index);
  Variant message;
  const auto read_as = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
    if (index == J) reader(message.template emplace<J>());
  };
  (read_as(std::integral_constant<std::size_t, I>()), ...);
  if (index >= sizeof...(I) || !reader.complete())
    return fail(ErrorKind::invalid, "a message between ward and its gateway is damaged");
  return message;
}

}  // namespace

std::string encode(const ToGateway& message) { return encode_any(message); }
std::string encode(const FromGateway& message) { return encode_any(within_bounds(message)); }

Result<ToGateway> decode_to_gateway(std::string_view bytes) {
  return decode_any<ToGateway>(bytes, std::make_index_sequence<std::variant_size_v<ToGateway>>());
}
Result<FromGateway> decode_from_gateway(std::string_view bytes) {
  return decode_any<FromGateway>(bytes,
                                 std::make_index_sequence<std::variant_size_v<FromGateway>>());
}

}  // namespace ward::egress
