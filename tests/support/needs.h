// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// NEEDS(user_namespaces, landlock_abi >= 4, ordinary_user): what a test needs of the machine it
// runs on, found by trying and never by version. An unmet need skips the test with the probe's
// reason and one line that scripts/run-tests collects into the table it prints last;
// .ci/expected-needs says which needs must be met on CI. Probes that change the process run in a
// forked child.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

namespace ward::test {

struct Need {
  std::string name;
  std::function<std::string()> probe;  // why it is unmet; empty if it is met
};

// The first unmet need as "name: reason", already announced to the runner; empty if all are met.
std::string first_unmet(std::initializer_list<Need> needs);

namespace need {

extern const Need root;
extern const Need ordinary_user;
extern const Need user_namespaces;
extern const Need overlay_in_user_namespace;
extern const Need seccomp_notify;
extern const Need unix_diag;
extern const Need cgroup_v1_writable;   // memory and pids hierarchies
extern const Need cgroup_v2_delegated;  // memory and pids controllers below our own cgroup
extern const Need pty;
extern const Need btrfs_image;  // a file system in a file, mounted through a loop device
extern const Need kvm;
extern const Need maven_plugins;  // Debian's, in the repository of the system

// A program found in PATH.
Need tool(const std::string& name);

struct LandlockAbi {};
inline constexpr LandlockAbi landlock_abi;
Need operator>=(LandlockAbi, int version);

}  // namespace need
}  // namespace ward::test

#define NEEDS(...)                                                     \
  do {                                                                 \
    const std::string ward_unmet = [] {                                \
      using namespace ::ward::test::need; /* the words of the macro */ \
      return ::ward::test::first_unmet({__VA_ARGS__});                 \
    }();                                                               \
    if (!ward_unmet.empty()) GTEST_SKIP() << "needs " << ward_unmet;   \
  } while (false)
