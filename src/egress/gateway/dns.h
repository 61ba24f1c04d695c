// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// DNS packets as the resolver inside answers them: one question in, one answer out. Nothing is ever
// forwarded, so a question carries nothing out. Pure; safe from any thread. Sources: RFC 1035, RFC
// 8482 (ANY), RFC 9460 (HTTPS and SVCB: answered with nothing, so that clients connect as before).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egress/address.h"

namespace ward::egress {

inline constexpr std::size_t kMaxQuestionBytes = 4096;
// Answers hold for as long as the sandbox lives; short, so that a reload of the policy is seen.
inline constexpr std::uint32_t kAnswerTtlSeconds = 30;

enum class DnsCode : std::uint8_t {
  no_error = 0,
  format_error = 1,
  server_failure = 2,
  name_error = 3,
  not_implemented = 4,
  refused = 5,
};

struct DnsQuestion {
  enum class Type : std::uint8_t { a, aaaa, other };
  // no_error: a question for `name`. Else what to answer at once.
  DnsCode code = DnsCode::no_error;
  std::string name;   // lower case, without a final dot; "" where it is no host name
  std::string asked;  // as asked, for the record
  Type type = Type::other;
};

// nullopt: not a question at all (an answer, noise); it gets no answer, or two gateways could talk
// to each other for ever.
std::optional<DnsQuestion> read_question(std::string_view packet);

// The answer to that packet.
std::string write_answer(std::string_view packet, DnsCode code,
                         const std::vector<Address>& addresses);

}  // namespace ward::egress
