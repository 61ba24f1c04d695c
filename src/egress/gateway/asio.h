// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The one header of the gateway that brings in Asio, with the few names the rest uses. Everything
// runs on one io_context in one thread, so nothing here is locked; the concrete executor keeps type
// erasure out of every operation. Sources: Boost.Asio 1.81, "C++20 Coroutines Support".
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace ward::egress {

namespace asio = boost::asio;

using Executor = asio::io_context::executor_type;
template <class T>
using Task = asio::awaitable<T, Executor>;
inline constexpr asio::use_awaitable_t<Executor> kAwait;

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
// Any other descriptor that is waited for.
using Watched = asio::posix::basic_stream_descriptor<Executor>;

}  // namespace ward::egress
