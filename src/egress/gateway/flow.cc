// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/flow.h"

namespace ward::egress {

OpenRecord::OpenRecord(Services& services, Protocol protocol)
    : services_(&services), record_(std::make_unique<Record>()) {
  record_->protocol = protocol;
  record_->verdict = RecordVerdict::failed;
  record_->started =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

OpenRecord::~OpenRecord() {
  if (!record_) return;
  record_->duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin_);
  services_->report(std::move(*record_));
}

}  // namespace ward::egress
