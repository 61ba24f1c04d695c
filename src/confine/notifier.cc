// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/notifier.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <unordered_set>

#include "confine/caller_view.h"
#include "confine/connect_broker.h"
#include "confine/creation_guard.h"
#include "confine/emulate.h"
#include "confine/let_through.h"
#include "confine/mounted_names.h"
#include "confine/path_call.h"
#include "confine/reply.h"
#include "confine/syscall_table.h"
#include "confine/trace.h"
#include "confine/workers.h"
#include "sys/credentials.h"
#include "sys/seccomp_notify.h"

namespace ward::confine {

namespace {

using policy::ProtectMechanism;

// What a refused caller gets where the supervisor could not look, or was told nothing better.
int errno_for_caller(const Error& error) {
  switch (error.os_errno()) {
    case 0: return EACCES;
    case ESRCH: return ENOENT;  // it died meanwhile; nobody hears the answer
    default: return error.os_errno();
  }
}

Denial::Act act_of(const PathCall& call) {
  bool moves = call.kind == PathCall::Kind::rename || call.kind == PathCall::Kind::remove;
  return moves ? Denial::Act::rename : Denial::Act::create;
}

}  // namespace

struct Notifier::State {
  State(NotifierSpec given, OnDenial report, UniqueFd side_fd)
      : spec(std::move(given)),
        guard(spec.plan, spec.private_folders),
        on_denial(std::move(report)),
        side(std::move(side_fd)),
        workers(side.get()),
        emulator(guard, workers,
                 {[this](const Place& place) { note_place(place); },
                  [this](const Place& from) { note_moved(from); }}),
        broker(spec.allowed_sockets, std::move(spec.network), side.get(), workers),
        interest(spec.names_of_interest.begin(), spec.names_of_interest.end()),
        new_interest(spec.new_names_of_interest.begin(), spec.new_names_of_interest.end()) {}

  Result<Reply> decide(const struct seccomp_notif& call);
  Result<Reply> decide_path(const Caller& caller, const PathCall& call, int number);
  Result<Reply> decide_bind(const Caller& caller, const struct seccomp_data& data);
  Result<Reply> decide_connect(const Caller& caller, const struct seccomp_data& data);
  Result<Reply> check(const PathCall& call, CallerView& view, const Emulator::OnRefusal& refuse);
  Result<Reply> check_open(const PathCall& call, CallerView& view,
                           const Emulator::OnRefusal& refuse);
  Result<Reply> check_rename(const PathCall& call, CallerView& view,
                             const Emulator::OnRefusal& refuse);
  Result<Reply> check_target(const PathCall::Target& target, CallerView& view,
                             const Emulator::OnRefusal& refuse);
  Result<Reply> check_removal(const PathCall& call, CallerView& view,
                              const Emulator::OnRefusal& refuse);
  Result<Reply> check_mounted(const PathCall& call, CallerView& view,
                              const Emulator::OnRefusal& refuse);
  Result<Reply> judge_new(const Place& place, const Emulator::OnRefusal& refuse);
  Result<Reply> judge_gone(const Place& place, const Emulator::OnRefusal& refuse);
  void deny(const Caller& caller, Denial::Act act, std::string target, std::string rule,
            std::string remedy = {});
  OnTrace tells(const Caller& caller);

  void note_path(const PathCall::Target& target, const std::string& path, LastLink last,
                 CallerView& view);
  void note_place(const Place& place);
  void note_move(const PathCall& call, const std::string& path, CallerView& view);
  void note_moved(const Place& from);
  // What the kernel refuses anyway, and what is in a private folder, leaves nothing.
  bool outlives_the_run(const std::string& path) const {
    if (path.empty() || guard.rules() == nullptr) return true;
    Access access = guard.rules()->decide(path);
    return access.write && !access.private_folder;
  }
  void note_let_through(const Caller& caller, int number) {
    last_creation = std::chrono::steady_clock::now();
    let_through.note(caller.tid, number);
  }
  void tick_while_busy();
  // Whom the trace asks.
  const AccessRules* judge() const { return spec.judge ? spec.judge.get() : guard.rules(); }
  bool emulates() const { return spec.plan.protect == ProtectMechanism::emulate; }

  NotifierSpec spec;
  CreationGuard guard;
  UniqueFd listener;
  OnDenial on_denial;
  UniqueFd side;
  Workers workers;
  Emulator emulator;
  ConnectBroker broker;
  bool finished = false;
  UniqueFd timer;
  bool ticking = false;
  std::optional<std::chrono::steady_clock::time_point> last_creation;
  std::unordered_set<std::string_view> interest, new_interest;
  bool made_of_interest = false;
  std::optional<MountedNames> mounted;
  LetThrough let_through;
};

void Notifier::State::note_path(const PathCall::Target& target, const std::string& path,
                                LastLink last, CallerView& view) {
  std::string_view name = last_component(path);
  if (made_of_interest || (!interest.contains(name) && !new_interest.contains(name))) return;
  // Where the way there ends early, the call fails too.
  if (Result<Place> place = view.resolve(target.dirfd, path, last)) note_place(*place);
}

void Notifier::State::note_place(const Place& place) {
  if (interest.contains(place.name) || (!place.exists() && new_interest.contains(place.name)))
    made_of_interest = made_of_interest || outlives_the_run(inner_path(place));
}

// A folder that is moved takes what is in it to a new place, where nobody knew it. Looked at until
// the answer is yes: then it cannot change any more.
void Notifier::State::note_move(const PathCall& call, const std::string& path, CallerView& view) {
  if (made_of_interest || interest.empty()) return;
  if (Result<Place> from = view.resolve(call.first.dirfd, path, LastLink::keep)) note_moved(*from);
}

void Notifier::State::note_moved(const Place& from) {
  if (from.exists() && S_ISDIR(from.status.st_mode))
    made_of_interest = made_of_interest || outlives_the_run(inner_path(from));
}

void Notifier::State::deny(const Caller& caller, Denial::Act act, std::string target,
                           std::string rule, std::string remedy) {
  Denial denial;
  denial.act = act;
  denial.target = std::move(target);
  denial.rule = std::move(rule);
  denial.pid = caller.tid;
  denial.remedy = std::move(remedy);
  if (on_denial) on_denial(denial);
}

OnTrace Notifier::State::tells(const Caller& caller) {
  return [this, &caller](Denial::Act act, const std::string& target, std::string_view rule) {
    deny(caller, act, target, std::string(rule));
  };
}

Result<Reply> Notifier::State::judge_new(const Place& place, const Emulator::OnRefusal& refuse) {
  if (place.exists() || !place.folder.valid() || !guard.concerns(place.name))
    return Reply::proceed();
  WARD_ASSIGN(Folder folder, folder_of(place));
  std::optional<Refusal> refusal = guard.creation(folder, place.name);
  if (!refusal) return Reply::proceed();
  refuse(place, *refusal);
  return Reply::failure(EACCES);
}

Result<Reply> Notifier::State::judge_gone(const Place& place, const Emulator::OnRefusal& refuse) {
  if (!place.exists() || !place.folder.valid() || !guard.concerns(place.name))
    return Reply::proceed();
  WARD_ASSIGN(Folder folder, folder_of(place));
  std::optional<Refusal> refusal = guard.removal(folder, place.name);
  if (!refusal) return Reply::proceed();
  refuse(place, *refusal);
  return Reply::failure(EACCES);
}

Result<Reply> Notifier::State::check_target(const PathCall::Target& target, CallerView& view,
                                            const Emulator::OnRefusal& refuse) {
  WARD_ASSIGN(std::string path, view.path_at(target.address));
  note_path(target, path, LastLink::keep, view);
  if (!guard.concerns(last_component(path))) return Reply::proceed();
  WARD_ASSIGN(Place place, view.resolve(target.dirfd, path, LastLink::keep));
  return judge_new(place, refuse);
}

Result<Reply> Notifier::State::check_open(const PathCall& call, CallerView& view,
                                          const Emulator::OnRefusal& refuse) {
  if ((call.flags & (O_EXCL | O_NOFOLLOW)) != 0) return check_target(call.first, view, refuse);
  WARD_ASSIGN(std::string path, view.path_at(call.first.address));
  note_path(call.first, path, LastLink::follow, view);
  if (!guard.concerns(last_component(path))) {
    // The name is harmless, but it may be a link that leads to one that is not.
    WARD_ASSIGN(bool link, view.ends_in_link(call.first.dirfd, path));
    if (!link) return Reply::proceed();
  }
  WARD_ASSIGN(Place place, view.resolve(call.first.dirfd, path, LastLink::follow));
  note_place(place);
  return judge_new(place, refuse);
}

Result<Reply> Notifier::State::check_rename(const PathCall& call, CallerView& view,
                                            const Emulator::OnRefusal& refuse) {
  WARD_ASSIGN(std::string old_path, view.path_at(call.first.address));
  WARD_ASSIGN(std::string new_path, view.path_at(call.second.address));
  note_path(call.second, new_path, LastLink::keep, view);
  note_move(call, old_path, view);
  if (!guard.concerns(last_component(old_path)) && !guard.concerns(last_component(new_path)))
    return Reply::proceed();
  WARD_ASSIGN(Place from, view.resolve(call.first.dirfd, old_path, LastLink::keep));
  WARD_ASSIGN(Place to, view.resolve(call.second.dirfd, new_path, LastLink::keep));
  for (const Place* place : {&from, &to}) {
    WARD_ASSIGN(Reply reply, judge_gone(*place, refuse));
    if (reply.kind != Reply::Kind::go_on) return reply;
  }
  return judge_new(to, refuse);
}

Result<Reply> Notifier::State::check_removal(const PathCall& call, CallerView& view,
                                             const Emulator::OnRefusal& refuse) {
  WARD_ASSIGN(std::string path, view.path_at(call.first.address));
  if (!guard.concerns(last_component(path))) return Reply::proceed();
  WARD_ASSIGN(Place place, view.resolve(call.first.dirfd, path, LastLink::keep));
  return judge_gone(place, refuse);
}

// The kernel would answer EBUSY for a name that is a mount point of the sandbox, and say no more.
Result<Reply> Notifier::State::check_mounted(const PathCall& call, CallerView& view,
                                             const Emulator::OnRefusal& refuse) {
  const bool moves = call.kind == PathCall::Kind::rename;
  if (!moves && call.kind != PathCall::Kind::remove) return Reply::proceed();
  if (!mounted) mounted.emplace(spec.plan);
  const PathCall::Target* targets[] = {&call.first, moves ? &call.second : nullptr};
  for (const PathCall::Target* target : targets) {
    if (target == nullptr) break;
    WARD_ASSIGN(std::string path, view.path_at(target->address));
    if (!mounted->concerns(last_component(path))) continue;
    WARD_ASSIGN(Place place, view.resolve(target->dirfd, path, LastLink::keep));
    if (!place.exists()) continue;
    // Then it is what is there already that stands in the way.
    if (target == &call.second && (call.flags & RENAME_NOREPLACE) != 0) continue;
    const std::string_view rule = mounted->rule_of(inner_path(place));
    if (rule.empty()) continue;
    refuse(place, Refusal{std::string(rule)});
    return Reply::failure(EBUSY);
  }
  return Reply::proceed();
}

// `guard`: looks, and lets the kernel perform the call. A racing thread may exchange the path in
// between; the watch stands behind it.
Result<Reply> Notifier::State::check(const PathCall& call, CallerView& view,
                                     const Emulator::OnRefusal& refuse) {
  switch (call.kind) {
    case PathCall::Kind::open: return check_open(call, view, refuse);
    case PathCall::Kind::mkdir:
    case PathCall::Kind::mknod:
    case PathCall::Kind::symlink: return check_target(call.first, view, refuse);
    case PathCall::Kind::link: return check_target(call.second, view, refuse);
    case PathCall::Kind::rename: return check_rename(call, view, refuse);
    case PathCall::Kind::remove: return check_removal(call, view, refuse);
    case PathCall::Kind::change:
    case PathCall::Kind::execute:
    case PathCall::Kind::enter: break;
  }
  return Reply::proceed();
}

Result<Reply> Notifier::State::decide_path(const Caller& caller, const PathCall& call, int number) {
  CallerView view(caller.tid);
  auto refuse = [&](const Place& place, const Refusal& refusal) {
    deny(caller, act_of(call), inner_path(place), refusal.rule);
  };
  if (spec.trace) trace_call(call, view, judge(), tells(caller));
  bool creates = may_create(call);
  if (!creates && call.kind != PathCall::Kind::remove) return Reply::proceed();
  WARD_ASSIGN(Reply held, check_mounted(call, view, refuse));
  if (held.kind != Reply::Kind::go_on) return held;
  if (emulates()) {
    sys::WithoutCapabilities reduced;
    if (!reduced.holds()) return Reply::failure(EPERM);
    return emulator.perform(caller, call, view, refuse);
  }
  WARD_ASSIGN(Reply reply, check(call, view, refuse));
  if (creates && reply.kind == Reply::Kind::go_on) note_let_through(caller, number);
  return reply;
}

Result<Reply> Notifier::State::decide_bind(const Caller& caller, const struct seccomp_data& data) {
  CallerView view(caller.tid);
  auto refuse = [&](const Place& place, const Refusal& refusal) {
    deny(caller, Denial::Act::create, inner_path(place), refusal.rule);
  };
  WARD_ASSIGN(std::string address, read_address(caller.tid, data.args[1], data.args[2]));
  std::optional<std::string> path = path_of_address(address);
  if (spec.trace && path) trace_creation(*path, view, judge(), tells(caller));
  if (!emulates()) {
    // An address without a path may be exchanged for one with a path as well.
    note_let_through(caller, SYS_bind);
    if (!path) return Reply::proceed();
    if (!guard.concerns(last_component(*path))) return Reply::proceed();
    WARD_ASSIGN(Place place, view.resolve(AT_FDCWD, *path, LastLink::keep));
    return judge_new(place, refuse);
  }
  // Performed whatever the family: the socket behind the number may be exchanged too.
  sys::WithoutCapabilities reduced;
  if (!reduced.holds()) return Reply::failure(EPERM);
  WARD_ASSIGN(UniqueFd socket,
              sys::copy_remote_descriptor(caller.tid, static_cast<int>(data.args[0])));
  WARD_ASSIGN(int domain, socket_domain(socket.get()));
  if (domain == AF_UNIX && path)
    return emulator.bind_to_path(caller, view, std::move(socket), address, refuse);
  if (!sys::notification_valid(caller.listener, caller.id)) return Reply::failure(ENOENT);
  if (::bind(socket.get(), reinterpret_cast<const struct sockaddr*>(address.data()),
             static_cast<socklen_t>(address.size())) != 0)
    return Reply::failure(errno);
  return Reply::done();
}

Result<Reply> Notifier::State::decide_connect(const Caller& caller,
                                              const struct seccomp_data& data) {
  CallerView view(caller.tid);
  sys::WithoutCapabilities reduced;
  if (!reduced.holds()) return Reply::failure(EPERM);
  bool told = false;
  Result<Reply> reply = broker.connect(caller, view, static_cast<int>(data.args[0]), data.args[1],
                                       data.args[2], [&](const ConnectRefusal& refusal) {
                                         told = true;
                                         deny(caller, Denial::Act::connect, refusal.target,
                                              refusal.rule, refusal.remedy);
                                       });
  if (told || (reply && reply->kind != Reply::Kind::error)) return reply;
  // A socket that is hidden looks like a file of mode 000, or like nothing at all.
  Result<std::string> address = read_address(caller.tid, data.args[1], data.args[2]);
  std::optional<std::string> path = address ? path_of_address(*address) : std::nullopt;
  std::optional<Hidden> hidden = path ? hidden_at(*path, view, guard.rules()) : std::nullopt;
  if (!hidden) return reply;
  deny(caller, Denial::Act::connect, hidden->target, hidden->rule,
       "list the socket under network.unixSockets");
  return Reply::failure(EACCES);
}

Result<Reply> Notifier::State::decide(const struct seccomp_notif& call) {
  Caller caller{listener.get(), call.id, static_cast<pid_t>(call.pid)};
  let_through.over(caller.tid);
  if (call.data.nr == SYS_connect) return decide_connect(caller, call.data);
  if (call.data.nr == SYS_bind) return decide_bind(caller, call.data);
  if (std::optional<PathCall> path_call = decode_path_call(call.data))
    return decide_path(caller, *path_call, call.data.nr);
  return fail(ErrorKind::bug, "no answer is known for " + std::string(syscall_name(call.data.nr)));
}

// A second, because nothing tells of the death of a caller whose call has been received, nor of the
// end of a call that was let through.
void Notifier::State::tick_while_busy() {
  bool busy = !workers.empty() || !broker.idle() || !let_through.empty();
  if (busy == ticking) return;
  struct itimerspec when = {};
  if (busy) when.it_interval.tv_sec = when.it_value.tv_sec = 1;
  ticking = ::timerfd_settime(timer.get(), 0, &when, nullptr) == 0 ? busy : ticking;
}

Result<Notifier> Notifier::create(NotifierSpec spec, OnDenial on_denial) {
  UniqueFd side(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  struct epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = timer.get();
  if (!side.valid() || !timer.valid() ||
      ::epoll_ctl(side.get(), EPOLL_CTL_ADD, timer.get(), &event) != 0)
    return fail_errno(errno, "make the notifier's timer");
  auto state = std::make_unique<State>(std::move(spec), std::move(on_denial), std::move(side));
  state->timer = std::move(timer);
  return Notifier(std::move(state));
}

void Notifier::start(NotifierChannels channels) {
  // A caller whose call is performed by the supervisor waits for other things than its processor.
  if (!state_->emulates()) sys::prefer_synchronous_wakeup(channels.listener.get());
  state_->listener = std::move(channels.listener);
  state_->broker.start(std::move(channels.diagnostics));
}

Notifier::Notifier(std::unique_ptr<State> state) : state_(std::move(state)) {}
Notifier::Notifier(Notifier&&) noexcept = default;
Notifier& Notifier::operator=(Notifier&&) noexcept = default;
Notifier::~Notifier() = default;

int Notifier::fd() const { return state_->listener.get(); }
int Notifier::side_fd() const { return state_->side.get(); }
bool Notifier::finished() const { return state_->finished; }

void Notifier::resume_connects(const sys::Endpoint& endpoint) {
  state_->broker.resume(endpoint);
  state_->tick_while_busy();
}

bool Notifier::made_name_of_interest() const { return state_->made_of_interest; }

std::optional<std::chrono::steady_clock::time_point> Notifier::last_creation() const {
  return state_->last_creation;
}

bool Notifier::may_be_creating() const { return state_->let_through.lately(); }

Status Notifier::on_readable() {
  struct pollfd ready = {fd(), POLLIN, 0};
  if (::poll(&ready, 1, 0) < 0 && errno != EINTR) return fail_errno(errno, "poll the listener");
  if ((ready.revents & POLLIN) == 0) {
    if ((ready.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) state_->finished = true;
    return {};
  }
  Result<struct seccomp_notif> call = sys::receive_notification(fd());
  if (!call) {
    // The caller died before it was received, or a signal came: poll tells of the next.
    int error = call.error().os_errno();
    if (error == ENOENT || error == EINTR) return {};
    return fail(std::move(call).error());
  }
  Caller caller{fd(), call->id, static_cast<pid_t>(call->pid)};
  Result<Reply> reply = state_->decide(*call);
  state_->tick_while_busy();
  if (reply) return send_reply(caller, *reply);
  return send_reply(caller, Reply::failure(errno_for_caller(reply.error())));
}

Status Notifier::on_side_readable() {
  std::array<struct epoll_event, 16> events = {};
  int count = ::epoll_wait(side_fd(), events.data(), static_cast<int>(events.size()), 0);
  if (count < 0 && errno != EINTR) return fail_errno(errno, "epoll_wait");
  for (int i = 0; i < count; ++i) {
    int fd = events.at(static_cast<std::size_t>(i)).data.fd;
    if (fd == state_->timer.get()) {
      std::uint64_t expirations = 0;
      (void)!::read(fd, &expirations, sizeof expirations);
      state_->workers.end_orphans();
      state_->broker.end_orphans();
      state_->let_through.sample();
    } else if (!state_->workers.reap(fd)) {
      state_->broker.complete(fd);
    }
  }
  state_->tick_while_busy();
  return {};
}

}  // namespace ward::confine
