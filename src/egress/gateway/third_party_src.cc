// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The compiled part of Asio and Beast, once (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
