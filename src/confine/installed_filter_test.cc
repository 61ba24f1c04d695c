// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "confine/notify_lab.h"
#include "support/needs.h"
#include "support/temp_dir.h"

// The filter as this kernel runs it; syscall_table_test.cc has every row.
namespace ward::confine {
namespace {

TEST(InstalledFilter, TerminalInjectionAndNewNamespacesFailOnThisKernel) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  LabResult result = run_in_lab({}, [&] {
    Findings found;
    char byte = 'x';
    found.expect(::syscall(SYS_ioctl, 0, 0x5412UL | 0xdead00000000UL, &byte), EPERM, "TIOCSTI");
    found.expect(::syscall(SYS_ioctl, 0, 0x541cUL | 0xdead00000000UL, &byte), EPERM, "TIOCLINUX");
    found.expect(::unshare(CLONE_NEWUSER), EPERM, "unshare");
    found.expect(::socket(AF_UNIX, SOCK_DGRAM, 0), EACCES, "unix datagrams");
    found.expect(::socket(AF_VSOCK, SOCK_STREAM, 0), EAFNOSUPPORT, "vsock");
    found.expect(::syscall(SYS_openat2, 0, 0, 0, 0), ENOSYS, "openat2");
    found.expect(::syscall(425, 1, nullptr), ENOSYS, "io_uring");
    found.expect(::syscall(5000), ENOSYS, "a call of the future");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

TEST(InstalledFilter, ASecondListenerIsRefusedAndPlainFiltersWork) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  LabOptions options;
  options.spec.plan.absent = {{dir.path(), sys::object_id(*sys::stat_at(AT_FDCWD, dir.path())),
                               "hooks", "a protected name"}};
  LabResult result = run_in_lab(std::move(options), [&] {
    Findings found;
    struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow};
    found.expect(
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program),
        EBUSY, "a second listener");
    found.expect(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), 0, "a filter");
    found.expect(::mkdir((dir / "hooks").c_str(), 0755), EACCES, "still protected");
    return found.text();
  });
  EXPECT_EQ(result.report, "");
}

}  // namespace
}  // namespace ward::confine
