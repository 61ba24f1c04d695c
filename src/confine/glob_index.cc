// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/glob_index.h"

#include <dirent.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ward::confine {

namespace {

constexpr std::uint64_t kMagic = 0x31'30'58'44'49'44'52'57;  // "WRDIDX01"
constexpr std::size_t kHeaderBytes = 24;                     // magic, time of writing, devices
constexpr std::size_t kDeviceBytes = 16;
constexpr std::size_t kFolderBytes = 40;
constexpr std::size_t kMaxDevices = 65535;
constexpr std::uint16_t kTrustedFlag = 1;

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kTagBytes = 32;
constexpr const char* kKeyName = "index.key";
constexpr std::string_view kFilePrefix = "walk-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::uint64_t kSurplusAgeNs = 30ULL * 24 * 3600 * 1'000'000'000;
constexpr std::uint64_t kTemporaryAgeNs = 3600ULL * 1'000'000'000;

template <class T>
T load_number(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void store_number(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// sodium_init chooses the fast implementations; without it BLAKE2b runs at a third of the speed.
Status start_sodium() {
  if (sodium_init() < 0) return fail(ErrorKind::unsupported, "no random source for libsodium");
  return {};
}

// The name of a request's index: nobody relies on its secrecy or on collisions not being found,
// because the request is under the authentication too.
std::string file_name(std::string_view request) {
  std::array<unsigned char, 16> digest;
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(request.data()), request.size(),
                     nullptr, 0);
  std::array<char, 33> hex;
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  return std::string(kFilePrefix) + hex.data();
}

using Tag = std::array<unsigned char, kTagBytes>;

Tag authenticate(std::string_view key, std::string_view request, std::string_view body) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                          kTagBytes);
  auto add = [&](std::string_view bytes) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  };
  std::string length;
  append_number<std::uint64_t>(length, request.size());
  add("ward walk index 1");
  add(length);
  add(request);
  add(body);
  Tag tag;
  crypto_generichash_final(&state, tag.data(), tag.size());
  return tag;
}

// Only this user's own object, closed to everybody else, may be believed.
Status check_private(int fd, const std::string& what, mode_t type) {
  WARD_ASSIGN(struct stat status, sys::stat_fd(fd));
  if ((status.st_mode & S_IFMT) != type || status.st_uid != ::geteuid() ||
      (status.st_mode & 077U) != 0)
    return fail(Error(ErrorKind::denied, what + " is not this user's alone")
                    .with_remedy("remove it; it is made anew"));
  return {};
}

Result<UniqueFd> open_folder(const std::string& folder) {
  // A cache folder reached by the user's own symbolic links is fine; the object is what counts.
  WARD_ASSIGN(UniqueFd fd, sys::open_path(folder, O_RDONLY | O_DIRECTORY));
  WARD_TRY(check_private(fd.get(), folder, S_IFDIR));
  return fd;
}

Result<std::string> read_private(int folder, const std::string& name, std::uint64_t max_bytes) {
  WARD_ASSIGN(UniqueFd fd, sys::open_at(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  WARD_TRY(check_private(fd.get(), name, S_IFREG));
  WARD_ASSIGN(struct stat status, sys::stat_fd(fd.get()));
  auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_bytes) return fail(ErrorKind::exhausted, name + " is too large");
  return sys::read_whole(fd.get(), size);
}

Result<std::string> read_key(int folder) {
  WARD_ASSIGN(std::string key, read_private(folder, kKeyName, kKeyBytes));
  if (key.size() != kKeyBytes) return fail(ErrorKind::denied, "the index key was cut");
  return key;
}

Status write_private(int folder, const std::string& name, std::string_view first,
                     std::string_view second) {
  std::string temporary = name + '.' + std::to_string(::getpid()) + std::string(kTemporarySuffix);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  Result<UniqueFd> fd = sys::open_at(folder, temporary, kFlags, 0600);
  if (!fd && sys::unlink_in(folder, temporary)) fd = sys::open_at(folder, temporary, kFlags, 0600);
  if (!fd) return fail(std::move(fd).error());
  Status written = sys::write_all(fd->get(), first);
  if (written) written = sys::write_all(fd->get(), second);
  if (written) written = sys::rename_in(folder, temporary, name);
  if (!written) (void)sys::unlink_in(folder, temporary);
  return written;
}

// Removes what nobody has written for a month, temporary files of killed writers, and the oldest
// over kMaxIndexFiles.
void remove_surplus(int folder, std::uint64_t now_ns) {
  struct File {
    std::uint64_t mtime_ns;
    std::string name;
  };
  std::vector<File> files;
  std::vector<char> buffer(32U << 10U);
  Result<UniqueFd> listing = sys::open_directory(folder, ".");
  if (!listing) return;
  for (;;) {
    auto records = sys::read_directory(listing->get(), buffer);
    if (!records || records->empty()) break;
    sys::DirectoryBatch batch(*records);
    for (sys::DirectoryEntry entry; batch.next(entry);) {
      struct stat status = {};
      // A directory entry's name is terminated by a null byte in the batch.
      // NOLINTBEGIN(bugprone-suspicious-stringview-data-usage)
      if (!entry.name.starts_with(kFilePrefix) ||
          sys::stat_entry(folder, entry.name.data(), status) != 0)
        continue;
      // NOLINTEND(bugprone-suspicious-stringview-data-usage)
      std::uint64_t mtime_ns = sys::change_stamp(status).mtime_ns;
      bool temporary = entry.name.ends_with(kTemporarySuffix);
      std::uint64_t age = temporary ? kTemporaryAgeNs : kSurplusAgeNs;
      if (mtime_ns + age < now_ns)
        (void)sys::unlink_in(folder, std::string(entry.name));
      else if (!temporary)
        files.push_back({mtime_ns, std::string(entry.name)});
    }
  }
  if (files.size() <= kMaxIndexFiles) return;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.mtime_ns < b.mtime_ns; });
  for (std::size_t i = 0; i + kMaxIndexFiles < files.size(); ++i)
    (void)sys::unlink_in(folder, files[i].name);
}

}  // namespace

std::string index_folder(const std::string& home, const std::string& xdg_cache_home) {
  // The XDG base directory specification: a relative value is to be ignored.
  if (!xdg_cache_home.empty() && xdg_cache_home.front() == '/') return xdg_cache_home + "/ward";
  return home + "/.cache/ward";
}

Status WalkCache::prepare() const {
  std::size_t slash = folder_.rfind('/');
  if (folder_.empty() || folder_.front() != '/' || slash == 0)
    return fail(ErrorKind::invalid, "cache folder " + folder_ + " is not below an absolute path");
  Result<UniqueFd> folder = open_folder(folder_);
  if (!folder && folder.error().kind() == ErrorKind::not_found) {
    std::string parent = folder_.substr(0, slash);
    WARD_TRY(sys::make_dirs(parent, 0700));
    WARD_ASSIGN(struct stat status, sys::stat_at(AT_FDCWD, parent));
    // Root with a user's HOME must not leave a folder there that the user cannot use.
    if (status.st_uid != ::geteuid())
      return fail(ErrorKind::denied, parent + " belongs to another user");
    WARD_TRY(sys::make_dirs(folder_, 0700));
    folder = open_folder(folder_);
  }
  if (!folder) return fail(std::move(folder).error());
  if (Result<std::string> key = read_key(folder->get()); key) return {};
  WARD_TRY(start_sodium());
  std::array<char, kKeyBytes> key;
  randombytes_buf(key.data(), key.size());
  return write_private(folder->get(), kKeyName, {key.data(), key.size()}, {});
}

Result<std::string> WalkCache::load(std::string_view request) const {
  WARD_ASSIGN(UniqueFd folder, open_folder(folder_));
  WARD_ASSIGN(std::string bytes, read_private(folder.get(), file_name(request), kMaxIndexBytes));
  WARD_ASSIGN(std::string key, read_key(folder.get()));
  WARD_TRY(start_sodium());
  if (bytes.size() < kTagBytes) return fail(ErrorKind::denied, "the walk index was cut");
  std::string_view body = std::string_view(bytes).substr(0, bytes.size() - kTagBytes);
  Tag tag = authenticate(key, request, body);
  if (crypto_verify_32(tag.data(),
                       reinterpret_cast<const unsigned char*>(bytes.data() + body.size())) != 0)
    return fail(ErrorKind::denied, "the walk index is not authentic");
  bytes.resize(body.size());
  return bytes;
}

Status WalkCache::store(std::string_view request, std::string_view body) const {
  if (body.size() > kMaxIndexBytes - kTagBytes)
    return fail(ErrorKind::exhausted, "the walk index would be too large");
  WARD_TRY(prepare());
  WARD_TRY(start_sodium());
  WARD_ASSIGN(UniqueFd folder, open_folder(folder_));
  WARD_ASSIGN(std::string key, read_key(folder.get()));
  Tag tag = authenticate(key, request, body);
  WARD_TRY(write_private(folder.get(), file_name(request), body,
                         {reinterpret_cast<const char*>(tag.data()), tag.size()}));
  remove_surplus(folder.get(), sys::file_clock_ns());
  return {};
}

Result<IndexReader> IndexReader::open(std::string_view body, std::uint64_t now_ns) {
  auto invalid = [] { return fail(ErrorKind::invalid, "the walk index makes no sense"); };
  if (body.size() < kHeaderBytes || load_number<std::uint64_t>(body, 0) != kMagic) return invalid();
  // A clock that was set back could give a changed folder the same time again.
  if (load_number<std::uint64_t>(body, 8) > now_ns)
    return fail(ErrorKind::invalid, "the clock was set back since the walk index was written");
  auto devices = load_number<std::uint64_t>(body, 16);
  if (devices > kMaxDevices || body.size() - kHeaderBytes < devices * kDeviceBytes)
    return invalid();
  IndexReader reader;
  reader.body_ = body;
  reader.first_root_ = kHeaderBytes + static_cast<std::size_t>(devices) * kDeviceBytes;
  for (std::size_t at = kHeaderBytes; at < reader.first_root_; at += kDeviceBytes)
    reader.devices_.push_back(
        {load_number<std::uint64_t>(body, at), load_number<std::uint64_t>(body, at + 8)});
  return reader;
}

std::optional<IndexReader::Place> IndexReader::root(std::string_view path) const {
  std::size_t at = first_root_;
  while (body_.size() - at >= sizeof(std::uint32_t)) {
    auto length = load_number<std::uint32_t>(body_, at);
    at += sizeof length;
    if (body_.size() - at < length) return {};
    std::string_view found = body_.substr(at, length);
    at += length;
    Place place{at, body_.size()};
    std::optional<IndexedFolder> head = folder(place);
    if (!head) return {};
    if (found == path) return Place{at, place.end};
    at = place.end;
  }
  return {};
}

std::optional<IndexedFolder> IndexReader::folder(Place& place) const {
  if (place.end > body_.size() || place.at > place.end || place.end - place.at < kFolderBytes)
    return {};
  IndexedFolder folder;
  folder.stamp.object.inode = load_number<std::uint64_t>(body_, place.at);
  folder.stamp.mtime_ns = load_number<std::uint64_t>(body_, place.at + 8);
  folder.stamp.ctime_ns = load_number<std::uint64_t>(body_, place.at + 16);
  folder.below_bytes = load_number<std::uint32_t>(body_, place.at + 24);
  folder.names = load_number<std::uint32_t>(body_, place.at + 28);
  folder.folders = load_number<std::uint32_t>(body_, place.at + 32);
  auto device = load_number<std::uint16_t>(body_, place.at + 36);
  folder.trusted = (load_number<std::uint16_t>(body_, place.at + 38) & kTrustedFlag) != 0;
  if (device >= devices_.size())
    folder.trusted = false;
  else
    folder.stamp.object.device = devices_[device].device;
  place.at += kFolderBytes;
  if (place.end - place.at < folder.below_bytes) return {};
  place.end = place.at + folder.below_bytes;
  return folder;
}

std::optional<IndexReader::Name> IndexReader::name(Place& place) const {
  if (place.end - place.at < 2) return {};
  auto type = load_number<std::uint8_t>(body_, place.at);
  auto length = load_number<std::uint8_t>(body_, place.at + 1);
  place.at += 2;
  if (length == 0 || place.end - place.at < length) return {};
  std::string_view name = body_.substr(place.at, length);
  place.at += length;
  return Name{name, type};
}

std::optional<IndexReader::Child> IndexReader::child(Place& place) const {
  if (place.at >= place.end) return {};
  auto length = load_number<std::uint8_t>(body_, place.at);
  ++place.at;
  if (length == 0 || place.end - place.at < length) return {};
  std::string_view name = body_.substr(place.at, length);
  place.at += length;
  Place below{place.at, place.end};
  Place record = below;
  if (!folder(record)) return {};
  below.end = record.end;
  place.at = record.end;
  return Child{name, below};
}

void IndexWriter::begin_root(std::string_view path) {
  append_number(records_, static_cast<std::uint32_t>(path.size()));
  records_ += path;
}

std::uint16_t IndexWriter::device_slot(std::uint64_t device) {
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i].device == device) return static_cast<std::uint16_t>(i);
  return static_cast<std::uint16_t>(kMaxDevices);
}

void IndexWriter::add_device(std::uint64_t device, std::uint64_t file_system) {
  if (devices_.size() < kMaxDevices && device_slot(device) == kMaxDevices)
    devices_.push_back({device, file_system});
}

IndexWriter::Mark IndexWriter::begin_folder(const IndexedFolder& folder) {
  Mark mark = records_.size();
  records_.resize(mark + kFolderBytes);
  store_number(records_, mark, folder.stamp.object.inode);
  store_number(records_, mark + 8, folder.stamp.mtime_ns);
  store_number(records_, mark + 16, folder.stamp.ctime_ns);
  store_number(records_, mark + 36, device_slot(folder.stamp.object.device));
  store_number<std::uint16_t>(records_, mark + 38, folder.trusted ? kTrustedFlag : 0);
  return mark;
}

void IndexWriter::add_name(std::string_view name, std::uint8_t type) {
  append_number(records_, type);
  append_number(records_, static_cast<std::uint8_t>(name.size()));
  records_ += name;
}

IndexWriter::Mark IndexWriter::begin_child(std::string_view name) {
  Mark mark = records_.size();
  append_number(records_, static_cast<std::uint8_t>(name.size()));
  records_ += name;
  return mark;
}

void IndexWriter::end_folder(Mark mark, std::uint32_t names, std::uint32_t folders) {
  auto below = static_cast<std::uint32_t>(records_.size() - mark - kFolderBytes);
  store_number(records_, mark + 24, below);
  store_number(records_, mark + 28, names);
  store_number(records_, mark + 32, folders);
}

void IndexWriter::distrust(Mark mark) { store_number<std::uint16_t>(records_, mark + 38, 0); }

std::string IndexWriter::finish(std::uint64_t now_ns) const {
  std::string body;
  body.reserve(kHeaderBytes + devices_.size() * kDeviceBytes + records_.size());
  append_number(body, kMagic);
  append_number(body, now_ns);
  append_number<std::uint64_t>(body, devices_.size());
  for (const IndexReader::Device& device : devices_) {
    append_number(body, device.device);
    append_number(body, device.file_system);
  }
  body += records_;
  return body;
}

}  // namespace ward::confine
