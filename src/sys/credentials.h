// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// WithoutCapabilities: while it lives, the calling thread has no effective capability, so that what
// it does for somebody is judged by permissions alone, as it would be for them. The permitted set
// stays and is made effective again at the end. Source: capset(2).
#pragma once

#include <linux/capability.h>

namespace ward::sys {

class WithoutCapabilities {
 public:
  WithoutCapabilities() noexcept;
  ~WithoutCapabilities();
  WithoutCapabilities(const WithoutCapabilities&) = delete;
  WithoutCapabilities& operator=(const WithoutCapabilities&) = delete;

  // False where the kernel refused: nothing may then be done for anybody.
  bool holds() const { return holds_; }

 private:
  struct __user_cap_data_struct before_[2] = {};
  bool changed_ = false;
  bool holds_ = false;
};

}  // namespace ward::sys
