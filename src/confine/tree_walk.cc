// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/tree_walk.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "confine/glob_index.h"
#include "confine/walk_devices.h"
#include "confine/walk_marks.h"
#include "sys/directory.h"

namespace ward::confine {

namespace {

constexpr std::size_t kBufferBytes = 256U << 10U;
constexpr std::size_t kMaxIndexedName = 255;  // NAME_MAX; FUSE allows more
// From this extent on, a folder of the index is opened to shorten the paths of what is below it.
constexpr std::uint32_t kHandleWorthBytes = 1500;
// Smaller trees are read faster than an index is loaded.
constexpr std::size_t kMinIndexedFolders = 64;

// A folder that changed shortly before it was read may change again within the same tick of the
// clock, leaving its times as they are. Such a folder is not believed. Whole seconds are the mark
// of a file system that stores no finer time (ext3, small ext4 inodes).
constexpr std::uint64_t kFineTickNs = 50'000'000;
constexpr std::uint64_t kCoarseTickNs = 2'500'000'000;

class Walker {
 public:
  explicit Walker(const WalkRequest& request)
      : request_(request),
        globs_(request.globs != nullptr ? *request.globs : no_globs_),
        stepper_(globs_),
        buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)),
        clock_ns_(request.clock_ns()) {
    for (const sys::ObjectId& object : request.aliases_of) alias_inodes_.insert(object.inode);
  }

  Status run(const WalkCache* cache);
  WalkResult take_result() { return std::move(result_); }

 private:
  // Where relative paths start: `fd`, standing for path_[0, offset).
  struct Base {
    int fd;
    std::size_t offset;
  };
  using Place = IndexReader::Place;

  struct Visit {
    Base base;
    policy::GlobStepper::State state = 0;
    WalkWants wants;
    std::span<PathMark> marks;  // strictly below this folder
    std::size_t depth = 0;
    std::uint64_t parent_device = 0;
    std::optional<Place> indexed;
  };
  struct Child {
    std::size_t name_at;
    std::size_t name_size;
  };

  std::string request_bytes() const;
  void load_index(const WalkCache& cache);
  void store_index(const WalkCache& cache);
  Status walk_root(PathMark& root);

  // Each writes the folder's record to the writer, unless the folder is gone.
  enum class Found : std::uint8_t { kept, skipped, gone };
  Result<Found> visit(const Visit& folder);
  Result<std::optional<Found>> visit_indexed(const Visit& folder);
  Result<Found> visit_by_reading(const Visit& folder);
  Result<Found> visit_child(const Visit& parent, Base base, std::string_view name,
                            std::uint64_t device, std::optional<Place> indexed);
  std::unordered_map<std::string_view, Place> indexed_children(const Visit& folder) const;

  // How one folder's record turns out.
  struct Record {
    std::uint32_t names = 0;
    std::uint32_t folders = 0;
    bool trusted = true;
  };
  void end_record(IndexWriter::Mark mark, const Record& record);
  Status read_names(const Visit& folder, Base base, Record& record);
  struct Entry {
    std::string_view name;
    std::uint64_t inode = 0;
    std::uint8_t type = 0;
    bool interesting = false;  // the index has to keep the name
    bool descend = false;      // a folder to be visited
  };
  Status take_entry(const Visit& folder, Base base, Entry& entry);
  int stat_name(Base base, std::string_view name, struct stat& status);
  void note_unindexed_record();

  const char* relative(const Base& base) const {
    if (base.offset < path_.size()) return path_.c_str() + base.offset;
    return base.fd == AT_FDCWD ? "/" : "";
  }
  Result<WalkDevice> device(std::uint64_t number, const Base& base);
  bool enter_device(const Visit& folder, const WalkDevice& device);
  bool index_knows(const WalkDevice& device) const;
  void note_unreadable(const Base& base, int error);
  Status bound(std::size_t count, std::size_t limit, const char* what) const;
  std::string shown_path() const { return path_.empty() ? "/" : path_; }

  const WalkRequest& request_;
  const policy::GlobSet no_globs_;
  const policy::GlobSet& globs_;
  policy::GlobStepper stepper_;
  WalkMarks marks_;
  std::unordered_set<std::uint64_t> alias_inodes_;
  WalkResult result_;

  std::string path_;  // of the folder at hand, without a slash at the end; "" is the root
  std::unique_ptr<char[]> buffer_;  // not cleared: small trees touch little of it
  std::vector<std::uint32_t> hits_;
  std::string child_names_;  // stacks of the folders being visited
  std::vector<Child> children_;

  std::uint64_t clock_ns_;  // before anything was read
  WalkDevices devices_;
  std::string index_body_;
  std::optional<IndexReader> index_;
  IndexWriter writer_;
  std::uint64_t reread_cost_ns_ = 0;
};

Status Walker::bound(std::size_t count, std::size_t limit, const char* what) const {
  if (count <= limit) return {};
  return fail(Error(ErrorKind::exhausted, "more than " + std::to_string(limit) + ' ' + what +
                                              " to search for wildcard rules, at " + shown_path())
                  .with_remedy("narrow the rules with `**` or deny this folder as a whole"));
}

// Everything the answer depends on besides the file system. Two requests with equal bytes may share
// an index; two others never do.
std::string Walker::request_bytes() const {
  std::string bytes = "1 " + std::to_string(::geteuid());
  auto add = [&](char kind, std::string_view text) {
    bytes += kind;
    bytes += std::to_string(text.size());
    bytes += ':';
    bytes += text;
  };
  for (const PathMark& mark : marks_.all()) {
    add('m', mark.path);
    bytes += mark.prune ? 'p' : '-';
    if (!mark.root) continue;
    bytes += 'r';
    bytes += mark.root->git ? 'g' : '-';
    bytes += mark.root->sockets ? 's' : '-';
  }
  for (std::size_t i = 0; i < globs_.size(); ++i) {
    add('g', globs_[i].pattern());
    bytes += i < request_.at_match.size() && request_.at_match[i] == AtMatch::descend ? 'd' : 's';
  }
  return bytes;
}

Result<WalkDevice> Walker::device(std::uint64_t number, const Base& base) {
  Result<WalkDevice> found = devices_.find(number, base.fd, relative(base));
  if (found) writer_.add_device(number, found->file_system);
  return found;
}

// Whether the index was written against the same file system: device numbers are given out again.
bool Walker::index_knows(const WalkDevice& device) const {
  const auto& known = index_->devices();
  return std::any_of(known.begin(), known.end(), [&](const IndexReader::Device& one) {
    return one.device == device.number && one.file_system == device.file_system;
  });
}

// False at a mount of a kernel file system.
bool Walker::enter_device(const Visit& folder, const WalkDevice& device) {
  if (device.number == folder.parent_device || !device.kernel) return true;
  result_.kernel_trees.push_back(shown_path());
  note_unindexed_record();
  return false;
}

// Keeps the folder's place in its parent's record, to be looked at anew the next time.
void Walker::note_unindexed_record() {
  auto mark = writer_.begin_folder({});
  writer_.end_folder(mark, 0, 0);
}

void Walker::note_unreadable(const Base& base, int error) {
  struct stat status = {};
  Unreadable found;
  const std::string whole = path_;
  int stat_error = sys::stat_entry(base.fd, relative(base), status);
  if (stat_error == EACCES && !path_.empty()) {
    // It is the parent that lists its names but does not let them be reached.
    path_.resize(path_.rfind('/'));
    stat_error = sys::stat_entry(base.fd, relative(base), status);
  } else {
    found.searchable = sys::may_search(base.fd, relative(base));
  }
  found.path = shown_path();
  found.owned = stat_error == 0 && status.st_uid == ::geteuid();
  found.broken = error != EACCES && error != EPERM;
  path_ = whole;
  result_.unreadable.push_back(std::move(found));
}

Result<Walker::Found> Walker::visit(const Visit& folder) {
  WARD_TRY(bound(folder.depth, kMaxWalkDepth, "nested folders"));
  ++result_.stats.folders;
  if (folder.indexed) {
    WARD_ASSIGN(std::optional<Found> found, visit_indexed(folder));
    if (found) return *found;
  }
  return visit_by_reading(folder);
}

void Walker::end_record(IndexWriter::Mark mark, const Record& record) {
  writer_.end_folder(mark, record.names, record.folders);
  if (!record.trusted) writer_.distrust(mark);
}

// Answers from the index where the folder is as it was; nothing where it has to be read.
Result<std::optional<Walker::Found>> Walker::visit_indexed(const Visit& folder) {
  Place place = *folder.indexed;
  std::optional<IndexedFolder> indexed = index_->folder(place);
  if (!indexed || !indexed->trusted) return std::nullopt;
  struct stat status = {};
  if (sys::stat_entry(folder.base.fd, relative(folder.base), status) != 0) return std::nullopt;
  if (!S_ISDIR(status.st_mode) || sys::change_stamp(status) != indexed->stamp) return std::nullopt;
  Result<WalkDevice> on = device(status.st_dev, folder.base);
  if (!on || !on->indexable || !index_knows(*on)) return std::nullopt;
  if (!enter_device(folder, *on)) return Found::kept;

  IndexWriter::Mark mark = writer_.begin_folder(*indexed);
  if (folder.wants.folders) result_.folders.add(path_, indexed->stamp);
  UniqueFd handle;
  Base base = folder.base;
  if (indexed->below_bytes > kHandleWorthBytes) {
    // What is found below is compared with its own stamp, so it does not matter here whether this
    // is still the folder whose stamp was just read.
    Result<UniqueFd> opened = sys::open_directory_handle(base.fd, relative(base));
    if (opened) {
      handle = std::move(*opened);
      base = {handle.get(), path_.size() + 1};
    }
  }
  Record record;
  for (; record.names < indexed->names; ++record.names) {
    std::optional<IndexReader::Name> name = index_->name(place);
    if (!name) return fail(ErrorKind::bug, "an authentic walk index makes no sense");
    Entry entry{name->name, 0, name->type};
    WARD_TRY(take_entry(folder, base, entry));
    writer_.add_name(name->name, name->type);
  }
  for (std::uint32_t i = 0; i < indexed->folders; ++i) {
    std::optional<IndexReader::Child> child = index_->child(place);
    if (!child) return fail(ErrorKind::bug, "an authentic walk index makes no sense");
    WARD_ASSIGN(Found found, visit_child(folder, base, child->name, status.st_dev, child->place));
    if (found == Found::kept) ++record.folders;
    // Somebody moves things right now: what is missing here may come back with the same stamp.
    if (found == Found::gone) record.trusted = false;
  }
  end_record(mark, record);
  return Found::kept;
}

Result<Walker::Found> Walker::visit_child(const Visit& parent, Base base, std::string_view name,
                                          std::uint64_t device, std::optional<Place> indexed) {
  std::size_t length = path_.size();
  path_ += '/';
  path_ += name;
  Visit child;
  child.base = base;
  child.wants = parent.wants;
  child.depth = parent.depth + 1;
  child.parent_device = device;
  child.indexed = indexed;
  bool skip = false;
  if (!parent.marks.empty()) {
    if (PathMark* mark = WalkMarks::at(parent.marks, path_)) {
      skip = mark->prune;
      if (mark->root && !skip) {
        mark->visited = true;
        child.wants = {child.wants.git || mark->root->git,
                       child.wants.sockets || mark->root->sockets,
                       child.wants.folders || mark->root->folders};
      }
    }
    child.marks = WalkMarks::below(parent.marks, path_);
  }
  if (!skip) {
    WARD_ASSIGN(child.state, stepper_.enter(parent.state, name));
    bool roots_below = std::any_of(child.marks.begin(), child.marks.end(),
                                   [](const PathMark& mark) { return mark.root.has_value(); });
    skip = child.state == policy::GlobStepper::kNothingBelow && child.wants == WalkWants{} &&
           alias_inodes_.empty() && !roots_below;
  }
  Found found = Found::skipped;
  if (!skip) {
    IndexWriter::Mark mark = writer_.begin_child(name.substr(0, kMaxIndexedName));
    WARD_ASSIGN(found, visit(child));
    if (found == Found::kept && name.size() > kMaxIndexedName) found = Found::skipped;
    if (found != Found::kept) writer_.take_back(mark);
  }
  path_.resize(length);
  return found;
}

int Walker::stat_name(Base base, std::string_view name, struct stat& status) {
  std::size_t length = path_.size();
  path_ += '/';
  path_ += name;
  int error = sys::stat_entry(base.fd, relative(base), status);
  if (error == EACCES) note_unreadable(base, error);
  path_.resize(length);
  return error;
}

// Reports the entry where it is asked for, and sets what is to be done with it.
Status Walker::take_entry(const Visit& folder, Base base, Entry& entry) {
  bool matched = stepper_.match(folder.state, entry.name, hits_);
  bool git = folder.wants.git && entry.name == ".git";
  bool alias = !alias_inodes_.empty() && alias_inodes_.contains(entry.inode);
  struct stat status = {};
  bool known = false;
  if (matched || alias || entry.type == DT_UNKNOWN) {
    known = stat_name(base, entry.name, status) == 0;
    if (known) entry.type = static_cast<std::uint8_t>(IFTODT(status.st_mode));
  }
  bool socket = folder.wants.sockets && entry.type == DT_SOCK;
  entry.interesting = matched || git || socket;
  entry.descend = entry.type == DT_DIR;
  if (!entry.interesting && !alias) return {};

  std::string full_path = path_ + '/' + std::string(entry.name);
  for (std::uint32_t glob : hits_) {
    bool stops = glob >= request_.at_match.size() || request_.at_match[glob] == AtMatch::stop;
    if (stops) entry.descend = false;
    if (known)
      result_.matches.push_back({full_path, glob, S_ISDIR(status.st_mode), S_ISLNK(status.st_mode),
                                 sys::object_id(status), status.st_nlink});
  }
  WARD_TRY(bound(result_.matches.size(), kMaxWalkMatches, "matches"));
  if (git) {
    using Type = GitEntry::Type;
    result_.git.push_back({full_path, entry.type == DT_DIR   ? Type::directory
                                      : entry.type == DT_REG ? Type::file
                                      : entry.type == DT_LNK ? Type::symlink
                                                             : Type::other});
  }
  if (socket) result_.sockets.push_back(full_path);
  if (alias && known) {
    sys::ObjectId object = sys::object_id(status);
    if (std::find(request_.aliases_of.begin(), request_.aliases_of.end(), object) !=
        request_.aliases_of.end())
      result_.aliases.push_back({std::move(full_path), object});
  }
  return {};
}

Status Walker::read_names(const Visit& folder, Base base, Record& record) {
  for (;;) {
    Result<std::span<const char>> records =
        sys::read_directory(base.fd, {buffer_.get(), kBufferBytes});
    if (!records) {
      // Removed meanwhile, or a broken medium; either way these names are not the whole.
      record.trusted = false;
      int error = records.error().os_errno();
      if (error != ENOENT) note_unreadable({base.fd, path_.size()}, error);
      return {};
    }
    if (records->empty()) return {};
    sys::DirectoryBatch batch(*records);
    for (sys::DirectoryEntry raw; batch.next(raw);) {
      ++result_.stats.entries;
      reread_cost_ns_ += 100;
      Entry entry{raw.name, raw.inode, raw.type};
      WARD_TRY(take_entry(folder, base, entry));
      bool fits = entry.name.size() <= kMaxIndexedName;
      if (entry.interesting && fits) {
        writer_.add_name(entry.name, entry.type);
        ++record.names;
      }
      if (!fits && (entry.interesting || entry.descend)) record.trusted = false;
      if (entry.descend) {
        children_.push_back({child_names_.size(), entry.name.size()});
        child_names_ += entry.name;
      }
    }
    WARD_TRY(bound(result_.stats.entries, request_.max_entries, "entries"));
  }
}

std::unordered_map<std::string_view, Walker::Place> Walker::indexed_children(
    const Visit& folder) const {
  std::unordered_map<std::string_view, Place> children;
  if (!folder.indexed) return children;
  Place place = *folder.indexed;
  std::optional<IndexedFolder> old = index_->folder(place);
  if (!old) return children;
  for (std::uint32_t i = 0; i < old->names; ++i)
    if (!index_->name(place)) return children;
  for (std::uint32_t i = 0; i < old->folders; ++i) {
    std::optional<IndexReader::Child> child = index_->child(place);
    if (!child) return children;
    children.emplace(child->name, child->place);
  }
  return children;
}

Result<Walker::Found> Walker::visit_by_reading(const Visit& folder) {
  Result<UniqueFd> opened = sys::open_directory(folder.base.fd, relative(folder.base));
  if (!opened) {
    int error = opened.error().os_errno();
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) return Found::gone;
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
      return fail(std::move(opened).error());
    note_unreadable(folder.base, error);
    note_unindexed_record();
    return Found::kept;
  }
  // The stamp is taken before the names are read: a change meanwhile then differs from it.
  WARD_ASSIGN(struct stat status, sys::stat_fd(opened->get()));
  Base base{opened->get(), path_.size() + 1};
  WARD_ASSIGN(WalkDevice on, device(status.st_dev, {opened->get(), path_.size()}));
  if (!enter_device(folder, on)) return Found::kept;
  ++result_.stats.folders_read;
  reread_cost_ns_ += 4000;

  IndexedFolder head;
  head.stamp = sys::change_stamp(status);
  const std::uint64_t tick_ns = status.st_ctim.tv_nsec == 0 ? kCoarseTickNs : kFineTickNs;
  const bool settled = head.stamp.ctime_ns < clock_ns_ && clock_ns_ - head.stamp.ctime_ns > tick_ns;
  head.trusted = on.indexable && settled;
  IndexWriter::Mark mark = writer_.begin_folder(head);
  if (folder.wants.folders)
    result_.folders.add(path_, head.trusted ? head.stamp : sys::ChangeStamp{});

  const std::size_t names_begin = child_names_.size(), children_begin = children_.size();
  Record record;
  record.trusted = head.trusted;
  WARD_TRY(read_names(folder, base, record));

  std::unordered_map<std::string_view, Place> known;
  if (children_.size() > children_begin) known = indexed_children(folder);
  for (std::size_t i = children_begin; i < children_.size(); ++i) {
    // By value: the stacks move as they grow.
    std::string name = child_names_.substr(children_[i].name_at, children_[i].name_size);
    std::optional<Place> indexed;
    if (auto found = known.find(name); found != known.end()) indexed = found->second;
    WARD_ASSIGN(Found found, visit_child(folder, base, name, status.st_dev, indexed));
    if (found == Found::kept) ++record.folders;
    if (found == Found::gone) record.trusted = false;
  }
  child_names_.resize(names_begin);
  children_.resize(children_begin);
  end_record(mark, record);
  return Found::kept;
}

Status Walker::walk_root(PathMark& root) {
  root.visited = true;
  path_ = root.path;
  Visit visit_root;
  visit_root.base = {AT_FDCWD, 0};
  visit_root.wants = *root.root;
  visit_root.marks = WalkMarks::below(marks_.all(), path_);
  WARD_ASSIGN(visit_root.state, stepper_.enter_path(path_));
  if (index_) visit_root.indexed = index_->root(path_);
  // The root itself is an entry of its parent, which is not walked.
  if (std::size_t slash = path_.rfind('/'); slash != std::string::npos) {
    Visit parent;
    parent.wants.git = visit_root.wants.git;
    const std::string whole = path_;
    path_.resize(slash);
    WARD_ASSIGN(parent.state, stepper_.enter_path(path_));
    Entry entry{std::string_view(whole).substr(slash + 1), 0, DT_UNKNOWN};
    WARD_TRY(take_entry(parent, visit_root.base, entry));
    path_ = whole;
    if (entry.interesting && !entry.descend) return {};
  }
  IndexWriter::Mark mark = writer_.size();
  writer_.begin_root(path_);
  WARD_ASSIGN(Found found, visit(visit_root));
  if (found != Found::kept) {
    writer_.take_back(mark);
    result_.missing_roots.push_back(shown_path());
  }
  return {};
}

void Walker::load_index(const WalkCache& cache) {
  Result<std::string> body = cache.load(request_bytes());
  if (!body) {
    if (body.error().kind() != ErrorKind::not_found)
      result_.stats.cache_note = body.error().message();
    return;
  }
  index_body_ = std::move(*body);
  Result<IndexReader> reader = IndexReader::open(index_body_, clock_ns_);
  if (!reader) {
    result_.stats.cache_note = reader.error().message();
    return;
  }
  index_ = std::move(*reader);
  result_.stats.cache_used = true;
}

void Walker::store_index(const WalkCache& cache) {
  if (result_.stats.folders < kMinIndexedFolders) return;
  // Where re-reading what changed is cheap, so is doing it again the next time: writing waits until
  // it would have paid after a few runs.
  const std::uint64_t write_cost_ns = 200'000 + 3 * writer_.size();
  if (index_ && reread_cost_ns_ * 4 < write_cost_ns) return;
  Status stored = cache.store(request_bytes(), writer_.finish(request_.clock_ns()));
  result_.stats.cache_written = stored.has_value();
  if (!stored) result_.stats.cache_note = stored.error().message();
}

Status Walker::run(const WalkCache* cache) {
  marks_ = WalkMarks(request_, cache != nullptr ? cache->folder() : "");
  if (cache != nullptr && !request_.aliases_of.empty()) cache = nullptr;
  if (cache != nullptr) load_index(*cache);
  for (PathMark& mark : marks_.all())
    if (mark.root && !mark.visited && !mark.prune) WARD_TRY(walk_root(mark));
  if (cache != nullptr) store_index(*cache);
  std::sort(result_.matches.begin(), result_.matches.end());
  std::sort(result_.git.begin(), result_.git.end());
  std::sort(result_.sockets.begin(), result_.sockets.end());
  std::sort(result_.aliases.begin(), result_.aliases.end());
  std::sort(result_.unreadable.begin(), result_.unreadable.end());
  auto repeated = std::unique(result_.unreadable.begin(), result_.unreadable.end(),
                              [](const auto& a, const auto& b) { return a.path == b.path; });
  result_.unreadable.erase(repeated, result_.unreadable.end());
  std::sort(result_.kernel_trees.begin(), result_.kernel_trees.end());
  return {};
}

}  // namespace

Result<WalkResult> walk_tree(const WalkRequest& request, const WalkCache* cache) {
  for (const WalkRoot& root : request.roots)
    if (root.path.empty() || root.path.front() != '/')
      return fail(ErrorKind::invalid, "root " + root.path + " is not absolute");
  Walker walker(request);
  WARD_TRY(in_context(walker.run(cache), "search the folders of the policy"));
  return walker.take_result();
}

}  // namespace ward::confine
