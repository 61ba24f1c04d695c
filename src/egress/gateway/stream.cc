// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "egress/gateway/openssl.h"

namespace ward::egress {

namespace {

constexpr int kTurns = 16;
// An idle connection keeps a small buffer; one that fills it gets the large one.
constexpr std::size_t kSmallInput = 8U << 10U, kLargeInput = 128U << 10U;

}  // namespace

// The descriptor stays until the end: its number must not become another connection's while others
// still hold it for this one.
void Stream::close() {
  closed_ = true;
  boost::system::error_code ignored;
  ignored = socket_.shutdown(Socket::shutdown_both, ignored);
  ignored = socket_.cancel(ignored);
}

bool Stream::is_stale() {
  if (closed_ || has_unread()) return true;
  char byte = 0;
  const ssize_t size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size >= 0 || (errno != EAGAIN && errno != EINTR);
}

Task<void> Stream::take_turns() {
  if (++turns_ < kTurns) co_return;
  turns_ = 0;
  co_await asio::post(socket_.get_executor(), kAwait);
}

Task<Result<std::size_t>> Stream::receive(std::span<char> into) {
  for (;;) {
    if (closed_) co_return fail(ErrorKind::io, "the connection was closed");
    const ssize_t size = ::recv(socket_.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
    if (size >= 0) {
      co_await take_turns();
      co_return static_cast<std::size_t>(size);
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return fail_errno(errno, "read from the connection");
    boost::system::error_code failed;
    co_await socket_.async_wait(Socket::wait_read, asio::redirect_error(kAwait, failed));
    if (failed) co_return fail(ErrorKind::io, "the connection was closed");
    turns_ = 0;
  }
}

Task<Status> Stream::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (closed_) co_return fail(ErrorKind::io, "the connection was closed");
    const ssize_t size =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
      co_await take_turns();
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return fail_errno(errno, "write to the connection");
    boost::system::error_code failed;
    co_await socket_.async_wait(Socket::wait_write, asio::redirect_error(kAwait, failed));
    if (failed) co_return fail(ErrorKind::io, "the connection was closed");
    turns_ = 0;
  }
  co_return Status();
}

void Stream::send_what_fits(std::string_view bytes) {
  if (closed_ || bytes.empty()) return;
  // A peer that does not read now is not worth waiting for.
  [[maybe_unused]] const ssize_t sent =
      ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Stream::shut_down_sending() {
  boost::system::error_code ignored;
  ignored = socket_.shutdown(Socket::shutdown_send, ignored);
}

namespace {

class PlainStream final : public Stream {
 public:
  PlainStream(Socket socket, std::string early)
      : Stream(std::move(socket)), early_(std::move(early)) {}

  Task<Result<std::size_t>> read(std::span<char> into) override {
    if (early_.empty()) co_return co_await receive(into);
    const std::size_t size = std::min(into.size(), early_.size());
    std::copy_n(early_.begin(), size, into.begin());
    early_.erase(0, size);
    co_return size;
  }
  Task<Status> write(std::string_view bytes) override { co_return co_await send(bytes); }
  void end_writing() override { shut_down_sending(); }

 protected:
  bool has_unread() const override { return !early_.empty(); }

 private:
  std::string early_;
};

struct SslFree {
  void operator()(SSL* ssl) const { ::SSL_free(ssl); }
};

// What lies between OpenSSL and the socket.
struct Wire {
  std::string in, out;
  std::size_t at = 0, end = 0;  // what is unread in `in`
};

int wire_read(BIO* bio, char* into, int size) {
  Wire& wire = *static_cast<Wire*>(::BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const std::size_t left = std::min(static_cast<std::size_t>(size), wire.end - wire.at);
  if (left == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(into, wire.in.data() + wire.at, left);
  wire.at += left;
  return static_cast<int>(left);
}

int wire_write(BIO* bio, const char* from, int size) {
  static_cast<Wire*>(::BIO_get_data(bio))->out.append(from, static_cast<std::size_t>(size));
  return size;
}

long wire_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* wire_method() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method = ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
    ::BIO_meth_set_read(method, &wire_read);
    ::BIO_meth_set_write(method, &wire_write);
    ::BIO_meth_set_ctrl(method, &wire_control);
    ::BIO_meth_set_create(method, [](BIO* bio) {
      ::BIO_set_init(bio, 1);
      return 1;
    });
    return method;
  }();
  return kMethod;
}

enum class TlsRole : std::uint8_t { server, client };

class TlsStream final : public Stream {
 public:
  TlsStream(Socket socket, std::string early, SSL* ssl, TlsRole role)
      : Stream(std::move(socket)), ssl_(ssl) {
    wire_.in = std::move(early);
    wire_.end = wire_.in.size();
    BIO* bio = ::BIO_new(wire_method());
    ::BIO_set_data(bio, &wire_);
    ::SSL_set_bio(ssl, bio, bio);
    if (role == TlsRole::server) {
      ::SSL_set_accept_state(ssl);
    } else {
      ::SSL_set_connect_state(ssl);
    }
  }

  Task<Status> handshake() {
    for (;;) {
      ::ERR_clear_error();
      const int done = ::SSL_do_handshake(ssl_.get());
      const int why = done == 1 ? SSL_ERROR_NONE : ::SSL_get_error(ssl_.get(), done);
      Error reason(ErrorKind::io, "");
      if (why == SSL_ERROR_SSL) reason = handshake_error();
      const Status sent = co_await flush();  // an alert, too
      if (why == SSL_ERROR_NONE) co_return sent;
      if (why != SSL_ERROR_WANT_READ) co_return fail(reason);
      if (!sent) co_return fail(sent.error());
      const Result<std::size_t> size = co_await fill();
      if (!size) co_return fail(size.error());
      if (*size == 0)
        co_return fail(ErrorKind::io, "the peer closed the connection during the TLS handshake");
    }
  }

  Task<Result<std::size_t>> read(std::span<char> into) override {
    std::size_t total = 0;
    for (;;) {
      ::ERR_clear_error();
      std::size_t size = 0;
      const int done = ::SSL_read_ex(ssl_.get(), into.data() + total, into.size() - total, &size);
      if (done == 1) {
        total += size;
        if (total < into.size()) continue;
        co_return total;
      }
      const int why = ::SSL_get_error(ssl_.get(), done);
      if (total > 0) co_return total;  // an end or error comes again with the next call
      if (why == SSL_ERROR_ZERO_RETURN) co_return 0U;
      if (why != SSL_ERROR_WANT_READ) co_return fail(openssl_error("read over TLS"));
      if (!wire_.out.empty()) {
        const Status sent = co_await flush();  // the answer to a key update
        if (!sent) co_return fail(sent.error());
      }
      const Result<std::size_t> received = co_await fill();
      if (!received) co_return fail(received.error());
      if (*received == 0) co_return fail(ErrorKind::io, "the TLS connection was cut");
    }
  }

  Task<Status> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      ::ERR_clear_error();
      std::size_t size = 0;
      const std::string_view part = bytes.substr(0, kLargeInput);
      if (::SSL_write_ex(ssl_.get(), part.data(), part.size(), &size) != 1)
        co_return fail(openssl_error("write over TLS"));
      bytes.remove_prefix(size);
      const Status sent = co_await flush();
      if (!sent) co_return fail(sent.error());
    }
    co_return Status();
  }

  void end_writing() override {
    ::ERR_clear_error();
    if (::SSL_is_init_finished(ssl_.get()) == 1) ::SSL_shutdown(ssl_.get());
    send_what_fits(wire_.out);
    wire_.out.clear();
    shut_down_sending();
  }

 protected:
  bool has_unread() const override {
    return ::SSL_has_pending(ssl_.get()) == 1 || wire_.at < wire_.end;
  }

 private:
  Task<Result<std::size_t>> fill() {
    if (wire_.in.size() < input_) wire_.in.resize(input_);
    wire_.at = wire_.end = 0;
    const Result<std::size_t> size = co_await receive(wire_.in);
    if (size) wire_.end = *size;
    if (wire_.end == input_) input_ = kLargeInput;
    co_return size;
  }

  Task<Status> flush() {
    const Status sent = co_await send(wire_.out);
    wire_.out.clear();
    co_return sent;
  }

  Error handshake_error() {
    const long verified = ::SSL_get_verify_result(ssl_.get());
    if (verified == X509_V_OK) return openssl_error("the TLS handshake failed");
    ::ERR_clear_error();
    return {ErrorKind::denied, std::string("the server's certificate is not accepted: ") +
                                   ::X509_verify_cert_error_string(verified)};
  }

  std::unique_ptr<SSL, SslFree> ssl_;
  Wire wire_;
  std::size_t input_ = kSmallInput;
};

}  // namespace

std::unique_ptr<Stream> plain_stream(Socket socket, std::string early) {
  return std::make_unique<PlainStream>(std::move(socket), std::move(early));
}

Result<std::unique_ptr<Stream>> server_stream(Socket socket, std::string early,
                                              ssl_ctx_st* context) {
  SSL* ssl = ::SSL_new(context);
  if (ssl == nullptr) return fail(openssl_error("prepare TLS"));
  return std::make_unique<TlsStream>(std::move(socket), std::move(early), ssl, TlsRole::server);
}

std::unique_ptr<Stream> client_stream(Socket socket, ssl_st* ssl) {
  return std::make_unique<TlsStream>(std::move(socket), std::string(), ssl, TlsRole::client);
}

Task<Status> tls_handshake(Stream& stream) {
  co_return co_await static_cast<TlsStream&>(stream).handshake();
}

}  // namespace ward::egress
