// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/stdio.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <string>
#include <utility>

#include "sys/file.h"
#include "sys/stream.h"
#include "sys/tty.h"

namespace ward::keeper {

namespace {

constexpr std::array<const char*, 3> kNames = {"standard input", "standard output",
                                               "standard error"};

std::string fd_text(int fd) { return "descriptor " + std::to_string(fd); }

bool is_null_device(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == ::makedev(1, 3);
}

int socket_option(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

tl::unexpected<Error> refuse(const std::string& what, const std::string& why,
                             const std::string& remedy) {
  return fail(Error(ErrorKind::denied, what + " " + why).with_remedy(remedy));
}

// The kinds that no sandbox gets in any way; nothing, if this is none of them.
Status refuse_ways_out(int fd, const struct stat& status, const std::string& what) {
  if (S_ISDIR(status.st_mode))
    return refuse(what, "is a directory, which is a way out of the sandbox",
                  "close it or redirect it from a file or pipe");
  if (S_ISBLK(status.st_mode))
    return refuse(what, "is a block device", "send its contents through a pipe: cat DEVICE | ...");
  int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_PATH) != 0)
    return refuse(what, "was opened with O_PATH and carries no data",
                  "open it for reading or writing");
  return {};
}

bool opened_for(int fd, int index) {
  int mode = ::fcntl(fd, F_GETFL) & O_ACCMODE;
  return mode == O_RDWR || mode == (index == 0 ? O_RDONLY : O_WRONLY);
}

Result<Source> look_at(int fd, int index) {
  Source source{SourceKind::null, fd};
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0) return Source{};
  std::string what =
      std::string(kNames[static_cast<std::size_t>(index)]) + " (" + fd_text(fd) + ")";
  WARD_TRY(refuse_ways_out(fd, status, what));
  if (is_null_device(status)) return source;
  if (!opened_for(fd, index))
    return refuse(what, index == 0 ? "is not open for reading" : "is not open for writing",
                  "redirect it the other way round");
  if (S_ISREG(status.st_mode)) {
    source.kind = SourceKind::file;
  } else if (S_ISFIFO(status.st_mode)) {
    source.kind = SourceKind::pipe;
  } else if (S_ISSOCK(status.st_mode)) {
    if (socket_option(fd, SO_TYPE) != SOCK_STREAM || socket_option(fd, SO_ACCEPTCONN) == 1)
      return refuse(what, "is a socket that is no connected byte stream",
                    "use a pipe or a connected stream socket");
    source.kind = SourceKind::socket;
  } else if (sys::is_terminal(fd)) {
    source.kind = SourceKind::terminal;
  } else if (S_ISCHR(status.st_mode)) {
    source.kind = SourceKind::device;
  } else {
    // An event counter, an epoll instance, a timer: /proc/self/fd calls it an anonymous inode.
    return refuse(what, "is neither a file, pipe, terminal nor stream socket",
                  "redirect it from or to one of these");
  }
  return source;
}

// One page: a pipe of one buffer is full as soon as it holds anything (InputRelay says why).
constexpr std::size_t kExactInputBytes = 4096;

struct Ends {
  UniqueFd supervisor;
  UniqueFd child;
};

Result<Ends> pipe_for(int index, SourceKind kind) {
  WARD_ASSIGN(auto pipe, sys::make_pipe());
  Ends ends;
  if (index == 0) {
    ends = {std::move(pipe.second), std::move(pipe.first)};
    if (kind == SourceKind::pipe || kind == SourceKind::socket)
      WARD_TRY(sys::set_pipe_capacity(ends.supervisor.get(), kExactInputBytes));
  } else {
    ends = {std::move(pipe.first), std::move(pipe.second)};
  }
  WARD_TRY(sys::set_nonblocking(ends.supervisor.get()));
  return ends;
}

bool is_one_stream(const Source& out, const Source& err) {
  bool relayed = out.kind != SourceKind::null && out.kind != SourceKind::terminal;
  return relayed && out.kind == err.kind && sys::same_open_file(out.fd, err.fd);
}

}  // namespace

Status fill_closed_stdio() {
  for (int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Not close-on-exec: it is there for whoever looks.
    if (::open("/dev/null", O_RDWR) != fd) return fail_errno(errno, "open /dev/null");  // NOLINT
  }
  return {};
}

Result<Stdio> Stdio::plan() {
  WARD_TRY(fill_closed_stdio());
  return plan({0, 1, 2});
}

Result<Stdio> Stdio::plan(std::array<int, 3> caller) {
  Stdio stdio;
  for (std::size_t i = 0; i < caller.size(); ++i) {
    WARD_ASSIGN(stdio.sources_[i], look_at(caller[i], static_cast<int>(i)));
  }
  stdio.merged_error_ = is_one_stream(stdio.sources_[1], stdio.sources_[2]);
  for (std::size_t i = 0; i < caller.size(); ++i) {
    SourceKind kind = stdio.sources_[i].kind;
    if (kind == SourceKind::null) continue;
    if (kind == SourceKind::terminal) {
      stdio.child_.fds[i] = kPty;
    } else if (i == 2 && stdio.merged_error_) {
      stdio.child_.fds[2] = stdio.child_.fds[1];
    } else {
      WARD_ASSIGN(Ends ends, pipe_for(static_cast<int>(i), kind));
      stdio.child_.fds[i] = ends.child.get();
      stdio.supervisor_ends_[i] = std::move(ends.supervisor);
      stdio.child_ends_[i] = std::move(ends.child);
    }
  }
  return stdio;
}

UniqueFd Stdio::take_supervisor_end(int index) {
  return std::move(supervisor_ends_[static_cast<std::size_t>(index)]);
}

void Stdio::close_child_ends() {
  for (UniqueFd& end : child_ends_) end.reset();
}

Status check_passed_fds(std::span<const int> fds) {
  for (int fd : fds) {
    std::string what = fd_text(fd) + " (passFds)";
    if (fd <= 2)
      return refuse(what, "is no descriptor that passFds can pass",
                    "standard input, output and error enter by themselves; list numbers from 3 on");
    struct stat status = {};
    if (::fstat(fd, &status) != 0)
      return fail(Error::from_errno(errno, what).with_remedy("open it before ward is started"));
    WARD_TRY(refuse_ways_out(fd, status, what));
    if (sys::is_terminal(fd))
      return refuse(what, "is a terminal of the host", "no terminal of the host enters a sandbox");
    if (!S_ISSOCK(status.st_mode)) continue;
    int domain = socket_option(fd, SO_DOMAIN);
    if (domain != AF_UNIX)
      return refuse(what, "is a socket of the host's network, which it could connect elsewhere",
                    "allow the host under network, or use a unix stream socket");
    if (socket_option(fd, SO_TYPE) == SOCK_DGRAM)
      return refuse(what, "is a unix datagram socket, which can address any socket of the host",
                    "use a connected stream socket");
  }
  return {};
}

}  // namespace ward::keeper
