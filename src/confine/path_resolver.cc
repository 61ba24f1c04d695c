// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_resolver.h"

#include <cerrno>

#include "sys/directory.h"

namespace ward::confine {

namespace {

PathNode node_of(const struct stat& status) {
  PathNode node;
  node.kind = S_ISDIR(status.st_mode)   ? PathNode::Kind::directory
              : S_ISLNK(status.st_mode) ? PathNode::Kind::symlink
                                        : PathNode::Kind::file;
  node.object = sys::object_id(status);
  node.links = status.st_nlink;
  return node;
}

// Puts the components of `path` in front of what is still to do; the next one is the last element.
void push_components(std::vector<std::string>& todo, std::string_view path) {
  std::size_t end = path.size();
  while (end > 0) {
    std::size_t slash = path.rfind('/', end - 1);
    std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    if (begin < end) todo.emplace_back(path.substr(begin, end - begin));
    end = slash == std::string_view::npos ? 0 : slash;
  }
}

}  // namespace

std::string join_path(std::string_view folder, std::string_view name) {
  std::string path;
  path.reserve(folder.size() + name.size() + 1);
  if (folder != "/") path += folder;
  path += '/';
  path += name;
  return path;
}

std::string_view parent_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.substr(0, folder.size()) == folder &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

const PathNode& PathResolver::look(const std::string& path) {
  auto [found, fresh] = seen_.try_emplace(path);
  PathNode& node = found->second;
  if (!fresh) return node;
  // A folder is worth a descriptor from the second name on that is asked for in it.
  std::string_view folder = parent_of(path);
  if (folder_path_ != folder) {
    folder_path_ = folder;
    folder_.reset();
  } else if (!folder_.valid()) {
    auto opened = sys::open_path(folder_path_, O_PATH | O_DIRECTORY);
    if (opened) folder_ = std::move(*opened);
  }
  struct stat status = {};
  // Most of the names that are asked for are not there: no error is made of it.
  const int error = folder_.valid() && path != "/"
                        ? sys::stat_entry(folder_.get(), path.c_str() + path.rfind('/') + 1, status)
                        : sys::stat_entry(AT_FDCWD, path.c_str(), status);
  if (error != 0) {
    node.kind = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG
                    ? PathNode::Kind::absent
                    : PathNode::Kind::blocked;
    return node;
  }
  node = node_of(status);
  if (node.kind == PathNode::Kind::symlink) {
    auto target = sys::readlink_at(AT_FDCWD, path);
    if (target && !target->empty())
      node.target = std::move(*target);
    else
      node.kind = PathNode::Kind::blocked;
  }
  return node;
}

// A folder that was seen is canonical; most paths lie in one, and are no link themselves.
bool PathResolver::resolve_in_seen(const std::string& path, Resolution& out) {
  auto folder = seen_.find(std::string(parent_of(path)));
  if (folder == seen_.end() || folder->second.kind != PathNode::Kind::directory) return false;
  std::string_view name = name_of(path);
  if (name.empty() || name == "." || name == "..") return false;
  const std::string& folder_path = folder->first;  // stays, as its node does
  const sys::ObjectId folder_object = folder->second.object;
  const PathNode& node = look(path);
  if (node.kind == PathNode::Kind::directory || node.kind == PathNode::Kind::file) {
    out.end = Resolution::End::found;
    out.node = node;
  } else if (node.kind == PathNode::Kind::absent) {
    out.end = Resolution::End::absent;
    out.last = folder_path;
    out.last_object = folder_object;
    out.missing = name;
  } else {
    return false;
  }
  out.path = path;
  return true;
}

Resolution PathResolver::resolve(const std::string& path) {
  Resolution out;
  if (resolve_in_seen(path, out)) return out;
  std::vector<std::string> todo;
  push_components(todo, path);
  std::string here = "/";
  const PathNode* at = &look(here);
  while (!todo.empty()) {
    std::string name = std::move(todo.back());
    todo.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      here = parent_of(here);
      at = &look(here);
      continue;
    }
    std::string next = join_path(here, name);
    if (at->kind == PathNode::Kind::file) {
      out.end = Resolution::End::through;
    } else {
      const PathNode& node = look(next);
      if (node.kind == PathNode::Kind::symlink) {
        out.links.push_back(next);
        if (out.links.size() > kMaxLinks) {
          out.end = Resolution::End::looping;
          out.path = std::move(next);
          return out;
        }
        push_components(todo, node.target);
        if (node.target.front() == '/') {
          here = "/";
          at = &look(here);
        }
        continue;
      }
      if (node.kind == PathNode::Kind::directory || node.kind == PathNode::Kind::file) {
        here = std::move(next);
        at = &node;
        continue;
      }
      out.end =
          node.kind == PathNode::Kind::blocked ? Resolution::End::blocked : Resolution::End::absent;
    }
    // The way ends here. What is left is appended as it is written.
    out.last = std::move(here);
    out.last_object = at->object;
    out.missing = std::move(name);
    out.path = std::move(next);
    for (; !todo.empty(); todo.pop_back()) {
      if (todo.back() == "..")
        out.path = parent_of(out.path);
      else if (todo.back() != ".")
        out.path = join_path(out.path, todo.back());
    }
    return out;
  }
  out.end = Resolution::End::found;
  out.path = std::move(here);
  out.node = *at;
  return out;
}

}  // namespace ward::confine
