// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_plan.h"

namespace ward::confine {

namespace {

// What the kernel answers to whoever tries.
std::string_view answer(Action action) {
  switch (action) {
    case Action::writable: return "-";
    case Action::read_only: return "EROFS";
    case Action::hidden: return "EACCES";
    case Action::skeleton: return "EACCES";
    case Action::pin: return "EBUSY";
  }
  return "";
}

// A path on one line, whatever bytes it has.
std::string escaped(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '\\') {
      out += c;
      continue;
    }
    out += "\\x";
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

void add_line(std::string& out, std::string_view mechanism, const std::string& subject,
              std::string_view result, std::string_view rule) {
  out.append(mechanism).append(" ").append(escaped(subject)).append(" ").append(result);
  out.append(" # ").append(escaped(rule)).append("\n");
}

void add_row(std::string& out, const PathRow& row) {
  std::string subject = row.path;
  if (row.directory && subject != "/") subject += '/';
  add_line(out, to_string(row.action), subject, answer(row.action), row.rule);
  for (const Stub& stub : row.stubs) {
    out.append("  ").append(!stub.link.empty() ? "link" : stub.revealed ? "opened" : "stub");
    out.append(" ").append(escaped(stub.name)).append(stub.directory ? "/" : "");
    if (!stub.link.empty()) out.append(" -> ").append(escaped(stub.link));
    out.append("\n");
  }
}

std::string child(const std::string& parent, const std::string& name) {
  return (parent == "/" ? "" : parent) + "/" + name;
}

}  // namespace

std::string_view to_string(Action action) {
  switch (action) {
    case Action::writable: return "writable";
    case Action::read_only: return "read-only";
    case Action::hidden: return "hidden";
    case Action::skeleton: return "skeleton";
    case Action::pin: return "pin";
  }
  return "";
}

std::string_view to_string(PlanNote::Kind kind) {
  switch (kind) {
    case PlanNote::Kind::matches_nothing: return "matches-nothing";
    case PlanNote::Kind::unresolvable: return "unresolvable";
    case PlanNote::Kind::no_effect: return "no-effect";
    case PlanNote::Kind::git: return "git";
  }
  return "";
}

std::string PathPlan::text() const {
  std::string out = "default ";
  out += default_access == policy::DefaultAccess::read ? "read\n" : "deny\n";
  for (const PathRow& row : rows) add_row(out, row);
  for (const AbsentRow& row : absent)
    add_line(out, "absent", child(row.parent, row.name), "EACCES", row.rule);
  for (const FrozenName& row : frozen)
    add_line(out, "frozen", child(row.parent, row.name), "EACCES", row.rule);
  for (const DenyGlob& glob : deny_globs) add_line(out, "glob", glob.pattern, "EACCES", glob.rule);
  for (const PlanNote& note : notes) {
    out.append("note ").append(to_string(note.kind)).append(" ").append(escaped(note.rule));
    out.append(": ").append(escaped(note.why));
    if (!note.remedy.empty()) out.append(" (").append(escaped(note.remedy)).append(")");
    out.append("\n");
  }
  return out;
}

}  // namespace ward::confine
