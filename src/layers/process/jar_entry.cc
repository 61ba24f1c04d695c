// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/jar_entry.h"

#include <zlib.h>

#include <cstdint>

namespace ward::process {

namespace {

constexpr std::string_view kEndOfDirectory = "PK\5\6", kDirectoryEntry = "PK\1\2",
                           kLocalEntry = "PK\3\4";
constexpr std::uint32_t kStored = 0, kDeflated = 8;

tl::unexpected<Error> damaged() { return fail(ErrorKind::invalid, "the archive is damaged"); }

// A little-endian number, 0 beyond the end.
std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8U | static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]));
  return value;
}

Result<std::string> inflated(std::string_view packed, std::size_t size) {
  std::string content(size, '\0');
  z_stream stream = {};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return fail(ErrorKind::exhausted, "no memory to unpack");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int end = ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  if (end != Z_STREAM_END || stream.avail_out != 0) return damaged();
  return content;
}

}  // namespace

Result<std::string> jar_entry(std::string_view archive, std::string_view name,
                              std::size_t max_bytes) {
  const std::size_t end = archive.rfind(kEndOfDirectory);
  if (end == std::string_view::npos) return damaged();
  std::size_t at = number(archive, end + 16, 4);
  for (std::uint32_t left = number(archive, end + 10, 2); left > 0; --left) {
    if (at > archive.size() || !archive.substr(at).starts_with(kDirectoryEntry)) return damaged();
    const std::size_t name_size = number(archive, at + 28, 2);
    if (archive.substr(at).size() < 46 + name_size) return damaged();
    if (archive.substr(at + 46, name_size) != name) {
      at += 46 + name_size + number(archive, at + 30, 2) + number(archive, at + 32, 2);
      continue;
    }
    const std::uint32_t method = number(archive, at + 10, 2);
    const std::size_t packed = number(archive, at + 20, 4), size = number(archive, at + 24, 4);
    const std::size_t local = number(archive, at + 42, 4);
    if (size > max_bytes) return fail(ErrorKind::exhausted, "the entry is too large");
    if (local > archive.size() || !archive.substr(local).starts_with(kLocalEntry)) return damaged();
    const std::size_t data =
        local + 30 + number(archive, local + 26, 2) + number(archive, local + 28, 2);
    if (data > archive.size() || archive.size() - data < packed) return damaged();
    if (method == kDeflated) return inflated(archive.substr(data, packed), size);
    if (method != kStored || packed != size) return damaged();
    return std::string(archive.substr(data, size));
  }
  return fail(ErrorKind::not_found, "the archive has no " + std::string(name));
}

}  // namespace ward::process
