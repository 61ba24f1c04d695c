// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Secrets: values that stay outside, and the placeholders that stand for them inside. A placeholder
// becomes its value only in its own header, on its way to its own hosts, over TLS whose other end
// has been verified; anywhere else it is found in any of its usual spellings, so that the request
// can be refused and the attempt told. Immutable after construction; one thread's as a rule, safe
// to share. The values live in the gateway and its parent alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "egress/byte_search.h"
#include "policy/policy.h"

namespace ward::egress {

// A shorter value cannot be told from ordinary text in what comes back.
inline constexpr std::size_t kMinSecretBytes = 8;
inline constexpr std::size_t kMaxSecretBytes = 16384;
// The header of a secret whose policy names none.
inline constexpr std::string_view kDefaultSecretHeader = "Authorization";

struct Secret {
  policy::Secret rule;
  std::string value;
  std::string placeholder;
};

// A new placeholder: letters, digits, `-` and `_` only, so that it survives URLs, JSON and shells
// as it stands; random, so that it is never met by accident.
Result<std::string> make_placeholder();

// Whether the value can be put into a header, and found again: an error says why not.
Status check_secret_value(std::string_view value);

// What a header's value becomes.
struct HeaderOutcome {
  enum class Kind : std::uint8_t { untouched, put_in, refused };
  Kind kind = Kind::untouched;
  std::string value;               // put_in: the new one
  const Secret* secret = nullptr;  // put_in and refused
  std::string reason;              // refused: ends "the placeholder of NAME ..."
};

// Over what a request travels on.
enum class Channel : std::uint8_t { plain, verified_tls };

class SecretSet {
 public:
  explicit SecretSet(std::vector<Secret> secrets);

  bool empty() const { return secrets_.empty(); }
  const std::vector<Secret>& all() const { return secrets_; }
  // Whether a secret may go to this host, so that its TLS must be ended here.
  bool names(std::string_view host) const;

  // The secret whose placeholder is somewhere in `text`, in any spelling; null: none.
  const Secret* find_placeholder(std::string_view text) const;
  const ByteSearch& placeholders() const { return placeholders_; }
  // All spellings of all values, to be taken out of what comes back.
  const ByteSearch& values() const { return values_; }

  // One header of a request to `host`. `name` and `value` as they were sent.
  HeaderOutcome put_in(std::string_view name, std::string_view value, std::string_view host,
                       Channel channel) const;

 private:
  const Secret* named_in(std::string_view text) const;

  std::vector<Secret> secrets_;
  ByteSearch placeholders_, values_;
};

}  // namespace ward::egress
