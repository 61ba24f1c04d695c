// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "support/needs.h"
#include "sys/feature_cause.h"
#include "sys/raw.h"

namespace ward::sys {
namespace {

using ::testing::HasSubstr;

MachineFacts plain_user() {
  MachineFacts facts;
  facts.uid = 1000;
  facts.program = "/opt/ward/ward";
  facts.max_user_namespaces = 1000;
  facts.max_of_this_kind = 1000;
  return facts;
}

TEST(FeatureCause, AppArmorsRestrictionIsAnsweredWithAProfileForThisProgram) {
  MachineFacts facts = plain_user();
  facts.apparmor_restricts_userns = 1;
  const Cause cause = cause_of(Feature::user_namespace, EPERM, facts);
  EXPECT_THAT(cause.cause, HasSubstr("AppArmor"));
  EXPECT_THAT(cause.remedy, HasSubstr("profile ward /opt/ward/ward flags=(unconfined)"));
  EXPECT_THAT(cause.remedy, HasSubstr("userns,"));
  // It also lets the namespace be made and takes its capabilities: then a mount fails.
  EXPECT_THAT(cause_of(Feature::tmpfs_mount, EACCES, facts).cause, HasSubstr("AppArmor"));
  facts.uid = 0;
  EXPECT_THAT(cause_of(Feature::user_namespace, EPERM, facts).cause, Not(HasSubstr("AppArmor")));
}

TEST(FeatureCause, DebiansSettingIsNamedWithTheCommandThatLiftsIt) {
  MachineFacts facts = plain_user();
  facts.unprivileged_userns_clone = 0;
  const Cause cause = cause_of(Feature::user_namespace, EPERM, facts);
  EXPECT_EQ(cause.cause, "kernel.unprivileged_userns_clone is 0");
  EXPECT_THAT(cause.remedy, HasSubstr("sysctl -w kernel.unprivileged_userns_clone=1"));
}

TEST(FeatureCause, AMaximumOfZeroIsToldFromTooMany) {
  MachineFacts facts = plain_user();
  EXPECT_THAT(cause_of(Feature::user_namespace, ENOSPC, facts).cause, HasSubstr("too many"));
  facts.max_user_namespaces = 0;
  EXPECT_EQ(cause_of(Feature::user_namespace, ENOSPC, facts).cause,
            "user.max_user_namespaces is 0");
  facts.max_user_namespaces = 10;
  facts.max_of_this_kind = 0;
  EXPECT_EQ(cause_of(Feature::net_namespace, ENOSPC, facts).cause, "user.max_net_namespaces is 0");
}

TEST(FeatureCause, ARefusalThatTheSettingsAllowIsAContainersFilter) {
  MachineFacts facts = plain_user();
  facts.seccomp_filtered = true;
  facts.in_container = true;
  const Cause cause = cause_of(Feature::user_namespace, EPERM, facts);
  EXPECT_THAT(cause.cause, HasSubstr("seccomp filter of the container"));
  EXPECT_THAT(cause.remedy, HasSubstr("--security-opt seccomp="));
}

TEST(FeatureCause, AChrootAndAKernelWithoutTheKindAreTold) {
  MachineFacts facts = plain_user();
  facts.chrooted = true;
  EXPECT_THAT(cause_of(Feature::user_namespace, EPERM, facts).cause, HasSubstr("chroot"));
  facts.kernel_has_kind = false;
  EXPECT_THAT(cause_of(Feature::user_namespace, EINVAL, facts).cause,
              HasSubstr("built without user namespaces"));
}

TEST(FeatureCause, LandlockThatIsBuiltInButNotBootedIsToldFromNone) {
  MachineFacts facts = plain_user();
  facts.security_modules = "lockdown,yama";
  EXPECT_THAT(cause_of(Feature::landlock, EOPNOTSUPP, facts).remedy,
              HasSubstr("lsm=landlock,lockdown,yama"));
  EXPECT_THAT(cause_of(Feature::landlock, ENOSYS, facts).cause, HasSubstr("no Landlock"));
}

TEST(FeatureCause, ASecondNotifierIsTold) {
  EXPECT_THAT(cause_of(Feature::seccomp_notify, EBUSY, plain_user()).cause,
              HasSubstr("another program's seccomp notifier"));
}

TEST(FeatureCause, AnUnknownReasonIsLeftOut) {
  EXPECT_EQ(cause_of(Feature::memfd, EIO, plain_user()).cause, "");
  const Error error = explain_failure(Feature::memfd, EIO, "memfd_create");
  EXPECT_EQ(error.message(), "memfd_create: Input/output error");
}

TEST(FeatureCause, AnExplainedFailureKeepsTheCallAndAddsTheCause) {
  const Error error = explain_failure(Feature::landlock, EOPNOTSUPP, "landlock_create_ruleset");
  EXPECT_EQ(error.message(),
            "Landlock is built into this kernel but not enabled: landlock_create_ruleset: "
            "Operation not supported");
  EXPECT_THAT(error.remedy(), HasSubstr("lsm=landlock"));
  EXPECT_EQ(error.os_errno(), EOPNOTSUPP);
}

TEST(KernelFeatures, EachFeatureHasANameAPurposeAndAProbe) {
  const KernelFeatures features = KernelFeatures::probe();
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    EXPECT_FALSE(name_of(feature).empty());
    EXPECT_FALSE(purpose_of(feature).empty());
    EXPECT_FALSE(features[feature].probe.empty());
    EXPECT_EQ(features.has(feature), features[feature].os_errno == 0) << name_of(feature);
  }
  EXPECT_EQ(features.has(Feature::landlock), features.landlock_abi() >= 2);
  EXPECT_EQ(features.landlock_abi(), landlock_abi());
}

TEST(KernelFeatures, ProbingChangesNothingHere) {
  const auto links = [] {
    std::string all;
    for (const char* const kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
      std::array<char, 64> target;
      const ssize_t size =
          ::readlink((std::string("/proc/self/ns/") + kind).c_str(), target.data(), target.size());
      all.append(target.data(), static_cast<std::size_t>(size));
    }
    return all;
  };
  const std::string before = links();
  (void)KernelFeatures::probe();
  EXPECT_EQ(links(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// A machine that forbids user namespaces, made for real: the maximum of an own user namespace is
// set to 0, and a process in it probes.
TEST(KernelFeatures, AMachineWithoutUserNamespacesIsExplained) {
  NEEDS(user_namespaces);
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string uid = std::to_string(::getuid());
  const pid_t child = ::fork();
  if (child == 0) {
    if (raw::unshare(CLONE_NEWUSER) != 0) ::_exit(1);
    std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
    std::ofstream("/proc/sys/user/max_user_namespaces") << "0";
    const KernelFeatures features = KernelFeatures::probe();
    const FeatureState& state = features[Feature::user_namespace];
    const std::string text =
        std::to_string(state.os_errno) + " " + state.cause + " " + state.remedy;
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(state.available ? 2 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::array<char, 4096> buffer;
  const ssize_t size = ::read(ends[0], buffer.data(), buffer.size());
  ASSERT_GT(size, 0);
  const std::string text(buffer.data(), static_cast<std::size_t>(size));
  EXPECT_THAT(text, HasSubstr("28 user.max_user_namespaces is 0"));
}

}  // namespace
}  // namespace ward::sys
