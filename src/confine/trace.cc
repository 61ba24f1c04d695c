// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/trace.h"

#include <fcntl.h>

namespace ward::confine {

namespace {

struct Use {
  bool reads = false;
  bool writes = false;
  LastLink last = LastLink::follow;
  Denial::Act act = Denial::Act::write;  // of a refused write
};

Use first_use(const PathCall& call) {
  Use use;
  switch (call.kind) {
    case PathCall::Kind::open:
      use.writes = (call.flags & O_ACCMODE) != O_RDONLY || (call.flags & O_TRUNC) != 0;
      use.reads = (call.flags & O_ACCMODE) != O_WRONLY && (call.flags & O_PATH) == 0;
      if ((call.flags & (O_NOFOLLOW | O_EXCL)) != 0) use.last = LastLink::keep;
      break;
    case PathCall::Kind::execute: use.reads = true; break;
    case PathCall::Kind::change:
      use.writes = true;
      if ((call.flags & AT_SYMLINK_NOFOLLOW) != 0) use.last = LastLink::keep;
      break;
    case PathCall::Kind::rename:
    case PathCall::Kind::remove:
      use.writes = true;
      use.last = LastLink::keep;
      use.act = Denial::Act::rename;
      break;
    // These create only: what is refused there is reported by who refuses it.
    case PathCall::Kind::mkdir:
    case PathCall::Kind::mknod:
    case PathCall::Kind::link:
    case PathCall::Kind::symlink: break;
  }
  return use;
}

}  // namespace

void trace_call(const PathCall& call, CallerView& view, const CreationGuard& guard,
                const OnTrace& report) {
  if (guard.rules() == nullptr || call.first.address == 0) return;
  Use use = first_use(call);
  if (!use.reads && !use.writes) return;
  Result<std::string> path = view.path_at(call.first.address);
  if (!path) return;
  Result<Place> place = view.resolve(call.first.dirfd, *path, use.last);
  if (!place || !place->exists()) return;
  std::string target = inner_path(*place);
  if (target.empty() || target.front() != '/' || guard.in_private_folder(target)) return;
  Access access = guard.rules()->decide(target);
  if (use.reads && !access.read)
    report(Denial::Act::read, target, access.read_rule);
  else if (use.writes && !access.write)
    report(use.act, target, access.write_rule);
}

}  // namespace ward::confine
