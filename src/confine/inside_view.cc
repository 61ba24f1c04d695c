// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/inside_view.h"

#include <linux/openat2.h>

#include <map>

namespace ward::confine {

namespace {

class InsideView {
 public:
  explicit InsideView(int root) : root_(root) {}

  // What stands at this absolute path inside; where nothing does, the object is left as it is: it
  // can be reached by no name then.
  Status identify(const std::string& path, sys::ObjectId& object) {
    auto known = seen_.find(path);
    if (known == seen_.end()) {
      Result<UniqueFd> fd =
          sys::open_resolved(root_, path == "/" ? "." : path.substr(1), O_PATH | O_NOFOLLOW,
                             RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
      if (!fd && fd.error().kind() == ErrorKind::not_found) return {};
      if (!fd) return fail(std::move(fd).error().with_context("look at " + path + " inside"));
      WARD_ASSIGN(struct stat status, sys::stat_fd(fd->get()));
      known = seen_.emplace(path, sys::object_id(status)).first;
    }
    object = known->second;
    return {};
  }

 private:
  int root_;
  std::map<std::string, sys::ObjectId> seen_;
};

}  // namespace

Status see_from_inside(PathPlan& plan, int root) {
  InsideView view(root);
  for (AbsentRow& row : plan.absent) WARD_TRY(view.identify(row.parent, row.parent_object));
  for (FrozenName& row : plan.frozen) {
    WARD_TRY(view.identify(row.parent, row.parent_object));
    WARD_TRY(view.identify(row.parent == "/" ? "/" + row.name : row.parent + "/" + row.name,
                           row.object));
  }
  return {};
}

}  // namespace ward::confine
