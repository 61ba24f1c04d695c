// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/raw.h"

#include <linux/futex.h>
#include <linux/openat2.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <atomic>
#include <climits>
#include <cstring>

namespace ward::sys::raw {

long open_no_links(const char* path, int flags) {
  struct open_how how = {};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS;
  return value_or_errno(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

long futex_wait(const std::uint32_t& word, std::uint32_t value) {
  return value_or_errno(::syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0));
}

void futex_set(std::uint32_t& word, std::uint32_t value) {
  std::atomic_ref<std::uint32_t>(word).store(value);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

long send_with_fds(int socket, const void* bytes, std::size_t size, std::span<const int> fds) {
  if (fds.size() > kMostSentFds) return -E2BIG;
  struct iovec part = {const_cast<void*>(bytes), size};
  alignas(struct cmsghdr) char control[CMSG_SPACE(kMostSentFds * sizeof(int))] = {};
  struct msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    struct cmsghdr* item = CMSG_FIRSTHDR(&header);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(item), fds.data(), fds.size_bytes());
  }
  return value_or_errno(::sendmsg(socket, &header, MSG_NOSIGNAL));
}

long drop_bounding_set() {
  // The kernel's last capability may be newer than our headers: it answers EINVAL past its last.
  for (unsigned long capability = 0;; ++capability) {
    long status = prctl(PR_CAPBSET_DROP, capability);
    if (status == -EINVAL && capability > 0) return 0;
    if (status < 0) return status;
  }
}

namespace {

constexpr unsigned long kNone = ~0UL;

long keep_capability(unsigned long kept) {
  long status = prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  if (status < 0) return status;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct left[2] = {};
  if (kept != kNone) {
    struct __user_cap_data_struct& word = left[kept / 32];
    word.permitted = word.effective = 1U << (kept % 32);
  }
  return value_or_errno(::syscall(SYS_capset, &header, left));
}

}  // namespace

long drop_capabilities() { return keep_capability(kNone); }
long drop_capabilities_but(unsigned long kept) { return keep_capability(kept); }

long loopback_up() {
  int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  struct ifreq request = {};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  long status = value_or_errno(::ioctl(fd, SIOCSIFFLAGS, &request));
  ::close(fd);
  return status;
}

}  // namespace ward::sys::raw
