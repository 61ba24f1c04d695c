// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/client_hello.h"

#include <algorithm>
#include <optional>

#include "egress/decide.h"

namespace ward::egress {

namespace {

constexpr unsigned char kHandshakeRecord = 22, kClientHello = 1, kHostName = 0;
constexpr std::size_t kRecordHeader = 5, kHandshakeHeader = 4, kMaxRecord = 16384;
constexpr unsigned kServerName = 0, kEncryptedHello = 0xfe0d, kEncryptedServerName = 0xffce;

// Takes from the front; every taker fails where too little is left.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  std::optional<unsigned> number(std::size_t size) {
    if (rest_.size() < size) return std::nullopt;
    unsigned value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = (value << 8U) | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(size);
    return value;
  }
  std::optional<std::string_view> take(std::size_t size) {
    if (rest_.size() < size) return std::nullopt;
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  // A field with its length in front.
  std::optional<std::string_view> vector(std::size_t length_size) {
    const auto size = number(length_size);
    return size ? take(*size) : std::nullopt;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

HelloVerdict bad(std::string problem) { return {HelloVerdict::State::bad, "", std::move(problem)}; }

// The one name of the server name extension.
std::optional<std::string> read_server_name(std::string_view extension) {
  Bytes bytes(extension);
  const auto list = bytes.vector(2);
  if (!list || !bytes.empty()) return std::nullopt;
  Bytes names(*list);
  const auto type = names.number(1);
  const auto name = names.vector(2);
  if (!type || *type != kHostName || !name || !names.empty()) return std::nullopt;
  return normalise_host(*name);
}

HelloVerdict read_extensions(std::string_view extensions) {
  HelloVerdict verdict;
  verdict.state = HelloVerdict::State::complete;
  bool seen_name = false;
  for (Bytes bytes(extensions); !bytes.empty();) {
    const auto type = bytes.number(2);
    const auto content = bytes.vector(2);
    if (!type || !content) return bad("its TLS extensions are damaged");
    if (*type == kEncryptedHello || *type == kEncryptedServerName)
      return bad("it encrypts the name of the server (ECH), so the name cannot be checked");
    if (*type != kServerName) continue;
    if (seen_name) return bad("it names the server twice");
    seen_name = true;
    const auto name = read_server_name(*content);
    if (!name) return bad("the name of the server in its TLS hello is not one host name");
    verdict.server_name = *name;
  }
  return verdict;
}

HelloVerdict read_hello(std::string_view body) {
  Bytes bytes(body);
  const auto version = bytes.number(2);
  const auto random = bytes.take(32);
  const auto session = bytes.vector(1);
  const auto ciphers = bytes.vector(2);
  const auto compression = bytes.vector(1);
  if (!version || !random || !session || session->size() > 32 || !ciphers || !compression)
    return bad("its TLS hello is damaged");
  if (bytes.empty()) return read_extensions("");
  const auto extensions = bytes.vector(2);
  if (!extensions || !bytes.empty()) return bad("its TLS hello is damaged");
  return read_extensions(*extensions);
}

}  // namespace

HelloVerdict inspect_client_hello(std::string_view bytes) {
  std::string handshake;
  std::size_t wanted = kHandshakeHeader;
  while (handshake.size() < wanted) {
    if (!bytes.empty() && static_cast<unsigned char>(bytes[0]) != kHandshakeRecord)
      return handshake.empty() ? HelloVerdict{HelloVerdict::State::not_tls, "", ""}
                               : bad("its TLS hello is interrupted by another record");
    if (bytes.size() > 1 && bytes[1] != 3) {
      return handshake.empty() ? HelloVerdict{HelloVerdict::State::not_tls, "", ""}
                               : bad("its TLS records are of different versions");
    }
    Bytes header(bytes.substr(std::min<std::size_t>(bytes.size(), 3)));
    const auto size = header.number(2);
    if (!size) return {};
    if (*size == 0 || *size > kMaxRecord) return bad("a TLS record of an impossible size");
    const std::string_view content = bytes.substr(kRecordHeader, *size);
    handshake += content;
    if (!handshake.empty() && static_cast<unsigned char>(handshake[0]) != kClientHello)
      return bad("its first TLS message is no hello");
    if (handshake.size() >= kHandshakeHeader) {
      wanted = kHandshakeHeader + *Bytes(std::string_view(handshake).substr(1)).number(3);
      if (wanted > kMaxHelloBytes) return bad("its TLS hello is larger than 16 KiB");
    }
    if (content.size() < *size && handshake.size() < wanted) return {};
    bytes.remove_prefix(kRecordHeader + content.size());
  }
  return read_hello(
      std::string_view(handshake).substr(kHandshakeHeader, wanted - kHandshakeHeader));
}

}  // namespace ward::egress
