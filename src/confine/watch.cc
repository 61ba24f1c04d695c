// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "confine/creation_guard.h"
#include "confine/seen_folders.h"
#include "confine/standing.h"
#include "sys/directory.h"
#include "sys/folder_watch.h"

namespace ward::confine {

namespace {

// So many at a time, so that the loop is not held up.
constexpr std::size_t kFoldersAStep = 64;
constexpr std::size_t kGlancesAStep = 256;
constexpr std::size_t kReservedFds = 256;  // for the rest of the supervisor
constexpr unsigned kRenameNoReplace = 1;   // RENAME_NOREPLACE

// Changes come in bursts. The first of one is looked at when it comes, the others together: a
// program that creates files would otherwise wait for the supervisor's looks, dozens of stats each.
// The pause grows with the time that looks take, up to what still lets a file be hidden in time.
using Clock = std::chrono::steady_clock;
constexpr Clock::duration kShortPause = std::chrono::milliseconds(5);
constexpr Clock::duration kLongPause = std::chrono::milliseconds(25);
constexpr int kPausePerLook = 8;

struct Protected {
  int folder = -1;  // of Folders
  std::string folder_path, name, rule;
  bool absent = false;   // else frozen
  sys::ObjectId object;  // of a frozen name
  UniqueFd handle;       // O_PATH of a frozen object: knows where it has gone
  std::string link;      // text of a frozen symbolic link
  bool reported = false;

  std::string path() const { return folder_path == "/" ? "/" + name : folder_path + "/" + name; }
};

// Each watched folder needs a descriptor. Returns how many may be had.
std::size_t raise_descriptor_limit(std::size_t wanted) {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  rlim_t need = wanted + kReservedFds;
  if (limit.rlim_cur < need) {
    limit.rlim_cur = std::min<rlim_t>(need, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur > kReservedFds ? static_cast<std::size_t>(limit.rlim_cur) - kReservedFds
                                       : 0;
}

Status control(int epoll, int operation, int fd, std::uint32_t events) {
  struct epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll, operation, fd, &event) != 0) return fail_errno(errno, "epoll_ctl");
  return {};
}

}  // namespace

struct Watch::State {
  State(WatchSpec given, sys::FolderWatch source, UniqueFd epoll_fd, UniqueFd timer_fd)
      : spec(std::move(given)),
        guard(spec.plan, spec.private_folders),
        changes(std::move(source)),
        standing(spec.plan, spec.mask, changes, spec.on_denial),
        epoll(std::move(epoll_fd)),
        timer(std::move(timer_fd)) {}

  Status watch_names();
  Result<int> open_parent(const std::string& path);
  void look(Protected& row);
  void look_at_all();
  void changed(Protected& row);
  Status repair(Protected& row);
  bool take_changes();
  Status pause_after(Clock::duration look);
  Status end_pause();
  Status wake_in_time();
  void step();
  bool take_up_seen();
  bool is_to_come(std::string_view path);
  void add_root_folder(const std::string& path, std::optional<std::size_t> seen_as = {});
  void found(const std::string& path);
  void note_bound(std::size_t watched);
  Denial denial_of(const Protected& row) const;

  WatchSpec spec;
  CreationGuard guard;
  sys::FolderWatch changes;
  Standing standing;
  UniqueFd epoll, timer;
  // Parents of protected names, by descriptor; the path of a root folder, by descriptor.
  std::map<std::string, UniqueFd> parents;
  std::vector<Protected> names;
  std::unordered_multimap<int, std::size_t> names_of;
  struct RootFolder {
    UniqueFd fd;
    std::string path;
    std::uint64_t device = 0;
  };
  std::unordered_map<int, RootFolder> folders;
  std::map<sys::ObjectId, int> known;  // the descriptor of each of `folders`
  std::deque<std::string> todo;
  // What the plan saw, and how far it has been taken up.
  std::shared_ptr<const SeenFolders> seen;
  std::vector<std::size_t> seen_order;  // of its folders those that are taken up, near ones first
  enum class Stage : std::uint8_t { before, glance, open, all } stage = Stage::before;
  std::size_t next_seen = 0;
  std::unordered_map<std::string_view, std::size_t> seen_at;  // in that order
  Clock::time_point stage_at;                                 // when it begins
  Watch::Times times;
  void scan(const RootFolder& folder);
  // Until then changes only queue.
  std::optional<Clock::time_point> pause_end;
  // When folders are next taken into the watch, or looked at.
  std::optional<Clock::time_point> step_at;
  bool breached = false, bound_noted = false;
};

Denial Watch::State::denial_of(const Protected& row) const {
  Denial denial;
  denial.act = row.absent ? Denial::Act::create : Denial::Act::rename;
  denial.target = row.path();
  denial.rule = row.rule;
  return denial;
}

Result<int> Watch::State::open_parent(const std::string& path) {
  auto known_parent = parents.find(path);
  if (known_parent != parents.end()) return known_parent->second.get();
  WARD_ASSIGN(UniqueFd folder, sys::open_directory(AT_FDCWD, path.c_str()));
  WARD_TRY(changes.add(folder.get()));
  int fd = folder.get();
  parents.emplace(path, std::move(folder));
  return fd;
}

Status Watch::State::watch_names() {
  names.reserve(spec.plan.absent.size() + spec.plan.frozen.size());
  for (const AbsentRow& row : spec.plan.absent) {
    WARD_ASSIGN(int folder, open_parent(row.parent));
    names.push_back({.folder = folder,
                     .folder_path = row.parent,
                     .name = row.name,
                     .rule = row.rule,
                     .absent = true});
  }
  for (const FrozenName& row : spec.plan.frozen) {
    WARD_ASSIGN(int folder, open_parent(row.parent));
    WARD_ASSIGN(UniqueFd handle, sys::open_at(folder, row.name, O_PATH | O_NOFOLLOW));
    Result<std::string> link = sys::readlink_at(folder, row.name);
    names.push_back({.folder = folder,
                     .folder_path = row.parent,
                     .name = row.name,
                     .rule = row.rule,
                     .object = row.object,
                     .handle = std::move(handle),
                     .link = link ? *link : ""});
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    names_of.emplace(names[i].folder, i);
    look(names[i]);
  }
  return {};
}

void Watch::State::look(Protected& row) {
  struct stat status = {};
  int error = sys::stat_entry(row.folder, row.name.c_str(), status);
  if (row.absent) {
    if (error == 0) changed(row);
    return;
  }
  if (error == ENOENT || (error == 0 && sys::object_id(status) != row.object)) changed(row);
}

void Watch::State::look_at_all() {
  for (Protected& row : names) look(row);
}

void Watch::State::changed(Protected& row) {
  Denial denial = denial_of(row);
  const bool first = !std::exchange(row.reported, true);
  if (breached || (spec.sandbox_creates && spec.sandbox_creates())) {
    breached = true;
    if (first) spec.breach(denial);
    // What cannot be undone now, because the sandbox goes on, is undone by settle().
    (void)repair(row).has_value();
    return;
  }
  if (!first) return;
  if (row.absent) {
    Status masked = spec.mask.hide(row.path());
    denial.remedy = masked ? "it appeared from outside the sandbox and is hidden inside"
                           : "it appeared from outside the sandbox and could not be hidden: " +
                                 masked.error().message();
  } else {
    denial.remedy = "it was moved or replaced from outside the sandbox";
  }
  spec.on_denial(denial);
}

// Removes what appeared; puts back what was moved.
Status Watch::State::repair(Protected& row) {
  struct stat status = {};
  int error = sys::stat_entry(row.folder, row.name.c_str(), status);
  bool stands = error == 0 && !row.absent && sys::object_id(status) == row.object;
  if (stands) return {};
  if (error == 0) WARD_TRY(remove_tree(row.folder, row.name));
  if (row.absent) return {};
  Result<std::string> now = sys::path_of_fd(row.handle.get());
  if (now && ::syscall(SYS_renameat2, AT_FDCWD, now->c_str(), row.folder, row.name.c_str(),
                       kRenameNoReplace) == 0)
    return {};
  if (!row.link.empty() && ::symlinkat(row.link.c_str(), row.folder, row.name.c_str()) == 0) {
    WARD_ASSIGN(row.handle, sys::open_at(row.folder, row.name, O_PATH | O_NOFOLLOW));
    WARD_ASSIGN(struct stat made, sys::stat_fd(row.handle.get()));
    row.object = sys::object_id(made);
    return {};
  }
  return fail(ErrorKind::io, row.path() + " could not be put back" +
                                 (now ? "; it is now " + *now : "; it was removed"));
}

void Watch::State::note_bound(std::size_t watched) {
  if (bound_noted) return;
  bound_noted = true;
  if (spec.on_note)
    spec.on_note("only " + std::to_string(watched) +
                 " folders are watched for files that appear and are to be hidden; such a file in "
                 "another folder can be read (raise the limit of open files, or name its folder)");
}

void Watch::State::add_root_folder(const std::string& path, std::optional<std::size_t> seen_as) {
  if (guard.in_private_folder(path) || standing.hides(path)) return;
  if (folders.size() >= spec.most_folders) return note_bound(folders.size());
  Result<UniqueFd> folder = sys::open_directory(AT_FDCWD, path.c_str());
  if (!folder) {
    if (folder.error().os_errno() == EMFILE || folder.error().os_errno() == ENFILE)
      note_bound(folders.size());
    return;
  }
  int fd = folder->get();
  // Watched before it is looked at: what comes meanwhile is told.
  if (!changes.add(fd)) return note_bound(folders.size());
  Result<struct stat> status = sys::stat_fd(fd);
  if (!status || !known.emplace(sys::object_id(*status), fd).second) return;
  folders.emplace(fd, RootFolder{std::move(*folder), path, status->st_dev});
  if (seen_as && seen->is_unchanged(*seen_as, *status)) return;
  standing.folder_came(path);
  scan(folders.at(fd));
}

// Looks for hidden names and for folders that are not watched yet.
void Watch::State::scan(const RootFolder& folder) {
  ::lseek(folder.fd.get(), 0, SEEK_SET);
  std::array<char, 32768> buffer;
  for (;;) {
    Result<std::span<const char>> records = sys::read_directory(folder.fd.get(), buffer);
    if (!records || records->empty()) return;
    sys::DirectoryBatch batch(*records);
    for (sys::DirectoryEntry entry; batch.next(entry);) {
      bool concerns = guard.concerns(entry.name);
      if (!concerns && entry.type != DT_DIR) continue;
      std::string inner = folder.path == "/" ? "/" : folder.path + "/";
      inner += entry.name;
      if (concerns) found(inner);
      if (entry.type != DT_DIR || standing.hides(inner) || is_to_come(inner)) continue;
      // The number of an object that is held open is not given to another.
      auto same = known.find({folder.device, entry.inode});
      if (same == known.end() || folders.at(same->second).path != inner)
        todo.push_back(std::move(inner));
    }
  }
}

// Is the folder among those that the plan saw, and still to be compared with what it saw?
bool Watch::State::is_to_come(std::string_view path) {
  if (stage == Stage::all || !seen) return false;
  if (seen_at.empty())
    for (std::size_t i = 0; i < seen_order.size(); ++i)
      seen_at.emplace(seen->path(seen_order[i]), i);
  auto listed = seen_at.find(path);
  return listed != seen_at.end() && (stage != Stage::open || listed->second >= next_seen);
}

void Watch::State::found(const std::string& path) {
  if (standing.holds(path)) return;
  if (guard.rules() == nullptr || guard.in_private_folder(path)) return;
  Access access = guard.rules()->decide(path);
  if (access.read) return;
  Status masked = spec.mask.hide(path);
  if (!masked && masked.error().kind() == ErrorKind::not_found) return;
  standing.add_hidden(path, std::string(access.read_rule));
  Denial denial;
  denial.act = Denial::Act::read;
  denial.target = path;
  denial.rule = std::string(access.read_rule);
  denial.remedy =
      masked ? "it appeared during the run and is hidden since"
             : "it appeared during the run and could not be hidden: " + masked.error().message();
  spec.on_denial(denial);
}

// Takes some folders into the watch; there is more to do where it sets `step_at`.
void Watch::State::step() {
  step_at.reset();
  if (stage == Stage::before) {
    stage = seen ? Stage::glance : Stage::all;
    if (seen && seen_order.size() < seen->size()) note_bound(seen_order.size());
    if (!seen) todo.assign(spec.roots.begin(), spec.roots.end());
  }
  bool more = standing.take_up(kFoldersAStep, spec.most_folders);
  if (standing.bounded()) note_bound(folders.size());
  for (std::size_t i = 0; i < kFoldersAStep && !todo.empty(); ++i) {
    std::string path = std::move(todo.front());
    todo.pop_front();
    add_root_folder(path);
  }
  if (stage != Stage::all && Clock::now() >= stage_at) more = take_up_seen() || more;
  if (more || !todo.empty())
    step_at = Clock::now();
  else if (stage != Stage::all)
    step_at = stage_at;
}

// Some of the folders that the plan saw. False: the stage is over.
bool Watch::State::take_up_seen() {
  const std::size_t count = stage == Stage::glance ? kGlancesAStep : kFoldersAStep;
  for (std::size_t i = 0; i < count && next_seen < seen_order.size(); ++i) {
    const std::size_t index = seen_order[next_seen++];
    if (stage == Stage::open) {
      add_root_folder(seen->path(index), index);
      continue;
    }
    struct stat status = {};
    if (sys::stat_entry(AT_FDCWD, seen->path(index), status) == 0 &&
        !seen->is_unchanged(index, status))
      todo.emplace_back(seen->path(index));
  }
  if (next_seen < seen_order.size()) return true;
  next_seen = 0;
  stage_at += times.every;
  if (stage == Stage::open) {
    stage = Stage::all;
    seen_at.clear();
  } else if (--times.glances == 0) {
    stage = Stage::open;
  }
  return false;
}

// Looks at what has changed since the last time; false: nothing.
bool Watch::State::take_changes() {
  sys::FolderWatch::Changes taken = changes.take();
  if (taken.overflow) {
    look_at_all();
    standing.changed_all();
  }
  std::set<int> changed(taken.folders.begin(), taken.folders.end());
  for (int fd : changed) {
    auto [first, last] = names_of.equal_range(fd);
    for (auto row = first; row != last; ++row) look(names[row->second]);
    standing.changed(fd);
  }
  if (taken.overflow)
    for (const auto& [fd, folder] : folders) changed.insert(fd);
  for (int fd : changed)
    if (auto folder = folders.find(fd); folder != folders.end()) scan(folder->second);
  return taken.overflow || !changed.empty();
}

Status Watch::State::pause_after(Clock::duration look) {
  if (!pause_end) WARD_TRY(control(epoll.get(), EPOLL_CTL_MOD, changes.fd(), 0));
  pause_end = Clock::now() + std::clamp(look * kPausePerLook, kShortPause, kLongPause);
  return {};
}

Status Watch::State::end_pause() {
  pause_end.reset();
  return control(epoll.get(), EPOLL_CTL_MOD, changes.fd(), EPOLLIN);
}

// Sets the timer to whatever comes first.
Status Watch::State::wake_in_time() {
  std::optional<Clock::time_point> next = pause_end;
  if (step_at && (!next || *step_at < *next)) next = step_at;
  struct itimerspec when = {};
  if (next) {
    auto left = std::max(*next - Clock::now(), Clock::duration(1));
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    when.it_value.tv_sec = seconds.count();
    when.it_value.tv_nsec = std::chrono::nanoseconds(left - seconds).count();
  }
  if (::timerfd_settime(timer.get(), 0, &when, nullptr) != 0)
    return fail_errno(errno, "set a timer");
  return {};
}

Result<Watch> Watch::create(WatchSpec spec) {
  WARD_ASSIGN(sys::FolderWatch source, sys::FolderWatch::create());
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll.valid() || !timer.valid()) return fail_errno(errno, "epoll_create1, timerfd_create");
  WARD_TRY(control(epoll.get(), EPOLL_CTL_ADD, source.fd(), EPOLLIN));
  WARD_TRY(control(epoll.get(), EPOLL_CTL_ADD, timer.get(), EPOLLIN));
  auto state = std::make_unique<State>(std::move(spec), std::move(source), std::move(epoll),
                                       std::move(timer));
  WARD_TRY(in_context(state->watch_names(), "watch the protected names"));
  return Watch(std::move(state));
}

Watch::Watch(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;
Watch::~Watch() = default;

int Watch::fd() const { return state_->epoll.get(); }

Status Watch::begin_roots(Times times) {
  State& state = *state_;
  const bool globs = !state.spec.plan.deny_globs.empty();
  if (!globs && state.standing.idle()) return {};
  std::size_t possible = raise_descriptor_limit(state.spec.most_folders);
  state.spec.most_folders = std::min(state.spec.most_folders, possible);
  if (!globs) state.spec.roots.clear();
  if (globs && state.spec.plan.folders && state.spec.plan.folders->size() > 0) {
    state.seen = state.spec.plan.folders;
    state.seen_order = state.seen->nearest(state.spec.most_folders);
  }
  state.times = times;
  state.stage_at = Clock::now() + times.every;
  state.step_at = state.stage_at;
  return state.wake_in_time();
}

Status Watch::on_readable() {
  State& state = *state_;
  const Clock::time_point begin = Clock::now();
  if (!state.pause_end || begin >= *state.pause_end) {
    if (state.take_changes())
      WARD_TRY(state.pause_after(Clock::now() - begin));
    else if (state.pause_end)
      WARD_TRY(state.end_pause());
    if (!state.todo.empty()) state.step_at = begin;
  }
  if (state.step_at && begin >= *state.step_at) state.step();
  return state.wake_in_time();
}

Status Watch::settle() {
  state_->look_at_all();
  if (!state_->breached) return {};
  for (Protected& row : state_->names) {
    if (row.reported) WARD_TRY(state_->repair(row));
  }
  return {};
}

}  // namespace ward::confine
