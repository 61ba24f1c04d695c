// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/setup_plan.h"

#include <linux/landlock.h>
#include <linux/seccomp.h>

#include <algorithm>
#include <cstring>

#include "confine/bpf.h"
#include "sys/features.h"
#include "sys/uapi.h"

namespace ward::confine {

namespace {

namespace uapi = sys::uapi;

struct PrivateFolder {
  const char* path;
  const char* source;  // its name in the scratch file system; "" for /proc, mounted by its own step
};
constexpr PrivateFolder kPrivateFolders[] = {
    {"/tmp", "tmp"},     {"/var/tmp", "var-tmp"}, {"/dev", "dev"},
    {"/dev/shm", "shm"}, {"/run", "run"},         {"/proc", ""},
};

constexpr std::uint64_t kFileWrites = LANDLOCK_ACCESS_FS_WRITE_FILE | uapi::kLandlockFsTruncate;
// No device node is ever made by a command: MAKE_CHAR and MAKE_BLOCK are handled and never granted.
constexpr std::uint64_t kFolderWrites =
    kFileWrites | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | uapi::kLandlockFsRefer;
constexpr std::uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr std::uint64_t kReads =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kFileRights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                      kFileWrites | uapi::kLandlockFsIoctlDev;

std::uint64_t rights_of_abi(int abi) {
  std::uint64_t rights = kReads | kFolderWrites | kDevices | uapi::kLandlockFsIoctlDev;
  if (abi < 5) rights &= ~uapi::kLandlockFsIoctlDev;
  if (abi < 3) rights &= ~uapi::kLandlockFsTruncate;
  return rights;
}

std::size_t depth(std::string_view path) {
  return path == "/" ? 0 : static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

SetupRow::Kind kind_of(Action action) {
  switch (action) {
    case Action::writable: return SetupRow::Kind::writable;
    case Action::pin: return SetupRow::Kind::pin;
    case Action::read_only: return SetupRow::Kind::read_only;
    case Action::hidden: return SetupRow::Kind::hidden;
    case Action::skeleton: return SetupRow::Kind::skeleton;
  }
  return SetupRow::Kind::hidden;
}

std::span<SetupStub> stubs_of(const PathRow& path, SetupArena& arena) {
  std::vector<SetupStub> stubs;
  stubs.reserve(path.stubs.size());
  for (const Stub& stub : path.stubs)
    stubs.push_back({arena.text(stub.name), arena.text(stub.link), stub.directory, stub.revealed});
  return arena.array(stubs);
}

// Addresses of documents (RFC 5737), and one of the world: the first that no rule allows.
constexpr const char* kForbiddenAddresses[] = {"192.0.2.1", "198.51.100.1", "203.0.113.1",
                                               "1.1.1.1", "128.0.0.1"};

Status choose_forbidden_address(SetupPlan& plan, const NetworkInside& network) {
  for (const char* text : kForbiddenAddresses) {
    const sys::InetAddress address = sys::parse_inet_address(text).value();
    const bool routed =
        std::any_of(network.routes.begin(), network.routes.end(),
                    [&](const sys::InetBlock& block) { return block.contains(address); });
    if (routed) continue;
    std::memcpy(&plan.forbidden_address, address.bytes.data(), sizeof plan.forbidden_address);
    return {};
  }
  return fail(Error(ErrorKind::invalid, "the network's rules leave no address that is refused")
                  .with_remedy("allow smaller blocks of addresses"));
}

void add_network(SetupPlan& plan, const NetworkInside& network, SetupArena& arena) {
  plan.addresses = arena.array(network.addresses);
  plan.routes = arena.array(network.routes);
  std::vector<SetupListener> listeners;
  listeners.reserve(network.listeners.size());
  for (const InsideListener& wanted : network.listeners)
    listeners.push_back({wanted.endpoint, wanted.type});
  plan.listeners = arena.array(listeners);
}

// Below a private folder nothing is yet; elsewhere the host's file is covered.
void add_files(std::vector<SetupRow>& rows, const NetworkInside& network, SetupArena& arena) {
  for (const InsideFile& file : network.files) {
    SetupRow& row = rows.emplace_back();
    row.kind = SetupRow::Kind::file;
    row.path = arena.text(file.path);
    row.directory = false;
    row.content = {arena.text(file.content), file.content.size()};
    for (const PrivateFolder& folder : kPrivateFolders)
      row.make_mount_point =
          row.make_mount_point || file.path.starts_with(std::string(folder.path) + "/");
  }
}

void add_rows(SetupPlan& plan, const Confinement& confinement, SetupArena& arena) {
  const PathPlan& paths = confinement.paths;
  int held_rows = 0;
  plan.new_root =
      !paths.rows.empty() && paths.rows[0].path == "/" && paths.rows[0].action == Action::skeleton;
  std::vector<SetupRow> rows;
  rows.reserve(paths.rows.size() + std::size(kPrivateFolders));
  for (const PrivateFolder& folder : kPrivateFolders) {
    if (folder.source[0] == '\0') continue;
    SetupRow& row = rows.emplace_back();
    row.kind = SetupRow::Kind::private_folder;
    row.path = folder.path;
    row.source = folder.source;
    row.make_mount_point = plan.new_root;
  }
  for (const PathRow& path : paths.rows) {
    SetupRow& row = rows.emplace_back();
    row.kind = kind_of(path.action);
    row.path = arena.text(path.path);
    row.directory = path.directory;
    row.make_mount_point = path.below_private;
    row.object = path.object;
    row.stubs = stubs_of(path, arena);
    if (path.action == Action::writable && !confinement.review_folder.empty()) {
      std::string held = confinement.review_folder + "/" + std::to_string(held_rows++);
      if (path.directory) row.kind = SetupRow::Kind::overlay;
      row.upper = arena.text(held + (path.directory ? "/upper" : "/file"));
      row.work = arena.text(held + "/work");
    }
  }
  add_files(rows, confinement.network, arena);
  std::stable_sort(rows.begin(), rows.end(), [](const SetupRow& a, const SetupRow& b) {
    return depth(a.path) < depth(b.path);
  });
  plan.rows = arena.array(rows);
  plan.trees = arena.array(std::vector<int>(rows.size(), -1));
}

// Landlock carries the write rules a second time: a mount that somebody manages to reach some other
// way (a descriptor of the caller, opened again through /proc/self/fd) is not writable either.
void add_landlock(SetupPlan& plan, const Confinement& confinement, SetupArena& arena) {
  int abi = sys::landlock_abi();
  if (abi < 2) return;  // ABI 1 makes every rename across folders fail; the mounts alone hold there
  plan.landlock_abi = abi;
  plan.landlock_handled = rights_of_abi(abi);
  bool reads_everything = confinement.paths.default_access == policy::DefaultAccess::read;
  if (reads_everything) plan.landlock_handled &= ~kReads;
  if (abi >= 6)
    plan.landlock_scoped = uapi::kLandlockScopeAbstractSocket | uapi::kLandlockScopeSignal;
  std::vector<SetupGrant> grants;
  auto grant = [&](const char* path, std::uint64_t access) {
    access &= plan.landlock_handled;
    if (access != 0) grants.push_back({path, access});
  };
  for (const PrivateFolder& folder : kPrivateFolders)
    grant(folder.path, kReads | kFolderWrites | uapi::kLandlockFsIoctlDev);
  for (const SetupRow& row : plan.rows) {
    std::uint64_t allowed = 0;
    if (row.kind == SetupRow::Kind::writable || row.kind == SetupRow::Kind::overlay)
      allowed = kReads | kFolderWrites;
    if (row.kind == SetupRow::Kind::read_only && !reads_everything) allowed = kReads;
    if (row.kind == SetupRow::Kind::skeleton && !reads_everything)
      allowed = LANDLOCK_ACCESS_FS_READ_DIR;
    grant(row.path, row.directory ? allowed : allowed & kFileRights);
  }
  plan.grants = arena.array(grants);
}

std::span<char*> pointers(const std::vector<std::string>& words, SetupArena& arena) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words) result.push_back(const_cast<char*>(arena.text(word)));
  result.push_back(nullptr);
  return arena.array(result);
}

}  // namespace

const std::vector<std::string>& private_folders() {
  static const std::vector<std::string> folders = [] {
    std::vector<std::string> paths;
    for (const PrivateFolder& folder : kPrivateFolders) paths.emplace_back(folder.path);
    return paths;
  }();
  return folders;
}

std::string_view to_string(Step step) {
  constexpr std::string_view names[kStepCount] = {
      "wait for the supervisor",
      "tie the sandbox to the supervisor",
      "make the cgroup namespace",
      "open the network",
      "set the host name",
      "bring the loopback interface up",
      "open the socket diagnosis",
      "make the mounts private",
      "hide what Ward was called with",
      "empty the capability bounding set",
      "wait for the id maps",
      "make the private file system",
      "make the pseudo-terminals' file system",
      "make a fresh /proc",
      "take hold of",
      "make the file system read-only",
      "mount the private file system",
      "mount",
      "mount /proc",
      "enter the new root",
      "open the terminal",
      "start the command's process",
      "start the command's session",
      "connect the command's streams",
      "enter the working directory",
      "set the resource limits",
      "set no_new_privs",
      "restrict by Landlock",
      "drop the capabilities",
      "install the system call filter",
      "test a forbidden write",
      "test a forbidden read",
      "test a forbidden connection",
      "execute",
  };
  return names[static_cast<std::size_t>(step)];
}

Result<SetupPlan*> make_setup_plan(const Confinement& confinement, const Job& job,
                                   SetupArena& arena) {
  if (job.argv.empty()) return fail(ErrorKind::invalid, "there is no command to run");
  SetupPlan plan;
  plan.as_root = ::geteuid() == 0;
  plan.host_name = arena.text(confinement.host_name);
  add_rows(plan, confinement, arena);
  add_network(plan, confinement.network, arena);
  WARD_TRY(choose_forbidden_address(plan, confinement.network));
  plan.streams = job.streams;
  plan.use_terminal = std::count(job.streams.begin(), job.streams.end(), kTerminal) > 0;
  plan.pass_fds = arena.array(job.pass_fds);
  plan.hand_out_root = !confinement.review_folder.empty();
  plan.working_directory = arena.text(job.working_directory);
  std::vector<sys::Rlimit> limits = job.rlimits;
  // A core file is written by the host's handler, outside of the sandbox.
  limits.push_back({RLIMIT_CORE, 0});
  plan.limits = arena.array(limits);
  add_landlock(plan, confinement, arena);
  WARD_ASSIGN(std::vector<struct sock_filter> filter,
              compile_filter(filter_options(confinement.process, confinement.paths,
                                            confinement.trace == Confinement::Trace::on)));
  plan.filter = arena.array(filter);
  plan.forbidden_write = arena.text(confinement.forbidden_write);
  for (const SetupRow& row : plan.rows) {
    if (row.kind != SetupRow::Kind::hidden) continue;
    plan.forbidden_read = row.path;
    break;
  }
  plan.argv = pointers(job.argv, arena);
  plan.environment = pointers(job.environment, arena);
  return arena.object(plan);
}

}  // namespace ward::confine
