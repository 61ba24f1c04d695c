// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "egress/gateway/resolver.h"

#include <ares.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <map>

#include "egress/gateway/io.h"

namespace ward::egress {

namespace {

constexpr int kTryMs = 2500;
constexpr int kTries = 2;

struct DestroyChannel {
  void operator()(ares_channeldata* channel) const { ares_destroy(channel); }
};
struct FreeAddresses {
  void operator()(ares_addrinfo* list) const { ares_freeaddrinfo(list); }
};

Error error_of(int status, const std::string& name) {
  const std::string text = "resolve " + name + ": " + ares_strerror(status);
  if (status == ARES_ENOTFOUND || status == ARES_ENODATA) return {ErrorKind::not_found, text};
  if (status == ARES_ETIMEOUT) return {ErrorKind::busy, text};
  return {ErrorKind::io, text};
}

std::vector<Address> addresses_of(const ares_addrinfo& list) {
  std::vector<Address> addresses;
  for (const ares_addrinfo_node* node = list.nodes; node != nullptr; node = node->ai_next) {
    Address address;
    if (node->ai_family == AF_INET) {
      const auto* v4 = reinterpret_cast<const sockaddr_in*>(node->ai_addr);
      std::copy_n(reinterpret_cast<const std::uint8_t*>(&v4->sin_addr), 4, address.bytes.begin());
    } else if (node->ai_family == AF_INET6) {
      const auto* v6 = reinterpret_cast<const sockaddr_in6*>(node->ai_addr);
      address.family = Address::Family::v6;
      std::copy_n(v6->sin6_addr.s6_addr, 16, address.bytes.begin());
    } else {
      continue;
    }
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
      addresses.push_back(address);
    if (addresses.size() == kMaxAddresses) break;
  }
  return addresses;
}

// The answer to one question. Held by the waiting coroutine and by c-ares, since either may be
// first to go.
struct Question {
  explicit Question(asio::io_context& loop) : done(loop) {}
  Signal done;
  bool answered = false;
  int status = ARES_SUCCESS;
  std::vector<Address> addresses;
};

class AresResolver final : public Resolver {
 public:
  explicit AresResolver(asio::io_context& loop) : loop_(loop), timer_(loop.get_executor()) {}
  AresResolver(const AresResolver&) = delete;
  AresResolver& operator=(const AresResolver&) = delete;
  ~AresResolver() override {
    *alive_ = false;
    channel_.reset();  // cancels what is asked, and closes its sockets
  }

  Status start(const std::vector<std::string>& name_servers) {
    ares_options options = {};
    // Names are whole: no search list, no aliases of the environment.
    options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    options.timeout = kTryMs;
    options.tries = kTries;
    options.sock_state_cb = [](void* self, ares_socket_t socket, int read, int write) {
      static_cast<AresResolver*>(self)->watch(socket, read != 0, write != 0);
    };
    options.sock_state_cb_data = this;
    ares_channel channel = nullptr;
    int status = ares_init_options(
        &channel, &options,
        ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    channel_.reset(channel);
    if (status == ARES_SUCCESS && !name_servers.empty()) {
      std::string list;
      for (const std::string& server : name_servers) list += (list.empty() ? "" : ",") + server;
      status = ares_set_servers_ports_csv(channel, list.c_str());
    }
    if (status != ARES_SUCCESS)
      return fail(ErrorKind::io, std::string("set up the resolver: ") + ares_strerror(status));
    return {};
  }

  Task<Result<std::vector<Address>>> resolve(const std::string& name) override {
    auto question = std::make_shared<Question>(loop_);
    ares_addrinfo_hints hints = {};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    // Freed by answered(), which c-ares calls exactly once, when it is destroyed at the latest.
    auto* held = new std::shared_ptr<Question>(question);
    ares_getaddrinfo(channel_.get(), name.c_str(), nullptr, &hints, &AresResolver::answered, held);
    schedule();
    while (!question->answered) co_await question->done.wait();
    if (question->status != ARES_SUCCESS) co_return fail(error_of(question->status, name));
    if (question->addresses.empty())
      co_return fail(ErrorKind::not_found, "resolve " + name + ": no address");
    co_return std::move(question->addresses);
  }

 private:
  static void answered(void* argument, int status, int, ares_addrinfo* list) {
    const std::unique_ptr<ares_addrinfo, FreeAddresses> owned(list);
    const std::unique_ptr<std::shared_ptr<Question>> held(
        static_cast<std::shared_ptr<Question>*>(argument));
    Question& question = **held;
    question.answered = true;
    question.status = status;
    if (owned) question.addresses = addresses_of(*owned);
    question.done.announce();
  }

  // c-ares wants to know when one of its sockets is ready; it closes them itself.
  struct Watch {
    explicit Watch(asio::io_context& loop, int fd) : descriptor(loop.get_executor(), fd) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { forget(); }
    // At once, and not when the last reference goes: c-ares closes the socket next, and another may
    // get its number.
    void forget() {
      if (descriptor.is_open()) (void)descriptor.release();
    }
    Watched descriptor;
    bool read = false, write = false;       // wanted
    bool reading = false, writing = false;  // being waited for
  };

  void watch(int fd, bool read, bool write) {
    if (!read && !write) {
      const auto found = watches_.find(fd);
      if (found == watches_.end()) return;
      found->second->forget();
      watches_.erase(found);
      return;
    }
    auto& watch = watches_[fd];
    if (!watch) watch = std::make_shared<Watch>(loop_, fd);
    watch->read = read;
    watch->write = write;
    arm(fd, watch);
  }

  void arm(int fd, const std::shared_ptr<Watch>& watch) {
    if (watch->read && !watch->reading) {
      watch->reading = true;
      wait(fd, watch, Watched::wait_read, &Watch::reading);
    }
    if (watch->write && !watch->writing) {
      watch->writing = true;
      wait(fd, watch, Watched::wait_write, &Watch::writing);
    }
  }

  void wait(int fd, const std::shared_ptr<Watch>& watch, Watched::wait_type what,
            bool Watch::* waiting) {
    watch->descriptor.async_wait(what, [this, alive = alive_, weak = std::weak_ptr(watch), fd, what,
                                        waiting](const boost::system::error_code& code) {
      const auto still = weak.lock();
      if (code || !*alive || !still) return;
      (*still).*waiting = false;
      const bool reading = what == Watched::wait_read;
      ares_process_fd(channel_.get(), reading ? fd : ARES_SOCKET_BAD,
                      reading ? ARES_SOCKET_BAD : fd);
      // Still the same socket, and not one that got its number meanwhile.
      const auto found = watches_.find(fd);
      if (found != watches_.end() && found->second == still) arm(fd, still);
      schedule();
    });
  }

  void schedule() {
    timeval space = {};
    const timeval* next = ares_timeout(channel_.get(), nullptr, &space);
    if (next == nullptr) {
      timer_.cancel();
      return;
    }
    timer_.expires_after(std::chrono::seconds(next->tv_sec) +
                         std::chrono::microseconds(next->tv_usec));
    timer_.async_wait([this, alive = alive_](const boost::system::error_code& code) {
      if (code || !*alive) return;
      ares_process_fd(channel_.get(), ARES_SOCKET_BAD, ARES_SOCKET_BAD);
      schedule();
    });
  }

  asio::io_context& loop_;
  Timer timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<int, std::shared_ptr<Watch>> watches_;
  std::unique_ptr<ares_channeldata, DestroyChannel> channel_;
};

}  // namespace

Result<std::unique_ptr<Resolver>> Resolver::create(asio::io_context& loop,
                                                   const std::vector<std::string>& name_servers) {
  auto resolver = std::make_unique<AresResolver>(loop);
  WARD_TRY(resolver->start(name_servers));
  return resolver;
}

}  // namespace ward::egress
