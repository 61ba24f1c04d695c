// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/credentials.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ward::sys {

WithoutCapabilities::WithoutCapabilities() noexcept {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  if (::syscall(SYS_capget, &header, before_) != 0) return;
  holds_ = before_[0].effective == 0 && before_[1].effective == 0;
  if (holds_) return;
  struct __user_cap_data_struct reduced[2] = {before_[0], before_[1]};
  reduced[0].effective = 0;
  reduced[1].effective = 0;
  changed_ = ::syscall(SYS_capset, &header, reduced) == 0;
  holds_ = changed_;
}

WithoutCapabilities::~WithoutCapabilities() {
  if (!changed_) return;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  ::syscall(SYS_capset, &header, before_);
}

}  // namespace ward::sys
