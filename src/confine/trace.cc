// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/trace.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>

namespace ward::confine {

namespace {

struct Use {
  bool reads = false;
  bool writes = false;
  bool creates = false;  // where there is nothing yet
  LastLink last = LastLink::follow;
  Denial::Act act = Denial::Act::write;  // of a refused write
};

Use first_use(const PathCall& call) {
  Use use;
  use.creates = may_create(call);
  switch (call.kind) {
    case PathCall::Kind::open:
      use.writes = (call.flags & O_ACCMODE) != O_RDONLY || (call.flags & O_TRUNC) != 0;
      use.reads = (call.flags & O_ACCMODE) != O_WRONLY && (call.flags & O_PATH) == 0;
      if ((call.flags & (O_NOFOLLOW | O_EXCL)) != 0) use.last = LastLink::keep;
      break;
    case PathCall::Kind::execute:
    case PathCall::Kind::enter: use.reads = true; break;
    case PathCall::Kind::change:
      use.writes = true;
      if ((call.flags & AT_SYMLINK_NOFOLLOW) != 0) use.last = LastLink::keep;
      break;
    case PathCall::Kind::rename:
    case PathCall::Kind::remove:
      use.writes = true;
      use.creates = false;
      use.last = LastLink::keep;
      use.act = Denial::Act::rename;
      break;
    case PathCall::Kind::mkdir:
    case PathCall::Kind::mknod:
    case PathCall::Kind::symlink: use.last = LastLink::keep; break;
    case PathCall::Kind::link:
      use.creates = false;
      use.last = LastLink::keep;
      break;
  }
  return use;
}

// What a call is about, with the folder that holds it. `folder` is "" for what has no name.
struct Subject {
  std::string path;
  std::string folder;
  bool exists = false;
};

constexpr int kMostSteps = 256;  // components and links together

// The text of the link that `path` ends in, or "".
std::string link_text(int dirfd, const std::string& path, CallerView& view) {
  Result<Place> place = view.resolve(dirfd, path, LastLink::keep);
  if (!place || !place->exists() || !S_ISLNK(place->status.st_mode)) return "";
  Result<std::string> text = sys::readlink_at(place->object.get(), "");
  return text ? *text : "";
}

// `path` leads through a folder that may not be searched: as far as it leads, and the rest as it
// was written, or as the links on the way say.
std::optional<Subject> behind_closed_folder(int dirfd, std::string path, LastLink last,
                                            CallerView& view) {
  std::string rest;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::size_t end = path.find_last_not_of('/');
    if (end == std::string::npos) return std::nullopt;
    path.resize(end + 1);
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const bool follows = last == LastLink::follow || !rest.empty();
    std::string text = follows ? link_text(dirfd, path, view) : "";
    if (!text.empty()) {
      path = text.front() == '/' ? text : folder + "/" + text;
    } else {
      if (name == ".." || path == ".") return std::nullopt;
      if (name != ".") rest.insert(0, "/" + name);
      path = folder;
    }
    Result<Place> place = view.resolve(dirfd, path, LastLink::follow);
    if (!place || !place->exists()) continue;
    const std::string closed = inner_path(*place);
    return Subject{closed + rest, closed, rest.empty()};
  }
  return std::nullopt;
}

std::optional<Subject> subject_at(int dirfd, const std::string& path, LastLink last,
                                  CallerView& view) {
  Result<Place> place = view.resolve(dirfd, path, last);
  if (!place) {
    if (place.error().os_errno() != EACCES) return std::nullopt;
    return behind_closed_folder(dirfd, path, last, view);
  }
  return Subject{inner_path(*place), place->folder.valid() ? inner_path(place->folder.get()) : "",
                 place->exists()};
}

std::optional<Subject> subject_of(const PathCall::Target& target, LastLink last, int flags,
                                  CallerView& view) {
  std::string path;
  if (target.address != 0) {
    Result<std::string> read = view.path_at(target.address);
    if (!read) return std::nullopt;
    path = std::move(*read);
  }
  if (path.empty()) {
    const bool itself = target.address == 0 || (flags & AT_EMPTY_PATH) != 0;
    if (!itself || target.dirfd < 0) return std::nullopt;
    Result<std::string> object = view.path_of_descriptor(target.dirfd);
    if (!object) return std::nullopt;
    return Subject{*object, "", true};
  }
  return subject_at(target.dirfd, path, last, view);
}

void judge(const Subject& subject, const Use& use, const AccessRules& rules,
           const OnTrace& report) {
  if (!subject.path.starts_with('/')) return;  // a pipe, a socket, what has been removed
  if (subject.exists) {
    const Access access = rules.decide(subject.path);
    if (use.reads && !access.read)
      report(Denial::Act::read, subject.path, access.read_rule);
    else if (use.writes && !access.write)
      report(use.act, subject.path, access.write_rule);
    return;
  }
  // A name that is refused in a folder that is open is reported by who refuses it.
  if (!subject.folder.starts_with('/')) return;
  const Access around = rules.decide(subject.folder);
  if (!around.read)
    report(use.creates  ? Denial::Act::create
           : use.writes ? use.act
                        : Denial::Act::read,
           subject.path, around.read_rule);
  else if (use.creates && !around.write)
    report(Denial::Act::create, subject.path, around.write_rule);
}

constexpr Use kCreation = {.creates = true, .last = LastLink::keep, .act = Denial::Act::create};

}  // namespace

void trace_call(const PathCall& call, CallerView& view, const AccessRules* rules,
                const OnTrace& report) {
  if (rules == nullptr) return;
  const Use use = first_use(call);
  if (use.reads || use.writes || use.creates)
    if (auto subject = subject_of(call.first, use.last, call.flags, view))
      judge(*subject, use, *rules, report);
  if (call.kind != PathCall::Kind::rename && call.kind != PathCall::Kind::link) return;
  Use second = kCreation;
  if (call.kind == PathCall::Kind::rename) {
    second.writes = true;  // it replaces what is there
    second.act = Denial::Act::rename;
  }
  if (auto subject = subject_of(call.second, second.last, 0, view))
    judge(*subject, second, *rules, report);
}

std::optional<Hidden> hidden_at(const std::string& path, CallerView& view,
                                const AccessRules* rules) {
  if (rules == nullptr) return std::nullopt;
  std::optional<Subject> subject = subject_at(AT_FDCWD, path, LastLink::follow, view);
  if (!subject || !subject->path.starts_with('/')) return std::nullopt;
  const Access access = rules->decide(subject->exists ? subject->path : subject->folder);
  if (access.read) return std::nullopt;
  return Hidden{subject->path, std::string(access.read_rule)};
}

void trace_creation(const std::string& path, CallerView& view, const AccessRules* rules,
                    const OnTrace& report) {
  if (rules == nullptr) return;
  if (auto subject = subject_at(AT_FDCWD, path, LastLink::keep, view))
    judge(*subject, kCreation, *rules, report);
}

}  // namespace ward::confine
