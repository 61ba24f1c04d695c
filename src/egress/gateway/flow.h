// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The seam between the gateway's proxies and whatever reads the content of a connection. Every way
// in (CONNECT, absolute-form, SOCKS5, transparent capture) ends in the same place, serve_content()
// in content.cc: the target was decided, resolved, checked and dialled, and the first bytes of the
// client were looked at. There a connection is either tunnelled untouched, or handed as a Flow to
// the Interceptor, if there is one and it wants the target. All on the gateway's one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "egress/gateway/asio.h"
#include "egress/record.h"
#include "egress/spec.h"
#include "egress/wire.h"

namespace ward::egress {

// What was asked for: a lower-case name without a final dot, or a literal address in canonical
// form.
struct Target {
  std::string host;
  std::uint16_t port = 0;
  bool literal = false;
};

// What the client's first bytes are.
enum class Content : std::uint8_t {
  tls,     // a ClientHello whose SNI is the target
  http,    // a plain HTTP/1 request whose Host is the target
  opaque,  // anything else, at a port that its rule names
};

class Services;

// A record that is reported once, at the end of what it is about, with its duration. Move-only;
// the record itself stays where it is.
class OpenRecord {
 public:
  OpenRecord(Services& services, Protocol protocol);
  OpenRecord(OpenRecord&& other) noexcept = default;
  OpenRecord& operator=(OpenRecord&&) = delete;
  ~OpenRecord();
  Record* operator->() const { return record_.get(); }
  Record& operator*() const { return *record_; }

 private:
  Services* services_;
  std::unique_ptr<Record> record_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A connection at the point where somebody else may take it over.
struct Flow {
  Socket client;
  // What the client has sent and nobody has answered: the bytes of the ClientHello; or the head of
  // one request in origin-form, hop-by-hop headers removed, and what came behind it.
  std::string early;
  Content content = Content::tls;
  Target target;
  Socket upstream;    // connected to a checked address of the target; nothing was sent
  OpenRecord record;  // verdict, rule and address are filled in
};

// What the gateway does for an interceptor. Outlives it.
class Services {
 public:
  virtual ~Services() = default;
  // Decides, resolves, checks and dials anew: the only way to reach anything.
  // A refusal is an error of kind denied whose message is the whole explanation.
  virtual Task<Result<Socket>> dial(const Target& target, Record& record) = 0;
  // Holds a request until it is decided (id is chosen here); a closed channel denies.
  virtual Task<Decision> ask(Ask question) = 0;
  virtual void report(Record record) = 0;
  // The rules in force now; they stay valid while the pointer is held.
  virtual std::shared_ptr<const GatewaySpec> spec() const = 0;
  virtual asio::io_context& loop() = 0;
};

class Interceptor {
 public:
  virtual ~Interceptor() = default;
  // To be trusted inside; empty where nothing is intercepted.
  virtual std::string ca_certificate_pem() const = 0;
  // Before services.spec() becomes `next` at a reload; an error keeps the old rules.
  virtual Status reconfigure(const GatewaySpec& next) = 0;
  // Whether the content must be read, and may not be tunnelled.
  virtual bool wants(const Target& target, Content content) const = 0;
  // Owns the connection from here on; closes and reports it. Never throws.
  virtual Task<void> serve(Flow flow) = 0;
};

// Made before the gateway confines itself: what it needs from files is read here.
using InterceptorFactory = Result<std::unique_ptr<Interceptor>> (*)(Services&, const GatewaySpec&);

}  // namespace ward::egress
