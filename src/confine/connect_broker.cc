// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/connect_broker.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/epoll.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "sys/kernel_id.h"
#include "sys/seccomp_notify.h"
#include "sys/unix_diag.h"

namespace ward::confine {

namespace {

constexpr std::size_t kMostPending = 1024;
constexpr std::size_t kPathStart = offsetof(struct sockaddr_un, sun_path);

// Which network namespace a socket belongs to; 0 where the kernel does not tell (before 5.14).
std::uint64_t namespace_of(int fd) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (::getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) != 0) return 0;
  return cookie;
}

std::uint64_t own_namespace() {
  UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return probe.valid() ? namespace_of(probe.get()) : 0;
}

// By the exact clock: no file that is there already has a later stamp, though files are stamped by
// one that moves in ticks.
std::uint64_t now_ns() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::string describe(const std::string& address) {
  if (const std::optional<sys::Endpoint> endpoint = sys::endpoint_of(address))
    return sys::to_string(*endpoint);
  sa_family_t family = AF_UNSPEC;
  if (address.size() >= sizeof family) std::memcpy(&family, address.data(), sizeof family);
  return "a socket of family " + std::to_string(family);
}

int type_of(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : 0;
}

constexpr const char* kSocketRemedy = "list the socket under network.unixSockets";

// Makes the socket non-blocking while it lives, and as it was afterwards.
class NonBlocking {
 public:
  explicit NonBlocking(int fd) : fd_(fd), before_(::fcntl(fd, F_GETFL)) {
    if (blocks()) ::fcntl(fd_, F_SETFL, before_ | O_NONBLOCK);
  }
  ~NonBlocking() {
    if (blocks()) ::fcntl(fd_, F_SETFL, before_);
  }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;
  bool blocks() const { return before_ >= 0 && (before_ & O_NONBLOCK) == 0; }

 private:
  int fd_;
  int before_;
};

int connect_to(int fd, const std::string& address) {
  return ::connect(fd, reinterpret_cast<const struct sockaddr*>(address.data()),
                   static_cast<socklen_t>(address.size())) == 0
             ? 0
             : errno;
}

}  // namespace

Result<std::string> read_address(pid_t tid, std::uint64_t address, std::uint64_t length) {
  // The kernel takes an int, and no more than sockaddr_storage.
  auto size = static_cast<std::int32_t>(length);
  if (size < 0 || static_cast<std::size_t>(size) > sizeof(struct sockaddr_storage))
    return fail_errno(EINVAL, "the length of an address");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (size == 0) return bytes;
  WARD_ASSIGN(std::size_t got, sys::read_remote(tid, address, bytes));
  if (got != bytes.size()) return fail_errno(EFAULT, "an address");
  return bytes;
}

std::optional<std::string> path_of_address(const std::string& address) {
  sa_family_t family = AF_UNSPEC;
  if (address.size() <= kPathStart || address.size() > sizeof(struct sockaddr_un))
    return std::nullopt;
  std::memcpy(&family, address.data(), sizeof family);
  if (family != AF_UNIX || address[kPathStart] == '\0') return std::nullopt;
  const char* start = address.data() + kPathStart;
  return std::string(start, ::strnlen(start, address.size() - kPathStart));
}

Result<int> socket_domain(int fd) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0)
    return fail_errno(errno, "ask for a socket's domain");
  return domain;
}

ConnectBroker::ConnectBroker(std::vector<std::string> allowed, NetworkJudge network, int epoll,
                             Workers& workers)
    : allowed_(std::move(allowed)),
      network_(std::move(network)),
      own_namespace_(own_namespace()),
      begun_ns_(now_ns()),
      epoll_(epoll),
      workers_(workers) {}

Result<Reply> ConnectBroker::connect(const Caller& caller, CallerView& view, int fd,
                                     std::uint64_t address, std::uint64_t length,
                                     const OnRefusal& refuse) {
  WARD_ASSIGN(UniqueFd socket, sys::copy_remote_descriptor(caller.tid, fd));
  WARD_ASSIGN(int domain, socket_domain(socket.get()));
  WARD_ASSIGN(std::string bytes, read_address(caller.tid, address, length));
  if (!sys::notification_valid(caller.listener, caller.id))
    return fail_errno(ENOENT, "the caller is gone");
  if (own_namespace_ != 0 && namespace_of(socket.get()) == own_namespace_) {
    refuse({describe(bytes), "a socket of the host's network namespace", ""});
    return Reply::failure(EACCES);
  }
  std::optional<std::string> path = path_of_address(bytes);
  if (domain == AF_UNIX && path) return to_path(caller, view, std::move(socket), *path, refuse);
  const std::optional<sys::Endpoint> endpoint = sys::endpoint_of(bytes);
  if ((domain == AF_INET || domain == AF_INET6) && endpoint)
    return to_internet(caller, std::move(socket), bytes,
                       {endpoint->address.unmapped(), endpoint->port}, refuse);
  return attempt(caller, std::move(socket), bytes, -1);
}

Result<Reply> ConnectBroker::to_internet(const Caller& caller, UniqueFd socket,
                                         const std::string& address, const sys::Endpoint& endpoint,
                                         const OnRefusal& refuse) {
  using Answer = NetworkJudge::Answer;
  const int type = type_of(socket.get());
  Reply reply = Reply::failure(ECONNREFUSED);
  switch (network_.before ? network_.before(endpoint, type) : Answer::go_on) {
    case Answer::wait:
      if (waiting_.size() >= kMostPending) return Reply::failure(EAGAIN);
      waiting_.emplace(endpoint, Waiting{std::move(socket), caller, address});
      return Reply::deferred();
    case Answer::go_on: {
      WARD_ASSIGN(reply, attempt(caller, std::move(socket), address, -1));
      break;
    }
    case Answer::refuse: break;
  }
  if (reply.kind != Reply::Kind::error) return reply;
  if (network_.refused) {
    if (std::optional<ConnectRefusal> why = network_.refused(endpoint, type, reply.error))
      refuse(*why);
  } else if (reply.error == ENETUNREACH) {
    refuse({sys::to_string(endpoint), "the network is denied by default", ""});
  }
  return reply;
}

void ConnectBroker::resume(const sys::Endpoint& endpoint) {
  auto [first, last] = waiting_.equal_range(endpoint);
  std::vector<Waiting> ready;
  for (auto at = first; at != last; ++at) ready.push_back(std::move(at->second));
  waiting_.erase(first, last);
  for (Waiting& waiting : ready) {
    if (!sys::notification_valid(waiting.caller.listener, waiting.caller.id)) continue;
    Result<Reply> reply = attempt(waiting.caller, std::move(waiting.socket), waiting.address, -1);
    if (!reply) reply = Reply::failure(EAGAIN);
    if (reply->kind != Reply::Kind::later) (void)send_reply(waiting.caller, *reply).has_value();
  }
}

// By path, so that a service that makes its socket anew stays reachable; without following links,
// so that none put there by the sandbox leads elsewhere.
bool ConnectBroker::listed(sys::ObjectId object) const {
  return std::any_of(allowed_.begin(), allowed_.end(), [&](const std::string& path) {
    Result<UniqueFd> fd =
        sys::open_resolved(AT_FDCWD, path, O_PATH | O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
    if (!fd) return false;
    Result<struct stat> status = sys::stat_fd(fd->get());
    return status && S_ISSOCK(status->st_mode) && sys::object_id(*status) == object;
  });
}

// unix_diag tells the device of the superblock, which is not stat's in a subvolume or a layer. Two
// subvolumes of one superblock have inodes of the same number: the sandbox could bind a socket of
// its own under the number of a host's. What is younger than the sandbox is none that was there
// before.
Result<bool> ConnectBroker::bound_inside(const Caller& caller, const Place& place) const {
  const sys::ObjectId object = sys::object_id(place.status);
  WARD_ASSIGN(bool inside, sys::socket_bound_in_namespace(diagnostics_.get(), object));
  if (inside) return true;
  const Result<sys::ObjectId> known = sys::kernel_id(place.object.get(), caller.tid);
  if (!known || *known == object) return false;
  const std::optional<std::uint64_t> birth = sys::birth_ns(place.object.get());
  if (!birth || *birth < begun_ns_) return false;
  return sys::socket_bound_in_namespace(diagnostics_.get(), *known);
}

Result<Reply> ConnectBroker::to_path(const Caller& caller, CallerView& view, UniqueFd socket,
                                     const std::string& path, const OnRefusal& refuse) {
  WARD_ASSIGN(Place place, view.resolve(AT_FDCWD, path, LastLink::follow));
  if (!place.exists()) return Reply::failure(ENOENT);
  if (!S_ISSOCK(place.status.st_mode)) return Reply::failure(ECONNREFUSED);
  sys::ObjectId object = sys::object_id(place.status);
  if (!listed(object)) {
    WARD_ASSIGN(bool inside, bound_inside(caller, place));
    if (!inside) {
      refuse({inner_path(place), "network.unixSockets lists no such socket", kSocketRemedy});
      return Reply::failure(EACCES);
    }
  }
  if (!sys::notification_valid(caller.listener, caller.id))
    return fail_errno(ENOENT, "the caller is gone");
  struct sockaddr_un link = {};
  link.sun_family = AF_UNIX;
  int size =
      std::snprintf(link.sun_path, sizeof link.sun_path, "/proc/self/fd/%d", place.object.get());
  std::string address(reinterpret_cast<const char*>(&link),
                      kPathStart + static_cast<std::size_t>(size) + 1);
  return attempt(caller, std::move(socket), address, place.object.get());
}

// `object`: the descriptor that the address leads through, or -1.
Result<Reply> ConnectBroker::attempt(const Caller& caller, UniqueFd socket,
                                     const std::string& address, int object) {
  int error = 0;
  bool blocks = false;
  {
    NonBlocking now(socket.get());
    blocks = now.blocks();
    error = connect_to(socket.get(), address);
  }
  if (error == 0) return Reply::done();
  if (!blocks) return Reply::failure(error);
  if (error == EINPROGRESS) return wait_for(caller, std::move(socket));
  if (error != EAGAIN) return Reply::failure(error);
  // A unix socket whose queue is full tells nobody when there is room: only a blocking call waits.
  auto job = [fd = socket.get(), &address] {
    int failed = connect_to(fd, address);
    return failed == 0 ? Reply::done() : Reply::failure(failed);
  };
  std::vector<int> keep = {socket.get()};
  if (object >= 0) keep.push_back(object);
  WARD_TRY(workers_.start(caller, keep, job));
  return Reply::deferred();
}

Result<Reply> ConnectBroker::wait_for(const Caller& caller, UniqueFd socket) {
  if (pending_.size() >= kMostPending) return Reply::failure(EAGAIN);
  int fd = socket.get();
  struct epoll_event event = {};
  event.events = EPOLLOUT;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0)
    return fail_errno(errno, "watch a connect");
  pending_.emplace(fd, Pending{std::move(socket), caller});
  return Reply::deferred();
}

bool ConnectBroker::complete(int fd) {
  auto pending = pending_.find(fd);
  if (pending == pending_.end()) return false;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  Caller caller = pending->second.caller;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  pending_.erase(pending);
  (void)send_reply(caller, error == 0 ? Reply::done() : Reply::failure(error)).has_value();
  return true;
}

void ConnectBroker::end_orphans() {
  std::erase_if(waiting_, [](const auto& entry) {
    const Caller& caller = entry.second.caller;
    return !sys::notification_valid(caller.listener, caller.id);
  });
  std::erase_if(pending_, [&](const auto& entry) {
    const auto& [fd, pending] = entry;
    if (sys::notification_valid(pending.caller.listener, pending.caller.id)) return false;
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    return true;
  });
}

}  // namespace ward::confine
