// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/syscall_table.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

#include "sys/uapi.h"

namespace ward::confine {

namespace {

using enum RowGroup;
using enum SyscallAction;

constexpr ArgTest equal(std::uint8_t argument, std::uint32_t value,
                        std::uint32_t mask = 0xffffffffU) {
  return {ArgTest::Op::equal, argument, mask, value};
}
constexpr ArgTest differs(std::uint8_t argument, std::uint32_t value,
                          std::uint32_t mask = 0xffffffffU) {
  return {ArgTest::Op::differs, argument, mask, value};
}
constexpr ArgTest any_of(std::uint8_t argument, std::uint32_t mask) {
  return {ArgTest::Op::any_of, argument, mask, 0};
}

// CLONE_NEWTIME shares its bit with the exit signal of clone(2), which therefore cannot make one.
constexpr std::uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kNewTime = 0x80;
constexpr std::uint32_t kSocketType = 0xf;  // SOCK_TYPE_MASK: without NONBLOCK and CLOEXEC
constexpr std::uint32_t kCommand = 0xffff;  // type and number of an ioctl, without its size
constexpr std::uint32_t kTemporaryFile = O_TMPFILE & ~O_DIRECTORY;  // makes a file without O_CREAT
constexpr std::uint32_t kNoRandomize = 0x40000;  // ADDR_NO_RANDOMIZE, for debuggers

constexpr std::string_view kMount = "the mounts are the policy; nobody inside may change them";
constexpr std::string_view kModule = "kernel code is not for a command; EPERM as without privilege";
constexpr std::string_view kClock = "the clock is the host's";
constexpr std::string_view kMachine = "acts on the whole machine";
constexpr std::string_view kKeys = "keyrings are shared with the host; ENOSYS as without them";
constexpr std::string_view kRing =
    "its operations pass by this filter; ENOSYS so that libuv and others fall back";
constexpr std::string_view kNamespace =
    "a new namespace brings capabilities, and with them most of the kernel";
constexpr std::string_view kCreates = "may bring a protected name into being";
constexpr std::string_view kRemoves = "may remove a protected symbolic link";
constexpr std::string_view kTraces = "watched so that a refusal can name its rule";
constexpr std::string_view kSetUser =
    "a program that runs as this user for whoever starts it would outlive the sandbox";
constexpr std::string_view kSubvolume =
    "makes or removes a folder by an ioctl, which no path rule would see";
constexpr std::string_view kOldCall = "removed or obsolete; ENOSYS as in a kernel without it";
constexpr std::string_view kOtherProcess = "strict: no process looks into another";
constexpr std::string_view kDatagram =
    "a unix datagram can be sent to any socket of the host without a connect; EACCES is what "
    "socket(2) documents for a type that may not be made";
constexpr std::string_view kFamily =
    "a family that reaches kernel code or the host past the network namespace; EAFNOSUPPORT as "
    "without it";
constexpr std::string_view kInternet = "TCP and UDP stay in the own network namespace";
constexpr std::string_view kProtocol =
    "protocols other than TCP, UDP and ping load kernel modules; EPROTONOSUPPORT as without them";

#define CALL(name) #name, SYS_##name

// Sorted by name. Rows of one name are tried in this order.
constexpr SyscallRow kRows[] = {
    {CALL(acct), always, deny, EPERM, kMachine},
    {CALL(add_key), always, deny, ENOSYS, kKeys},
    {CALL(adjtimex), always, deny, EPERM, kClock},
    {CALL(bind), creations, notify, 0, "binding a unix socket makes a file"},
    {CALL(bpf), always, deny, EPERM, "loads programs into the kernel"},
    {CALL(chdir), trace, notify, 0, kTraces},
#ifdef SYS_chmod
    {CALL(chmod), always, deny, EPERM, kSetUser, {any_of(1, S_ISUID)}},
    {CALL(chmod), strict, deny, EPERM, kSetUser, {any_of(1, S_ISGID)}},
    {CALL(chmod), trace, notify, 0, kTraces},
#endif
#ifdef SYS_chown
    {CALL(chown), trace, notify, 0, kTraces},
#endif
    {CALL(chroot), isolating, deny, EPERM, "needs a capability that no command has"},
    {CALL(clock_adjtime), always, deny, EPERM, kClock},
    {CALL(clock_settime), always, deny, EPERM, kClock},
    {CALL(clone), isolating, deny, EPERM, kNamespace, {any_of(0, kNewNamespaces)}},
    {CALL(clone3), isolating, deny, ENOSYS,
     "its flags lie in memory, where a filter cannot read; ENOSYS makes libc use clone"},
    {CALL(connect), connections, notify, 0, "the supervisor connects, after it has checked"},
#ifdef SYS_creat
    {CALL(creat), always, deny, EPERM, kSetUser, {any_of(1, S_ISUID)}},
    {CALL(creat), creations, notify, 0, kCreates},
    {CALL(creat), trace, notify, 0, kTraces},
#endif
    {CALL(delete_module), always, deny, EPERM, kModule},
    {CALL(execve), trace, notify, 0, kTraces},
    {CALL(execveat), trace, notify, 0, kTraces},
    {CALL(fanotify_init), always, deny, EPERM, "watches whole file systems; inotify is there"},
    {CALL(fchmod), always, deny, EPERM, kSetUser, {any_of(1, S_ISUID)}},
    {CALL(fchmod), strict, deny, EPERM, kSetUser, {any_of(1, S_ISGID)}},
    {CALL(fchmod), trace, notify, 0, kTraces},
    {CALL(fchmodat), always, deny, EPERM, kSetUser, {any_of(2, S_ISUID)}},
    {CALL(fchmodat), strict, deny, EPERM, kSetUser, {any_of(2, S_ISGID)}},
    {CALL(fchmodat), trace, notify, 0, kTraces},
    {"fchmodat2", sys::uapi::kNrFchmodat2, always, deny, EPERM, kSetUser, {any_of(2, S_ISUID)}},
    {"fchmodat2", sys::uapi::kNrFchmodat2, strict, deny, EPERM, kSetUser, {any_of(2, S_ISGID)}},
    {"fchmodat2", sys::uapi::kNrFchmodat2, trace, notify, 0, kTraces},
    {CALL(fchown), trace, notify, 0, kTraces},
    {CALL(fchownat), trace, notify, 0, kTraces},
    {CALL(finit_module), always, deny, EPERM, kModule},
    {CALL(fremovexattr), trace, notify, 0, kTraces},
    {CALL(fsconfig), isolating, deny, EPERM, kMount},
    {CALL(fsetxattr), trace, notify, 0, kTraces},
    {CALL(fsmount), isolating, deny, EPERM, kMount},
    {CALL(fsopen), isolating, deny, EPERM, kMount},
    {CALL(fspick), isolating, deny, EPERM, kMount},
#ifdef SYS_futimesat
    {CALL(futimesat), trace, notify, 0, kTraces},
#endif
    {CALL(init_module), always, deny, EPERM, kModule},
    {CALL(io_setup), strict, deny, ENOSYS, "strict: asynchronous I/O has had many faults"},
    {CALL(io_uring_enter), always, deny, ENOSYS, kRing},
    {CALL(io_uring_register), always, deny, ENOSYS, kRing},
    {CALL(io_uring_setup), always, deny, ENOSYS, kRing},
    {CALL(ioctl),
     always,
     deny,
     EPERM,
     "types into a terminal on behalf of its user",
     {equal(1, TIOCSTI)}},
    {CALL(ioctl),
     always,
     deny,
     EPERM,
     "pastes into a console on behalf of its user",
     {equal(1, TIOCLINUX)}},
    {CALL(ioctl), always, deny, EPERM, "loads line discipline modules", {equal(1, TIOCSETD)}},
    {CALL(ioctl), always, deny, EPERM, "takes the console's output", {equal(1, TIOCCONS)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0x9401, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0x940e, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0x940f, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0x9417, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0x9418, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0x943f, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0xbc10, kCommand)}},
    {CALL(ioctl), always, deny, EPERM, kSubvolume, {equal(1, 0xbc11, kCommand)}},
#ifdef SYS_ioperm
    {CALL(ioperm), always, deny, EPERM, kMachine},
    {CALL(iopl), always, deny, EPERM, kMachine},
#endif
    {CALL(kcmp), strict, deny, EPERM, kOtherProcess},
    {CALL(kexec_file_load), always, deny, EPERM, kMachine},
    {CALL(kexec_load), always, deny, EPERM, kMachine},
    {CALL(keyctl), always, deny, ENOSYS, kKeys},
#ifdef SYS_lchown
    {CALL(lchown), trace, notify, 0, kTraces},
#endif
#ifdef SYS_link
    {CALL(link), creations, notify, 0, kCreates},
    {CALL(link), trace, notify, 0, kTraces},
#endif
    {CALL(linkat), creations, notify, 0, kCreates},
    {CALL(linkat), trace, notify, 0, kTraces},
    {CALL(lookup_dcookie), always, deny, ENOSYS, kOldCall},
    {CALL(lremovexattr), trace, notify, 0, kTraces},
    {CALL(lsetxattr), trace, notify, 0, kTraces},
    {CALL(migrate_pages), strict, deny, EPERM, kOtherProcess},
#ifdef SYS_mkdir
    {CALL(mkdir), creations, notify, 0, kCreates},
    {CALL(mkdir), trace, notify, 0, kTraces},
#endif
    {CALL(mkdirat), creations, notify, 0, kCreates},
    {CALL(mkdirat), trace, notify, 0, kTraces},
#ifdef SYS_mknod
    {CALL(mknod), always, deny, EPERM, kSetUser, {any_of(1, S_ISUID)}},
    {CALL(mknod), creations, notify, 0, kCreates},
    {CALL(mknod), trace, notify, 0, kTraces},
#endif
    {CALL(mknodat), always, deny, EPERM, kSetUser, {any_of(2, S_ISUID)}},
    {CALL(mknodat), creations, notify, 0, kCreates},
    {CALL(mknodat), trace, notify, 0, kTraces},
#ifdef SYS_modify_ldt
    {CALL(modify_ldt), strict, deny, ENOSYS, "strict: 16-bit segments, for old emulators only"},
#endif
    {CALL(mount), isolating, deny, EPERM, kMount},
    {CALL(mount_setattr), isolating, deny, EPERM, kMount},
    {CALL(move_mount), isolating, deny, EPERM, kMount},
    {CALL(move_pages), strict, deny, EPERM, kOtherProcess},
    {CALL(name_to_handle_at), always, deny, EOPNOTSUPP,
     "a handle names an object past every path rule; EOPNOTSUPP as on a file system without them"},
    {CALL(nfsservctl), always, deny, ENOSYS, kOldCall},
#ifdef SYS_open
    {CALL(open), always, deny, EPERM, kSetUser, {any_of(1, O_CREAT), any_of(2, S_ISUID)}},
    {CALL(open), always, deny, EPERM, kSetUser, {any_of(1, kTemporaryFile), any_of(2, S_ISUID)}},
    {CALL(open), creations, notify, 0, kCreates, {any_of(1, O_CREAT)}},
    {CALL(open), trace, notify, 0, kTraces},
#endif
    {CALL(open_by_handle_at), always, deny, EPERM, "opens an object past every path rule"},
    {CALL(open_tree), isolating, deny, EPERM, kMount},
    {"open_tree_attr", sys::uapi::kNrOpenTreeAttr, isolating, deny, EPERM, kMount},
    {CALL(openat), always, deny, EPERM, kSetUser, {any_of(2, O_CREAT), any_of(3, S_ISUID)}},
    {CALL(openat), always, deny, EPERM, kSetUser, {any_of(2, kTemporaryFile), any_of(3, S_ISUID)}},
    {CALL(openat), creations, notify, 0, kCreates, {any_of(2, O_CREAT)}},
    {CALL(openat), trace, notify, 0, kTraces},
    {CALL(openat2), always, deny, ENOSYS,
     "its flags lie in memory, where a filter cannot read; ENOSYS makes callers use openat"},
    {CALL(perf_event_open), always, deny, EACCES,
     "reads the processor's counters; EACCES as under perf_event_paranoid"},
    {CALL(personality), always, allow, 0, "asking changes nothing", {equal(0, 0xffffffffU)}},
    {CALL(personality),
     strict,
     deny,
     EPERM,
     "strict: an ordinary Linux process only",
     {differs(0, 0)}},
    {CALL(personality),
     always,
     deny,
     EPERM,
     "other systems' rules loosen memory protection; debuggers may switch off randomization",
     {any_of(0, ~kNoRandomize)}},
    {CALL(pidfd_getfd), strict, deny, EPERM, kOtherProcess},
    {CALL(pivot_root), isolating, deny, EPERM, kMount},
    {CALL(prctl),
     always,
     deny,
     EPERM,
     "moves the own memory's borders and the own program's name",
     {equal(0, PR_SET_MM)}},
    {CALL(process_vm_readv), strict, deny, EPERM, kOtherProcess},
    {CALL(process_vm_writev), strict, deny, EPERM, kOtherProcess},
    {CALL(ptrace), strict, deny, EPERM, kOtherProcess},
    {CALL(quotactl), always, deny, EPERM, kMachine},
    {CALL(quotactl_fd), always, deny, EPERM, kMachine},
    {CALL(reboot), always, deny, EPERM, kMachine},
    {CALL(removexattr), trace, notify, 0, kTraces},
#ifdef SYS_rename
    {CALL(rename), creations, notify, 0, kCreates},
    {CALL(rename), trace, notify, 0, kTraces},
#endif
    {CALL(renameat), creations, notify, 0, kCreates},
    {CALL(renameat), trace, notify, 0, kTraces},
    {CALL(renameat2), creations, notify, 0, kCreates},
    {CALL(renameat2), trace, notify, 0, kTraces},
    {CALL(request_key), always, deny, ENOSYS, kKeys},
#ifdef SYS_rmdir
    {CALL(rmdir), trace, notify, 0, kTraces},
#endif
    {CALL(setdomainname), isolating, deny, EPERM, kMachine},
    {CALL(sethostname), isolating, deny, EPERM, kMachine},
    {CALL(setns), isolating, deny, EPERM, kNamespace},
    {CALL(settimeofday), always, deny, EPERM, kClock},
    {CALL(setxattr), trace, notify, 0, kTraces},
    {CALL(socket),
     always,
     allow,
     0,
     "a stream is reached by connect, which is checked",
     {equal(0, AF_UNIX), equal(1, SOCK_STREAM, kSocketType)}},
    {CALL(socket),
     always,
     allow,
     0,
     "a packet stream is reached by connect, which is checked",
     {equal(0, AF_UNIX), equal(1, SOCK_SEQPACKET, kSocketType)}},
    {CALL(socket), always, deny, EACCES, kDatagram, {equal(0, AF_UNIX)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET), equal(1, SOCK_STREAM, kSocketType), equal(2, 0)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET), equal(1, SOCK_STREAM, kSocketType), equal(2, IPPROTO_TCP)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET6), equal(1, SOCK_STREAM, kSocketType), equal(2, 0)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET6), equal(1, SOCK_STREAM, kSocketType), equal(2, IPPROTO_TCP)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET), equal(1, SOCK_DGRAM, kSocketType), equal(2, 0)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET), equal(1, SOCK_DGRAM, kSocketType), equal(2, IPPROTO_UDP)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET), equal(1, SOCK_DGRAM, kSocketType), equal(2, IPPROTO_ICMP)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET6), equal(1, SOCK_DGRAM, kSocketType), equal(2, 0)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET6), equal(1, SOCK_DGRAM, kSocketType), equal(2, IPPROTO_UDP)}},
    {CALL(socket),
     always,
     allow,
     0,
     kInternet,
     {equal(0, AF_INET6), equal(1, SOCK_DGRAM, kSocketType), equal(2, IPPROTO_ICMPV6)}},
    {CALL(socket),
     always,
     deny,
     EPERM,
     "raw packets; EPERM as without the capability",
     {equal(0, AF_INET), equal(1, SOCK_RAW, kSocketType)}},
    {CALL(socket),
     always,
     deny,
     EPERM,
     "raw packets; EPERM as without the capability",
     {equal(0, AF_INET6), equal(1, SOCK_RAW, kSocketType)}},
    {CALL(socket), always, deny, EPROTONOSUPPORT, kProtocol, {equal(0, AF_INET)}},
    {CALL(socket), always, deny, EPROTONOSUPPORT, kProtocol, {equal(0, AF_INET6)}},
    {CALL(socket),
     strict,
     deny,
     EAFNOSUPPORT,
     "strict: nobody asks the kernel for its interfaces",
     {equal(0, AF_NETLINK)}},
    {CALL(socket),
     always,
     allow,
     0,
     "getifaddrs asks the own namespace for its interfaces",
     {equal(0, AF_NETLINK), equal(2, NETLINK_ROUTE)}},
    {CALL(socket),
     always,
     deny,
     EPROTONOSUPPORT,
     "netlink reaches audit, devices and firewalls",
     {equal(0, AF_NETLINK)}},
    {CALL(socket), always, deny, EAFNOSUPPORT, kFamily},
    {CALL(socketpair),
     always,
     allow,
     0,
     "an own pair reaches nobody else",
     {equal(0, AF_UNIX), equal(1, SOCK_STREAM, kSocketType)}},
    {CALL(socketpair),
     always,
     allow,
     0,
     "an own pair reaches nobody else",
     {equal(0, AF_UNIX), equal(1, SOCK_SEQPACKET, kSocketType)}},
    {CALL(socketpair), always, deny, EACCES, kDatagram, {equal(0, AF_UNIX)}},
    {CALL(socketpair), always, deny, EAFNOSUPPORT, kFamily},
    {CALL(swapoff), always, deny, EPERM, kMachine},
    {CALL(swapon), always, deny, EPERM, kMachine},
#ifdef SYS_symlink
    {CALL(symlink), creations, notify, 0, kCreates},
    {CALL(symlink), trace, notify, 0, kTraces},
#endif
    {CALL(symlinkat), creations, notify, 0, kCreates},
    {CALL(symlinkat), trace, notify, 0, kTraces},
#ifdef SYS_sysfs
    {CALL(sysfs), always, deny, ENOSYS, kOldCall},
#endif
    {CALL(syslog), always, deny, EPERM, "the kernel's log is the host's"},
    {CALL(truncate), trace, notify, 0, kTraces},
    {CALL(umount2), isolating, deny, EPERM, kMount},
#ifdef SYS_unlink
    {CALL(unlink), removals, notify, 0, kRemoves},
    {CALL(unlink), trace, notify, 0, kTraces},
#endif
    {CALL(unlinkat), removals, notify, 0, kRemoves},
    {CALL(unlinkat), trace, notify, 0, kTraces},
    {CALL(unshare), isolating, deny, EPERM, kNamespace, {any_of(0, kNewNamespaces | kNewTime)}},
#ifdef SYS_uselib
    {CALL(uselib), always, deny, ENOSYS, kOldCall},
#endif
    {CALL(userfaultfd), always, deny, EPERM, "holds a kernel access open for as long as one likes"},
#ifdef SYS_utime
    {CALL(utime), trace, notify, 0, kTraces},
#endif
    {CALL(utimensat), trace, notify, 0, kTraces},
#ifdef SYS_utimes
    {CALL(utimes), trace, notify, 0, kTraces},
#endif
    {CALL(vhangup), always, deny, EPERM, kMachine},
    {CALL(vmsplice), strict, deny, EPERM,
     "strict: shares pages with pipes, which has had many faults"},
};

#undef CALL

}  // namespace

std::span<const SyscallRow> syscall_table() { return kRows; }

int highest_known_syscall() { return sys::uapi::kNrFileSetattr; }

std::string_view syscall_name(int number) {
  for (const SyscallRow& row : kRows)
    if (row.number == number) return row.name;
  return "";
}

}  // namespace ward::confine
