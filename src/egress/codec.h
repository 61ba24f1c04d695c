// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Writer and Reader: the private binary form in which the supervisor and the gateway of one build
// of Ward talk. One function `fields(codec, value)` a type serves both, so that the two directions
// cannot differ. Numbers are little-endian, texts and lists carry their length; the Reader never
// reads past its end, never allocates for a length that its bytes cannot hold, and remembers the
// first failure. Values only; safe from any thread.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ward::egress {

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  template <class E>
  void enumeration(E value, E) {
    put(static_cast<std::uint8_t>(value));
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <std::integral T>
  void put(T value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, bits >>= 8U)
      bytes_.push_back(static_cast<char>(bits & 0xffU));
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class Rep, class Period>
  void put(std::chrono::duration<Rep, Period> value) {
    put(static_cast<std::int64_t>(value.count()));
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(static_cast<std::uint8_t>(value ? 1 : 0));
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& item : list) put(item);
  }
  template <class T>
    requires std::is_class_v<T>
  void put(const T& value) {
    fields(*this, value);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  // `last` is the greatest value of the type.
  template <class E>
  void enumeration(E& value, E last) {
    std::uint8_t number = 0;
    get(number);
    if (number > static_cast<std::uint8_t>(last)) good_ = false;
    if (good_) value = static_cast<E>(number);
  }
  bool good() const { return good_; }
  // Everything was read, and nothing is left.
  bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) good_ = false;
    if (!good_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <std::integral T>
  void get(T& value) {
    const std::string_view taken = bytes(sizeof(T));
    std::uint64_t bits = 0;
    for (std::size_t i = taken.size(); i > 0; --i)
      bits = (bits << 8U) | static_cast<unsigned char>(taken[i - 1]);
    value = static_cast<T>(bits);
  }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    text = bytes(size);
  }
  template <class Rep, class Period>
  void get(std::chrono::duration<Rep, Period>& value) {
    std::int64_t count = 0;
    get(count);
    value = std::chrono::duration<Rep, Period>(count);
  }
  template <class T>
  void get(std::optional<T>& value) {
    std::uint8_t there = 0;
    get(there);
    value.reset();
    if (good_ && there != 0) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& list) {
    std::uint32_t count = 0;
    get(count);
    list.clear();
    // Every item takes a byte at least.
    if (count > rest_.size()) good_ = false;
    for (std::uint32_t i = 0; good_ && i < count; ++i) get(list.emplace_back());
  }
  template <class T>
    requires std::is_class_v<T>
  void get(T& value) {
    fields(*this, value);
  }

  std::string_view rest_;
  bool good_ = true;
};

// What a fields() function takes: const for a Writer.
template <class Codec, class T>
using Coded = std::conditional_t<std::is_same_v<Codec, Writer>, const T, T>;

}  // namespace ward::egress
