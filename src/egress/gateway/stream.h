// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Stream: one side of an intercepted connection as plain bytes, whether TLS is under it or not.
// Owns its socket. One reader and one writer at a time; the gateway's one thread. Errors are final.
// TLS runs over memory buffers, so a call of OpenSSL never waits. Sources: SSL_read(3),
// SSL_get_error(3), BIO_meth_new(3).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "egress/gateway/asio.h"

struct ssl_ctx_st;
struct ssl_st;

namespace ward::egress {

class Stream {
 public:
  explicit Stream(Socket socket) : socket_(std::move(socket)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  // At least one byte; 0 at the end, as the peer announced it (a connection that was merely cut is
  // an error: what ends with its connection must not be cut short unnoticed).
  virtual Task<Result<std::size_t>> read(std::span<char> into) = 0;
  // All of it.
  virtual Task<Status> write(std::string_view bytes) = 0;
  // Nothing more will be written; announced to the peer as far as that needs no waiting.
  virtual void end_writing() = 0;

  // Ends everything at once: pending calls fail.
  void close();
  // Whether the peer has closed, or sent what nobody asked for: not to be used for a new request.
  bool is_stale();

 protected:
  // Non-blocking recv(2) and send(2), waiting as needed. From time to time they let others run, so
  // that two fast peers do not keep the thread.
  Task<Result<std::size_t>> receive(std::span<char> into);
  Task<Status> send(std::string_view bytes);
  void send_what_fits(std::string_view bytes);
  void shut_down_sending();
  virtual bool has_unread() const = 0;

 private:
  Task<void> take_turns();
  Socket socket_;
  int turns_ = 0;
  bool closed_ = false;
};

// `early`: bytes of the client that were read before.
std::unique_ptr<Stream> plain_stream(Socket socket, std::string early);

// TLS streams, the handshake not yet done. The first ends the client's TLS with `context`; the
// second owns `ssl`, a new client.
Result<std::unique_ptr<Stream>> server_stream(Socket socket, std::string early,
                                              ssl_ctx_st* context);
std::unique_ptr<Stream> client_stream(Socket socket, ssl_st* ssl);
// `stream` is one of these. An error says why, a failed verification with its reason.
Task<Status> tls_handshake(Stream& stream);

}  // namespace ward::egress
