// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Denial: one act that the boundary stopped, as the report and the journal show it. The notifier
// and the watch make denials exactly, with the rule that decided; those inferred afterwards say so
// with `exact == false`. A plain value.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ward::confine {

struct Denial {
  enum class Act : std::uint8_t {
    read,     // reading a file or listing a folder
    write,    // changing what exists
    create,   // bringing a name into being
    rename,   // moving, replacing or removing a name
    connect,  // reaching a socket
    name,     // resolving a host name
    syscall,  // a call that the profile does not have
  };
  Act act = Act::read;
  std::string target;  // the path as it is inside, an address, or the name of a call
  std::string rule;    // the rule's text and origin
  std::string remedy;  // what a person can do about it; may be empty
  pid_t pid = 0;       // the caller, as the supervisor sees it; 0 where nobody in particular
  bool exact = true;   // false: inferred from the outcome
  bool operator==(const Denial&) const = default;
};

constexpr std::string_view to_string(Denial::Act act) {
  switch (act) {
    case Denial::Act::read: return "read";
    case Denial::Act::write: return "write";
    case Denial::Act::create: return "create";
    case Denial::Act::rename: return "rename";
    case Denial::Act::connect: return "connect";
    case Denial::Act::name: return "name";
    case Denial::Act::syscall: return "syscall";
  }
  return "read";
}

}  // namespace ward::confine
