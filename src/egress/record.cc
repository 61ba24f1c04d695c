// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/record.h"

namespace ward::egress {

std::string_view name_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::connection: return "connection";
    case RecordKind::request: return "request";
    case RecordKind::question: return "question";
  }
  return "connection";
}

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::dns: return "dns";
    case Protocol::http: return "http";
    case Protocol::connect: return "connect";
    case Protocol::socks5: return "socks5";
    case Protocol::transparent: return "transparent";
    case Protocol::host_port: return "host-port";
    case Protocol::publish: return "publish";
  }
  return "transparent";
}

std::string_view name_of(RecordVerdict verdict) {
  switch (verdict) {
    case RecordVerdict::allowed: return "allowed";
    case RecordVerdict::denied: return "denied";
    case RecordVerdict::failed: return "failed";
  }
  return "failed";
}

}  // namespace ward::egress
