// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/caller_view.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <vector>

namespace ward::confine {

namespace {

constexpr int kMostLinks = 40;  // MAXSYMLINKS of the kernel

struct Split {
  std::string folder;  // "" for a single component; with its slash otherwise
  std::string name;    // "" for "/"
  bool trailing_slash = false;
};

Split split(const std::string& path) {
  std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return {path, "", true};
  std::size_t slash = path.rfind('/', end);
  std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return {path.substr(0, begin), path.substr(begin, end + 1 - begin), end + 1 != path.size()};
}

bool is_dots(std::string_view name) { return name.empty() || name == "." || name == ".."; }

bool on_proc(int fd) {
  struct statfs fs = {};
  return ::fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

Result<UniqueFd> duplicate(int fd) {
  int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return fail_errno(errno, "dup a folder");
  return UniqueFd(copy);
}

// Puts the components of `path` on the stack, the first on top.
void push_components(const std::string& path, std::vector<std::string>& stack) {
  std::size_t end = path.size();
  while (end > 0) {
    std::size_t slash = path.rfind('/', end - 1);
    std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    if (begin < end && path.compare(begin, end - begin, ".") != 0)
      stack.push_back(path.substr(begin, end - begin));
    if (slash == std::string::npos) break;
    end = slash;
  }
}

// A link of /proc that leads to an object rather than to a name: only following it leads there.
bool leads_to_object(const Place& link) {
  Result<UniqueFd> plain =
      sys::open_resolved(link.folder.get(), link.name, O_PATH, RESOLVE_NO_MAGICLINKS);
  return !plain && plain.error().os_errno() == ELOOP;
}

Status look_up(Place& place, int flags) {
  int fd = ::openat(place.folder.get(), place.name.c_str(), O_PATH | O_CLOEXEC | flags);
  if (fd < 0 && errno == ENOENT) return {};
  if (fd < 0) return fail_errno(errno, "look up " + place.name);
  place.object = UniqueFd(fd);
  WARD_ASSIGN(place.status, sys::stat_fd(fd));
  return {};
}

}  // namespace

std::string_view last_component(std::string_view path) {
  std::size_t end = path.find_last_not_of('/');
  if (end == std::string_view::npos) return "";
  std::size_t slash = path.rfind('/', end);
  std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  return path.substr(begin, end + 1 - begin);
}

std::string inner_path(int fd) {
  Result<std::string> path = sys::path_of_fd(fd);
  return path ? *path : "";
}

std::string inner_path(const Place& place) {
  if (!place.folder.valid()) return inner_path(place.object.get());
  std::string path = inner_path(place.folder.get());
  if (path.empty() || is_dots(place.name)) return path;
  if (path != "/") path += '/';
  return path + place.name;
}

Result<std::string> CallerView::path_at(std::uint64_t address) const {
  return sys::read_remote_path(tid_, address);
}

Result<std::string> CallerView::path_of_descriptor(int fd) const {
  WARD_ASSIGN(UniqueFd copy, sys::copy_remote_descriptor(tid_, fd));
  return inner_path(copy.get());
}

Result<sys::RemoteStatus> CallerView::status() {
  if (!status_) {
    WARD_ASSIGN(status_, sys::remote_status(tid_));
  }
  return *status_;
}

Result<int> CallerView::root() {
  if (!root_.valid()) {
    WARD_ASSIGN(root_, sys::open_remote_root(tid_));
  }
  return root_.get();
}

Result<int> CallerView::start_of(int dirfd, const std::string& path) {
  if (path.empty()) return fail_errno(ENOENT, "an empty path");
  if (path.front() == '/') return root();
  if (dirfd != AT_FDCWD) {
    WARD_ASSIGN(start_, sys::copy_remote_descriptor(tid_, dirfd));
    WARD_ASSIGN(struct stat status, sys::stat_fd(start_.get()));
    if (!S_ISDIR(status.st_mode)) return fail_errno(ENOTDIR, "a descriptor that is no folder");
    return start_.get();
  }
  if (!cwd_.valid()) {
    WARD_ASSIGN(cwd_, sys::open_remote_cwd(tid_));
  }
  return cwd_.get();
}

// One call where the way has no link that leads out of `start`, which is nearly always. A failure
// means that walk() must look.
Result<UniqueFd> CallerView::fast_folder(int start, const std::string& folder, bool absolute) {
  if (folder.empty()) return duplicate(start);
  return sys::open_resolved(
      start, folder, O_PATH | O_DIRECTORY,
      RESOLVE_NO_MAGICLINKS |
          static_cast<std::uint64_t>(absolute ? RESOLVE_IN_ROOT : RESOLVE_BENEATH));
}

Result<bool> CallerView::ends_in_link(int dirfd, const std::string& path) {
  char text[1];
  // Most creations are of a plain name in the working folder: one call.
  if (dirfd == AT_FDCWD && !path.empty() && path.find('/') == std::string::npos) {
    std::string direct = "/proc/" + std::to_string(tid_) + "/cwd/" + path;
    if (::readlink(direct.c_str(), text, sizeof text) >= 0) return true;
    if (errno == ENOENT || errno == EINVAL) return false;
  }
  WARD_ASSIGN(int start, start_of(dirfd, path));
  Split parts = split(path);
  if (is_dots(parts.name) || parts.trailing_slash) return false;
  if (parts.folder.empty()) return ::readlinkat(start, parts.name.c_str(), text, sizeof text) >= 0;
  Result<UniqueFd> folder = fast_folder(start, parts.folder, path.front() == '/');
  if (folder) return ::readlinkat(folder->get(), parts.name.c_str(), text, sizeof text) >= 0;
  WARD_ASSIGN(Place place, resolve(dirfd, path, LastLink::keep));
  return place.exists() && S_ISLNK(place.status.st_mode);
}

Result<Place> CallerView::resolve(int dirfd, const std::string& path, LastLink last) {
  WARD_ASSIGN(int start, start_of(dirfd, path));
  Split parts = split(path);
  if (parts.name.size() > NAME_MAX) return fail_errno(ENAMETOOLONG, "a name");
  if (!is_dots(parts.name)) {
    Result<UniqueFd> folder = fast_folder(start, parts.folder, path.front() == '/');
    if (folder) {
      Place place;
      place.folder = std::move(*folder);
      place.name = parts.name;
      place.trailing_slash = parts.trailing_slash;
      WARD_TRY(look_up(place, O_NOFOLLOW));
      bool link = place.exists() && S_ISLNK(place.status.st_mode);
      if (!link || last == LastLink::keep) return place;
    }
  }
  return walk(start, path, last);
}

// Component by component, as the kernel would for the caller.
Result<Place> CallerView::walk(int start, const std::string& path, LastLink last) {
  WARD_ASSIGN(int root_fd, root());
  WARD_ASSIGN(struct stat root_status, sys::stat_fd(root_fd));
  Way way;
  way.trailing_slash = path.back() == '/';
  WARD_ASSIGN(way.folder, duplicate(start));
  push_components(path, way.todo);
  while (!way.todo.empty()) {
    std::string name = std::move(way.todo.back());
    way.todo.pop_back();
    bool is_last = way.todo.empty();
    WARD_ASSIGN(struct stat here, sys::stat_fd(way.folder.get()));
    if (name == ".." && sys::object_id(here) == sys::object_id(root_status)) continue;
    Place place;
    place.name = std::move(name);
    place.trailing_slash = is_last && way.trailing_slash;
    WARD_ASSIGN(place.folder, duplicate(way.folder.get()));
    WARD_TRY(look_up(place, O_NOFOLLOW));
    if (!place.exists() && !is_last) return fail_errno(ENOENT, "a folder on the way");
    if (place.exists() && S_ISLNK(place.status.st_mode) && (!is_last || last == LastLink::follow)) {
      WARD_ASSIGN(std::optional<Place> end, follow(way, place));
      if (end) return std::move(*end);
      continue;
    }
    if (is_last) return place;
    if (!S_ISDIR(place.status.st_mode)) return fail_errno(ENOTDIR, "no folder on the way");
    way.folder = std::move(place.object);
  }
  // "/", ".", "..", or a link to one of them: the folder itself.
  Place place;
  place.folder = std::move(way.folder);
  place.name = ".";
  WARD_TRY(look_up(place, O_NOFOLLOW));
  return place;
}

// Goes on behind a link. Returns a place only where the link leads to an object without a name and
// nothing comes after it.
Result<std::optional<Place>> CallerView::follow(Way& way, const Place& link) {
  if (++way.links > kMostLinks) return fail_errno(ELOOP, "too many links");
  bool is_last = way.todo.empty();
  std::string text;
  if (on_proc(link.object.get())) {
    // /proc/self is about whoever reads it, so its text is made for the caller.
    WARD_ASSIGN(sys::RemoteStatus ids, status());
    if (link.name == "self") text = std::to_string(ids.inner_process);
    if (link.name == "thread-self")
      text = std::to_string(ids.inner_process) + "/task/" + std::to_string(ids.inner_thread);
    if (text.empty() && leads_to_object(link)) {
      WARD_ASSIGN(UniqueFd object, sys::open_at(link.folder.get(), link.name, O_PATH));
      WARD_ASSIGN(struct stat status, sys::stat_fd(object.get()));
      if (is_last) {
        Place end;
        end.object = std::move(object);
        end.status = status;
        end.trailing_slash = way.trailing_slash;
        return std::optional<Place>(std::move(end));
      }
      if (!S_ISDIR(status.st_mode)) return fail_errno(ENOTDIR, "no folder on the way");
      way.folder = std::move(object);
      return std::optional<Place>();
    }
  }
  if (text.empty()) {
    WARD_ASSIGN(text, sys::readlink_at(link.folder.get(), link.name));
  }
  if (text.empty()) return fail_errno(ENOENT, "an empty link");
  if (is_last && text.back() == '/') way.trailing_slash = true;
  if (text.front() == '/') {
    WARD_ASSIGN(int root_fd, root());
    WARD_ASSIGN(way.folder, duplicate(root_fd));
  }
  push_components(text, way.todo);
  return std::optional<Place>();
}

}  // namespace ward::confine
