// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// RequestRules decides about one request to a host that may be reached: `network.rules` narrow the
// host to methods and paths, `gates` hold a request until a person has decided. The rules of one
// file are alternatives, and every file that has rules for the host must permit the request.
// Immutable after construction; safe to share between threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace ward::egress {

struct RequestLine {
  std::string_view host;  // lower case
  std::string_view method;
  std::string_view target;  // "/path?query", or "*"
  // The values of headers that make some servers take another method.
  std::vector<std::string_view> method_overrides = {};
};

struct RequestVerdict {
  bool allowed = true;
  std::string rule;  // what decided, with its place; "" where nothing speaks of the request
  std::string reason, remedy;          // where it is not allowed
  const policy::Gate* gate = nullptr;  // allowed only once a person has agreed
};

class RequestRules {
 public:
  RequestRules(std::vector<policy::RequestRule> rules, std::vector<policy::Gate> gates);

  // Whether requests to this host must be seen, and so its TLS be ended here.
  bool speak_of(std::string_view host) const;
  RequestVerdict decide(const RequestLine& line) const;

 private:
  std::vector<policy::RequestRule> rules_;
  std::vector<policy::Gate> gates_;  // of requests only
};

}  // namespace ward::egress
