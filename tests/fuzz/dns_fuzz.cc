// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A packet at the resolver inside. Whatever is answered carries the question's id, is an answer (so
// that it is never answered itself), and a question with a name is one whose name is a host's.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "egress/decide.h"
#include "egress/gateway/dns.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ward::egress;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto question = read_question(bytes);
  if (!question) return 0;
  if (!question->name.empty() && normalise_host(question->name) != question->name) std::abort();
  const std::vector<Address> addresses = {*parse_address("198.18.1.0")};
  const bool answered = question->code == DnsCode::no_error;
  const std::string answer =
      write_answer(bytes, question->code, answered ? addresses : std::vector<Address>());
  if (answer.size() < 12 || answer.substr(0, 2) != bytes.substr(0, 2)) std::abort();
  if (read_question(answer)) std::abort();
  return 0;
}
