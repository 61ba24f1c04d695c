// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/dns.h"

#include <ldns/ldns.h>

#include <memory>

#include "egress/decide.h"

namespace ward::egress {

namespace {

struct FreePacket {
  void operator()(ldns_pkt* packet) const { ldns_pkt_free(packet); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }  // NOLINT(cppcoreguidelines-no-malloc)
};
using Packet = std::unique_ptr<ldns_pkt, FreePacket>;

constexpr std::size_t kHeaderBytes = 12;

Packet parse(std::string_view bytes) {
  ldns_pkt* packet = nullptr;
  if (bytes.size() > kMaxQuestionBytes ||
      ldns_wire2pkt(&packet, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) !=
          LDNS_STATUS_OK)
    return nullptr;
  return Packet(packet);
}

bool is_answer(std::string_view bytes) {
  return bytes.size() < kHeaderBytes || (static_cast<unsigned char>(bytes[2]) & 0x80U) != 0;
}

// A header alone, for what could not be parsed.
std::string bare_answer(std::string_view bytes, DnsCode code) {
  std::string answer(bytes.substr(0, 4));
  answer[2] = static_cast<char>((static_cast<unsigned char>(answer[2]) & 0x79U) | 0x80U);
  answer[3] = static_cast<char>(0x80U | static_cast<unsigned char>(code));
  answer.resize(kHeaderBytes, '\0');
  return answer;
}

ldns_rr* address_record(const ldns_rr* question, const Address& address) {
  const bool v4 = address.family == Address::Family::v4;
  ldns_rr* record = ldns_rr_new();
  ldns_rr_set_owner(record, ldns_rdf_clone(ldns_rr_owner(question)));
  ldns_rr_set_type(record, v4 ? LDNS_RR_TYPE_A : LDNS_RR_TYPE_AAAA);
  ldns_rr_set_class(record, LDNS_RR_CLASS_IN);
  ldns_rr_set_ttl(record, kAnswerTtlSeconds);
  ldns_rr_push_rdf(record, ldns_rdf_new_frm_data(v4 ? LDNS_RDF_TYPE_A : LDNS_RDF_TYPE_AAAA,
                                                 v4 ? 4 : 16, address.bytes.data()));
  return record;
}

}  // namespace

std::optional<DnsQuestion> read_question(std::string_view bytes) {
  if (is_answer(bytes)) return std::nullopt;
  DnsQuestion question;
  const Packet packet = parse(bytes);
  if (!packet || ldns_pkt_qdcount(packet.get()) != 1 || ldns_pkt_ancount(packet.get()) != 0) {
    question.code = DnsCode::format_error;
    return question;
  }
  if (ldns_pkt_get_opcode(packet.get()) != LDNS_PACKET_QUERY) {
    question.code = DnsCode::not_implemented;
    return question;
  }
  const ldns_rr* asked = ldns_rr_list_rr(ldns_pkt_question(packet.get()), 0);
  if (ldns_rr_get_class(asked) != LDNS_RR_CLASS_IN) question.code = DnsCode::refused;
  const std::unique_ptr<char, FreeText> text(ldns_rdf2str(ldns_rr_owner(asked)));
  if (text) question.asked = text.get();
  if (const auto host = normalise_host(question.asked); host && !parse_address(*host))
    question.name = *host;
  if (ldns_rr_get_type(asked) == LDNS_RR_TYPE_A) question.type = DnsQuestion::Type::a;
  if (ldns_rr_get_type(asked) == LDNS_RR_TYPE_AAAA) question.type = DnsQuestion::Type::aaaa;
  return question;
}

std::string write_answer(std::string_view bytes, DnsCode code,
                         const std::vector<Address>& addresses) {
  const Packet query = parse(bytes);
  if (!query) return bare_answer(bytes, code);
  const Packet answer(ldns_pkt_new());
  ldns_pkt_set_id(answer.get(), ldns_pkt_id(query.get()));
  ldns_pkt_set_qr(answer.get(), true);
  ldns_pkt_set_opcode(answer.get(), ldns_pkt_get_opcode(query.get()));
  ldns_pkt_set_rd(answer.get(), ldns_pkt_rd(query.get()));
  ldns_pkt_set_ra(answer.get(), true);
  ldns_pkt_set_rcode(answer.get(), static_cast<std::uint8_t>(code));
  const ldns_rr_list* questions = ldns_pkt_question(query.get());
  for (std::size_t i = 0; i < ldns_rr_list_rr_count(questions); ++i)
    ldns_pkt_push_rr(answer.get(), LDNS_SECTION_QUESTION,
                     ldns_rr_clone(ldns_rr_list_rr(questions, i)));
  for (const Address& address : addresses)
    ldns_pkt_push_rr(answer.get(), LDNS_SECTION_ANSWER,
                     address_record(ldns_rr_list_rr(questions, 0), address));
  std::uint8_t* wire = nullptr;
  std::size_t size = 0;
  if (ldns_pkt2wire(&wire, answer.get(), &size) != LDNS_STATUS_OK)
    return bare_answer(bytes, DnsCode::server_failure);
  const std::unique_ptr<char, FreeText> owned(reinterpret_cast<char*>(wire));
  return {owned.get(), size};
}

}  // namespace ward::egress
