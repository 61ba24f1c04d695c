// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// What runs inside the new namespaces before the command does: the steps of init (pid 1) and of the
// command's process, as tables executed in order, each step one function over a SetupPlan that was
// prepared before the clone. Post-fork code: no allocation, no locks, no logging. A step that fails
// ends the set-up with its number and errno; nothing has been run then, and the kernel takes every
// trace of the namespaces away with their last process.
#pragma once

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sys/file.h"
#include "sys/inet.h"
#include "sys/rlimit.h"

namespace ward::confine {

struct Command;
struct Report;

enum class Step : std::uint32_t {
  supervisor,         // wait until the supervisor has written the id maps
  death_signal,       // die with the supervisor
  cgroup_namespace,   // an own root of the cgroup tree
  network,            // the gateway's addresses and sockets
  host_name,          //
  loopback,           // bring 127.0.0.1 and ::1 up
  socket_diagnosis,   // a netlink socket that tells which unix sockets were bound inside
  private_mounts,     // nothing done here reaches the host
  arguments,          // hide what Ward was called with
  bounding_set,       // no program that is executed gains a capability
  id_maps,            // the user namespace has its ids: from here on files can be made
  make_scratch,       // the private in-memory file system
  make_terminals,     // an own devpts
  make_proc,          // a fresh /proc
  detach_trees,       // take hold of what will be mounted again
  read_only,          // the whole tree read-only
  scratch,            // the private folders and devices in their places
  rows,               // the policy's rows, shallow to deep; detail: the row
  proc,               // /proc in its place
  root,               // enter the new root, where the policy has one
  terminal,           // the own pseudo-terminal
  fork,               // the command's process
  session,            // its session and controlling terminal
  streams,            // its standard streams; no other descriptor stays
  working_directory,  //
  limits,             // resource limits
  no_new_privileges,  //
  landlock,           //
  capabilities,       // none
  seccomp,            // the system call filter, its listener handed to the supervisor
  self_test_write,    // a forbidden write must fail
  self_test_read,     // a forbidden read must fail
  self_test_connect,  // a forbidden connection must fail
  exec,               // the command itself
};
std::string_view to_string(Step step);
inline constexpr std::uint32_t kStepCount = static_cast<std::uint32_t>(Step::exec) + 1;

// One entry of a skeleton: a name that stands in the hidden folder.
struct SetupStub {
  const char* name = "";
  const char* link = "";  // the target, where it is a symbolic link
  bool directory = false;
  bool revealed = false;  // something will be mounted on it; otherwise it stays without any right
};

// One mount, in order from shallow to deep.
struct SetupRow {
  enum class Kind : std::uint8_t {
    private_folder,  // a folder of the scratch file system, `source` its name there
    writable,        // the host's object, writable
    overlay,         // the host's folder, writable: what changes goes to `upper`
    pin,             // the object as it is inside, on itself
    read_only,       // the host's object, read-only
    hidden,          // an object without any right
    skeleton,        // a private folder of stubs
    file,            // a read-only file of its own, with `content`
  };
  Kind kind = Kind::hidden;
  const char* path = "";
  bool directory = true;
  bool make_mount_point = false;  // stands below a private folder, where nothing is yet
  sys::ObjectId object;           // what must be there: {0, 0} where it does not matter
  const char* source = "";
  // Outside of the sandbox: the folders of an overlay; of a writable file, the copy in its stead.
  const char *upper = "", *work = "";
  std::string_view content;  // of a file
  std::span<SetupStub> stubs;
};

// A path whose write right Landlock grants; everything else is denied for writing.
struct SetupGrant {
  const char* path = "";
  std::uint64_t access = 0;  // LANDLOCK_ACCESS_FS_*
};

// A socket of the gateway's, see network_inside.h.
struct SetupListener {
  sys::Endpoint endpoint;
  int type = 0;
};

// Plain data in a SetupArena.
struct SetupPlan {
  bool as_root = false;  // uid 0 owns files of /proc and /sys that it must not write
  const char* host_name = "";
  std::span<SetupRow> rows;
  std::span<int> trees;   // one a row, room for what detach_trees takes hold of
  bool new_root = false;  // rows[0] is a skeleton for "/"

  std::span<sys::InetAddress> addresses;
  std::span<sys::InetBlock> routes;
  std::span<SetupListener> listeners;
  bool has_network() const { return !routes.empty() || !listeners.empty(); }

  bool hand_out_root = false;  // to the supervisor, which looks at names in the overlays
  bool use_terminal = false;
  std::array<int, 3> streams = {-2, -2, -2};  // a descriptor, -1: the terminal, -2: /dev/null
  std::span<int> pass_fds;                    // kept open in the command
  const char* working_directory = "";

  std::span<sys::Rlimit> limits;

  int landlock_abi = 0;
  std::uint64_t landlock_handled = 0;
  std::uint64_t landlock_scoped = 0;
  std::span<SetupGrant> grants;

  std::span<struct sock_filter> filter;

  const char* forbidden_write = "";       // a folder in which nothing may be created
  struct in_addr forbidden_address = {};  // where no socket may be connected to
  const char* forbidden_read = "";  // an object that may not be opened; "" where nothing is hidden

  std::span<char*> argv;  // null-terminated
  std::span<char*> environment;
};

// What init is cloned with: the plan comes later.
struct SetupStart {
  std::uint32_t fail_step = ~0U;  // where a test makes a step fail
  int clone_error = 0;            // why init could not be cloned
  pid_t init = 0;
  const char* map_step = nullptr;  // what of its id maps could not be written, and why
  int map_error = 0;
  std::uint32_t mapped = 0;   // 1 once they are written: a futex that init waits for
  SetupPlan* plan = nullptr;  // set before the message that the first planned step waits for
};

// The descriptors of the child's side.
struct SetupChannels {
  int control = -1;  // init: to the supervisor; the command's process: to init
  int launch = -1;   // for reports of the set-up: both ends' end of the launch channel
};

// Runs as pid 1 of the sandbox; never returns.
[[noreturn]] void run_init(const SetupStart& start, const SetupChannels& channels);

// The parts of init, each in its own file.
struct InitState {
  const SetupStart& start;
  SetupChannels channels;
  SetupPlan* plan = nullptr;  // there once the step `supervisor` is over
  int diagnosis = -1;         // netlink socket
  int terminal = -1;          // master of the own pty
  int slave = -1;             // its other side, the command's
  int scratch = -1;           // root folder of the scratch file system
  int terminals = -1;         // the own devpts, until it is mounted
  int proc = -1;              // the fresh /proc, until it is mounted
  int old_root = -1;  // where the policy has a root of its own: the host's, until it is left
  std::int32_t detail = -1;
};
long make_scratch(InitState& state);
long make_terminals(InitState& state);
long make_proc(InitState& state);
long open_network(InitState& state);
long detach_trees(InitState& state);
long make_read_only(InitState& state);
long mount_scratch(InitState& state);
long mount_rows(InitState& state);
long mount_proc(InitState& state);
long enter_root(InitState& state);

// The command's process, from the fork on; never returns.
[[noreturn]] void run_command(const InitState& state);

// Makes the socket of a `listen` or `socket` command, and answers.
void answer_socket_request(int control, const Command& request);

long send_with_descriptors(int channel, const Report& report, std::span<const int> fds);

// Reports a failed step on `channel` and exits.
[[noreturn]] void report_failure(int channel, Step step, long status, std::int32_t detail);

}  // namespace ward::confine
