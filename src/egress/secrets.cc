// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/secrets.h"

#include <algorithm>

#include "base/id.h"
#include "egress/encoding.h"
#include "policy/network_decision.h"

namespace ward::egress {

namespace {

constexpr std::string_view kPrefix = "ward-placeholder-";

std::vector<std::string> spelled(const std::vector<Secret>& secrets, std::string Secret::* which) {
  std::vector<std::string> texts;
  for (const Secret& secret : secrets)
    for (std::string& text : spellings(secret.*which, kMinSecretBytes))
      texts.push_back(std::move(text));
  return texts;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, from)) {
    result.append(text.substr(from, at - from)).append(by);
    from = at + what.size();
  }
  return result.append(text.substr(from));
}

HeaderOutcome refused(const Secret& secret, std::string why) {
  return {HeaderOutcome::Kind::refused,
          {},
          &secret,
          "the placeholder of " + secret.rule.name + " " + std::move(why)};
}

// The user and password of "Basic BASE64"; nothing where it is another scheme.
std::optional<std::string> basic_credentials(std::string_view value) {
  constexpr std::string_view kScheme = "basic ";
  if (value.size() < kScheme.size() ||
      !equal_ignoring_case(value.substr(0, kScheme.size()), kScheme))
    return std::nullopt;
  value.remove_prefix(value.find_first_not_of(' ', kScheme.size()) == std::string_view::npos
                          ? value.size()
                          : value.find_first_not_of(' ', kScheme.size()));
  return base64_decode(value);
}

// Whether `text` is the format around the placeholder; a scheme's name has no case.
bool has_format(std::string_view text, const Secret& secret) {
  const std::string expected = replaced(secret.rule.format, "{}", secret.placeholder);
  return text == secret.placeholder || equal_ignoring_case(text, expected);
}

}  // namespace

Result<std::string> make_placeholder() {
  WARD_ASSIGN(const Id id, Id::make());
  return std::string(kPrefix) + id.text();
}

Status check_secret_value(std::string_view value) {
  if (value.empty())
    return fail(Error(ErrorKind::invalid, "the secret is empty")
                    .with_remedy("give its source a value, or take the secret out of the policy"));
  if (value.size() < kMinSecretBytes)
    return fail(Error(ErrorKind::invalid, "the secret has " + std::to_string(value.size()) +
                                              " bytes, too few to be told from ordinary text")
                    .with_remedy("use one of at least " + std::to_string(kMinSecretBytes)));
  if (value.size() > kMaxSecretBytes)
    return fail(Error(ErrorKind::invalid, "the secret is longer than a header may be")
                    .with_remedy("name the file that holds the token alone"));
  const bool printable = std::all_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20U && c != 0x7f;
  });
  if (!printable || value.front() == ' ' || value.back() == ' ')
    return fail(Error(ErrorKind::invalid,
                      "the secret holds control characters or blanks at its ends, which no header "
                      "can carry")
                    .with_remedy("name a source that holds the token alone, on one line"));
  return {};
}

SecretSet::SecretSet(std::vector<Secret> secrets)
    : secrets_(std::move(secrets)),
      placeholders_(spelled(secrets_, &Secret::placeholder)),
      values_(spelled(secrets_, &Secret::value)) {}

bool SecretSet::names(std::string_view host) const {
  return std::any_of(secrets_.begin(), secrets_.end(), [&](const Secret& secret) {
    return std::any_of(secret.rule.hosts.begin(), secret.rule.hosts.end(),
                       [&](const std::string& one) { return policy::host_matches(one, host); });
  });
}

const Secret* SecretSet::named_in(std::string_view text) const {
  for (const Secret& secret : secrets_)
    if (text.find(secret.placeholder) != std::string_view::npos) return &secret;
  return nullptr;
}

const Secret* SecretSet::find_placeholder(std::string_view text) const {
  if (empty()) return nullptr;
  const std::string decoded =
      text.find('%') == std::string_view::npos ? std::string() : percent_decode(text);
  for (const std::string_view form : {text, std::string_view(decoded)}) {
    const std::optional<ByteSearch::Match> match = placeholders_.find(form);
    if (!match) continue;
    const std::string found(form.substr(match->at, match->size));
    for (const Secret& secret : secrets_) {
      const std::vector<std::string> all = spellings(secret.placeholder, kMinSecretBytes);
      if (std::find(all.begin(), all.end(), found) != all.end()) return &secret;
    }
  }
  return nullptr;
}

HeaderOutcome SecretSet::put_in(std::string_view name, std::string_view value,
                                std::string_view host, Channel channel) const {
  const std::optional<std::string> basic = basic_credentials(value);
  const Secret* secret = named_in(value);
  const bool inside_basic = secret == nullptr && basic && named_in(*basic) != nullptr;
  if (inside_basic) secret = named_in(*basic);
  if (secret == nullptr) {
    secret = find_placeholder(value);
    if (secret == nullptr) secret = find_placeholder(name);
    if (secret == nullptr) return {};
    return refused(*secret, "is in a spelling that is not put in");
  }
  const std::string& header = secret->rule.header;
  const std::string_view wanted = header.empty() ? kDefaultSecretHeader : std::string_view(header);
  const auto covers = [&](const std::string& one) { return policy::host_matches(one, host); };
  if (!std::any_of(secret->rule.hosts.begin(), secret->rule.hosts.end(), covers))
    return refused(*secret, "was sent to " + std::string(host) + ", which is none of its hosts");
  if (!equal_ignoring_case(name, wanted))
    return refused(*secret, "was sent in another header than " + std::string(wanted));
  if (channel != Channel::verified_tls)
    return refused(*secret, "was sent without TLS, where anybody could read it");

  std::string put;
  if (!secret->rule.format.empty()) {
    if (inside_basic || !has_format(value, *secret))
      return refused(*secret, "is not sent as \"" + secret->rule.format + "\"");
    put = replaced(secret->rule.format, "{}", secret->value);
  } else if (inside_basic) {
    put = "Basic " + base64_encode(replaced(*basic, secret->placeholder, secret->value));
  } else {
    put = replaced(value, secret->placeholder, secret->value);
  }
  if (named_in(put) != nullptr) return refused(*secret, "stands beside another placeholder");
  return {HeaderOutcome::Kind::put_in, std::move(put), secret, {}};
}

}  // namespace ward::egress
