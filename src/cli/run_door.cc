// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/run_door.h"

#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "sys/file.h"
#include "sys/socket.h"
#include "sys/state_folder.h"

namespace ward::cli {

namespace {

constexpr const char* kFolder = "runs";
constexpr std::size_t kMostVisitors = 16, kRequestBytes = 512, kAnswerBytes = 16384;
constexpr int kPatienceMs = 60'000;

Result<UniqueFd> runs_folder(const std::string& state_folder) {
  WARD_ASSIGN(UniqueFd state, sys::make_state_folder(state_folder));
  if (::mkdirat(state.get(), kFolder, 0700) != 0 && errno != EEXIST)
    return fail_errno(errno, "make " + state_folder + "/" + kFolder);
  return sys::open_at(state.get(), kFolder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

// Through the folder's descriptor: the path itself may be longer than an address can be.
struct sockaddr_un address_in(int folder, const std::string& name) {
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder,
                name.c_str());
  return address;
}

Result<UniqueFd> connect_to(int folder, const std::string& run) {
  // Not waiting: a run that was stopped answers nobody.
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return fail_errno(errno, "socket");
  const struct sockaddr_un address = address_in(folder, run);
  if (::connect(socket.get(), reinterpret_cast<const struct sockaddr*>(&address), sizeof address) !=
      0)
    return fail_errno(errno, "reach run " + run);
  return socket;
}

// What a killed run left.
void sweep(int folder, const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(path.c_str()), ::closedir);
  if (!entries) return;
  while (const struct dirent* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] == '.') continue;
    Result<UniqueFd> there = connect_to(folder, entry->d_name);
    if (!there && there.error().os_errno() == ECONNREFUSED) ::unlinkat(folder, entry->d_name, 0);
  }
}

bool is_own_user(int socket) {
  struct ucred peer = {};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace

Result<std::unique_ptr<RunDoor>> RunDoor::open(const std::string& state_folder,
                                               const std::string& run, Handler handler) {
  WARD_ASSIGN(sys::EventLoop loop, sys::EventLoop::create());
  WARD_ASSIGN(UniqueFd folder, runs_folder(state_folder));
  sweep(folder.get(), state_folder + "/" + kFolder);
  std::unique_ptr<RunDoor> door(
      new RunDoor(std::move(loop), std::move(folder), run, std::move(handler)));
  door->socket_ = UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const struct sockaddr_un address = address_in(door->folder_.get(), run);
  if (!door->socket_.valid() ||
      ::bind(door->socket_.get(), reinterpret_cast<const struct sockaddr*>(&address),
             sizeof address) != 0 ||
      ::listen(door->socket_.get(), kMostVisitors) != 0)
    return fail_errno(errno, "make the socket of the run");
  WARD_TRY(door->loop_.add(door->socket_.get(), EPOLLIN,
                           [at = door.get()](std::uint32_t) { at->accept_visitor(); }));
  return door;
}

RunDoor::~RunDoor() {
  *alive_ = false;
  ::unlinkat(folder_.get(), run_.c_str(), 0);
}

void RunDoor::accept_visitor() {
  UniqueFd visitor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!visitor.valid() || visitors_.size() >= kMostVisitors || !is_own_user(visitor.get())) return;
  const std::uint64_t number = next_visitor_++;
  if (loop_.add(visitor.get(), EPOLLIN, [this, number](std::uint32_t) { listen_to(number); }))
    visitors_.emplace(number, std::move(visitor));
}

void RunDoor::listen_to(std::uint64_t visitor) {
  const auto found = visitors_.find(visitor);
  if (found == visitors_.end()) return;
  loop_.remove(found->second.get());
  Result<sys::Message> message = sys::receive_message(found->second.get(), kRequestBytes);
  if (!message || message->bytes.empty()) {
    visitors_.erase(found);
    return;
  }
  // The answer may come when this door is closed.
  handler_(message->bytes, [this, visitor, alive = alive_](const std::string& error) {
    if (*alive) answer(visitor, error);
  });
}

void RunDoor::answer(std::uint64_t visitor, const std::string& error) {
  const auto found = visitors_.extract(visitor);
  if (found.empty()) return;
  static_cast<void>(
      sys::send_message(found.mapped().get(), error.empty() ? "done" : "no " + error).has_value());
}

Status ask_run(const std::string& state_folder, const std::string& run,
               const std::string& request) {
  const std::string remedy = "`ward audit show` marks what is running";
  const Result<UniqueFd> folder =
      sys::open_path(state_folder + "/" + kFolder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  Result<UniqueFd> socket = fail(ErrorKind::not_found, "");
  if (folder) socket = connect_to(folder->get(), run);
  if (!socket)
    return fail(
        Error(ErrorKind::not_found, "no run " + run + " is going on that can reach the network")
            .with_remedy(remedy));
  WARD_TRY(sys::send_message(socket->get(), request));
  struct pollfd ready = {socket->get(), POLLIN, 0};
  if (::poll(&ready, 1, kPatienceMs) <= 0)
    return fail(ErrorKind::busy, "run " + run + " does not answer");
  WARD_ASSIGN(const sys::Message message, sys::receive_message(socket->get(), kAnswerBytes));
  if (message.bytes == "done") return {};
  if (message.bytes.starts_with("no ")) return fail(ErrorKind::invalid, message.bytes.substr(3));
  return fail(ErrorKind::io, "run " + run + " ended meanwhile");
}

}  // namespace ward::cli
