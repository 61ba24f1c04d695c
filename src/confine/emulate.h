// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Emulator performs creating calls for a caller, so that no second thread can exchange the path
// between the check and the act: the path is read once, resolved to descriptors in the caller's
// view, checked, and the kernel is then given those descriptors. What it does is done without
// capabilities, with the caller's umask, and only where the policy lets the caller write, since the
// caller's Landlock domain does not bind the supervisor. Because every creating call of the sandbox
// passes through here, one at a time, nothing inside can put a link in the way meanwhile.
//
// Differences to the kernel's own: a FIFO or a leased file is opened by a worker, and only a fatal
// signal interrupts that; a terminal never becomes the controlling one by an open with O_CREAT;
// files of /proc cannot be opened with O_CREAT (EACCES).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "confine/caller_view.h"
#include "confine/creation_guard.h"
#include "confine/path_call.h"
#include "confine/reply.h"
#include "confine/workers.h"

namespace ward::confine {

class Emulator {
 public:
  // Reports a refusal of this place; the act follows from the call.
  using OnRefusal = std::function<void(const Place&, const Refusal&)>;

  // What is about to be done.
  struct Notes {
    std::function<void(const Place&)> on_name;   // made, or opened to be written
    std::function<void(const Place&)> on_moved;  // where it was
  };
  Emulator(const CreationGuard& guard, Workers& workers, Notes notes)
      : guard_(guard), workers_(workers), notes_(std::move(notes)) {}

  // An error is the errno for the caller.
  Result<Reply> perform(const Caller& caller, const PathCall& call, CallerView& view,
                        const OnRefusal& refuse);

  // Binds the unix socket `socket` (a copy of the caller's descriptor) to the path in `address`.
  Result<Reply> bind_to_path(const Caller& caller, CallerView& view, UniqueFd socket,
                             const std::string& address, const OnRefusal& refuse);

 private:
  struct Act;
  Result<Reply> open(Act& act);
  Result<Reply> open_object(Act& act, const Place& place);
  Result<Reply> open_name(Act& act, Place& place);
  Result<Reply> open_by_worker(Act& act, int object, int flags);
  Result<Reply> make(Act& act);
  Result<Reply> rename(Act& act);
  Result<Reply> link(Act& act);
  Result<Reply> remove(Act& act);
  // Nothing where the act may go on.
  std::optional<Reply> check_new(Act& act, const Place& place) const;
  std::optional<Reply> check_gone(Act& act, const Place& place) const;

  const CreationGuard& guard_;
  Workers& workers_;
  Notes notes_;
};

// The folder of a place, for the guard.
Result<Folder> folder_of(const Place& place);

}  // namespace ward::confine
