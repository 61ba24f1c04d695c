// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/seccomp_notify.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "sys/uapi.h"

namespace ward::sys {

namespace {

Status answer(int listener, const struct seccomp_notif_resp& response) {
  int done = -1;
  do {
    done = ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
  } while (done < 0 && errno == EINTR);
  if (done < 0) return fail_errno(errno, "answer a notification");
  return {};
}

}  // namespace

int install_filter(std::span<const struct sock_filter> program) noexcept {
  struct sock_fprog description = {};
  description.len = static_cast<unsigned short>(program.size());
  description.filter = const_cast<struct sock_filter*>(program.data());
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  long fd = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &description);
  // COMPAT(linux-5.19): remove when the baseline passes it. An unknown flag is EINVAL.
  if (fd < 0 && errno == EINVAL)
    fd = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                   &description);
  return fd < 0 ? -errno : static_cast<int>(fd);
}

bool prefer_synchronous_wakeup(int listener) noexcept {
  return ::ioctl(listener, uapi::kSeccompNotifSetFlags, uapi::kSeccompNotifSyncWakeUp) == 0;
}

Result<struct seccomp_notif> receive_notification(int listener) {
  struct seccomp_notif notification = {};  // the kernel insists on zeroes
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0)
    return fail_errno(errno, "receive a notification");
  return notification;
}

bool notification_valid(int listener, std::uint64_t id) noexcept {
  return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

Status answer_continue(int listener, std::uint64_t id) {
  return answer(listener,
                {.id = id, .val = 0, .error = 0, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE});
}

Status answer_error(int listener, std::uint64_t id, int error) {
  return answer(listener, {.id = id, .val = 0, .error = -error, .flags = 0});
}

Status answer_value(int listener, std::uint64_t id, std::int64_t value) {
  return answer(listener, {.id = id, .val = value, .error = 0, .flags = 0});
}

Status answer_descriptor(int listener, std::uint64_t id, int fd, int flags) {
  struct seccomp_notif_addfd request = {};
  request.id = id;
  request.flags = SECCOMP_ADDFD_FLAG_SEND;
  request.srcfd = static_cast<__u32>(fd);
  request.newfd_flags = static_cast<__u32>(flags);
  int done = -1;
  do {
    done = ::ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &request);
  } while (done < 0 && errno == EINTR);
  if (done < 0) return fail_errno(errno, "give a descriptor to a caller");
  return {};
}

}  // namespace ward::sys
