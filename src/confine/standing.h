// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Standing keeps the mounts of a running sandbox standing. A mount lies on an object: when a
// program outside replaces the object (an editor that saves by rename, `git config`, a shell that
// trims its history), the kernel drops the mount, and what took its place would be readable or
// writable inside. Standing watches the folders of all such objects, and where a mount is gone puts
// a new one. It also hides what a policy hides by name and did not exist at the start. Owned by the
// watch, one thread. Source: rename(2), unlink(2) in other mount namespaces (Linux 3.18).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/unique_fd.h"
#include "confine/denial.h"
#include "confine/late_mask.h"
#include "confine/path_plan.h"
#include "sys/directory.h"
#include "sys/folder_watch.h"

namespace ward::confine {

class Standing {
 public:
  using OnDenial = std::function<void(const Denial&)>;
  // `mask` and `changes` must outlive it.
  Standing(const PathPlan& plan, const LateMask& mask, const sys::FolderWatch& changes,
           OnDenial on_denial);

  // Is there anything to watch?
  bool idle() const { return rows_.empty() && awaited_.empty(); }
  // Takes up to `count` rows into the watch, opening at most `most_folders`. False: all are taken,
  // or no more can be (`bounded`).
  bool take_up(std::size_t count, std::size_t most_folders);
  bool bounded() const { return bounded_; }

  // Another folder than the plan saw is at this path: what a row says of a name in it is looked at.
  void folder_came(const std::string& path);
  // Names have come into or gone from a folder.
  void changed(int folder);
  void changed_all();

  // Is a mount of this sandbox on the path? If so, looks whether it still stands.
  bool holds(const std::string& path);
  // Is the path hidden by a mount of its own?
  bool hides(const std::string& path) const;
  // One that was put later.
  void add_hidden(const std::string& path, const std::string& rule);

 private:
  struct Row {
    std::string path, rule;
    Action action = Action::hidden;
    sys::ObjectId planned;   // what the plan saw; compared once
    sys::ChangeStamp stamp;  // of what the mount was last seen on
    bool seen = false;
  };
  struct Awaited {
    std::string there, path, rule;  // `there` exists, and leads to `path`
    Action action = Action::hidden;
    bool done = false;
  };

  int watch_folder(const std::string& path);
  void forget_folder(const std::string& path);
  void await_return(const Row& row);
  void look(Row& row);
  void advance(std::size_t index);
  void report(const Row& row, const Status& status, bool awaited);

  const LateMask& mask_;
  const sys::FolderWatch& changes_;
  OnDenial on_denial_;
  std::deque<Row> rows_;  // grows only, so that references stay
  std::vector<Awaited> awaited_;
  std::size_t next_row_ = 0, next_awaited_ = 0, most_folders_ = 0;
  std::uint64_t planned_ns_;
  bool bounded_ = false;
  std::map<std::string, UniqueFd> folders_;
  std::unordered_map<std::string, std::size_t> by_path_;
  std::unordered_multimap<int, std::size_t> rows_in_, awaited_in_;
  // Rows by the path of their folder: of the first `sorted_`.
  std::unordered_multimap<std::string, std::size_t> rows_below_;
  std::size_t sorted_ = 0;
};

}  // namespace ward::confine
