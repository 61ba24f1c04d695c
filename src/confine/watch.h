// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Watch is the second net behind the notifier. It sees when a protected name that did not exist
// appears, or one that may not move is gone, although the notifier let no such call through: in
// `guard`, a thread has exchanged the path between check and act. Then the run is ended, and what
// appeared is removed and what moved is put back. It also sees files that a wildcard deny hides
// appear in the workspaces, by whoever's hand, and masks them inside. Owned by the keeper's loop,
// one thread. Source: sys/folder_watch.h.
//
// A name may appear by the hand of the machine's user, too: their editor makes `.vscode`. Such a
// one is left alone and masked inside. What tells the two apart is whether a creating call of the
// sandbox has been let through in the last two seconds.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "confine/denial.h"
#include "confine/late_mask.h"
#include "confine/path_plan.h"

namespace ward::confine {

struct WatchSpec {
  PathPlan plan;
  std::vector<std::string> private_folders;
  // Where files that a wildcard deny hides are looked for, the first with priority: the workspaces,
  // then the home folder.
  std::vector<std::string> roots;
  std::size_t most_folders = 8192;
  LateMask mask;
  // Could the sandbox have made what has just appeared?
  std::function<bool()> sandbox_creates;
  // A name came through: ends the run as policy-killed. The tree need not be dead on return.
  std::function<void(const Denial&)> breach;
  // Something appeared and is masked now, or could not be.
  std::function<void(const Denial&)> on_denial;
  // A protection is smaller than the policy says: for the report.
  std::function<void(const std::string&)> on_note;
};

class Watch {
 public:
  // Call it before the command runs, and after init has been cloned (sys::FolderWatch).
  // Protected names are watched from then on; the folders of `roots` from begin_roots().
  static Result<Watch> create(WatchSpec spec);
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;
  ~Watch();

  // Readable when on_readable() has work.
  int fd() const;
  Status on_readable();

  // The command has been started. A command that is over soon should not pay for a watch: at first
  // the folders are only glanced at, each `every` so often, and those are opened that are no longer
  // as the plan saw them; then all are opened, a few at a time. A glance is a stat, opening and
  // closing costs as much as five.
  struct Times {
    std::chrono::milliseconds every{40};
    int glances = 3;
  };
  Status begin_roots(Times times);
  Status begin_roots() { return begin_roots(Times()); }

  // The sandbox is gone: looks at every protected name once more, and removes what a breach left.
  // Call it at the end of every run; an error names what could not be removed or put back.
  Status settle();

 private:
  struct State;
  explicit Watch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Removes what stands at `name`, with everything below it, following no link and leaving mounts.
Status remove_tree(int folder, const std::string& name);

}  // namespace ward::confine
