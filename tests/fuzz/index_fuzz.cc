// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The walk index's reader over hostile bytes, as if they had passed authentication: it ends, and
// stays inside them.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "confine/glob_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ward::confine::IndexReader;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  auto reader = IndexReader::open(body, ~std::uint64_t{0});
  if (!reader) return 0;
  auto root = reader->root("/r");
  if (!root) return 0;
  std::vector<IndexReader::Place> open = {*root};
  while (!open.empty()) {
    IndexReader::Place at = open.back();
    open.pop_back();
    auto folder = reader->folder(at);
    bool sane = folder.has_value();
    for (std::uint32_t i = 0; sane && i < folder->names; ++i) sane = reader->name(at).has_value();
    for (std::uint32_t i = 0; sane && i < folder->folders; ++i) {
      auto child = reader->child(at);
      sane = child.has_value();
      if (sane) open.push_back(child->place);
    }
  }
  return 0;
}
