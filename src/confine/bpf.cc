// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/bpf.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>

namespace ward::confine {

namespace {

using Code = std::vector<struct sock_filter>;

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the system call table knows x86_64 and aarch64"
#endif
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half of an argument comes first");

constexpr std::uint32_t kOffsetNumber = offsetof(struct seccomp_data, nr);
constexpr std::uint32_t kOffsetArchitecture = offsetof(struct seccomp_data, arch);
constexpr std::uint32_t kOffsetArguments = offsetof(struct seccomp_data, args);

struct sock_filter statement(unsigned code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}

struct sock_filter jump(unsigned code, std::uint32_t k, std::size_t if_true, std::size_t if_false) {
  return {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
          static_cast<std::uint8_t>(if_false), k};
}

struct sock_filter load(std::uint32_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, offset);
}
struct sock_filter answer(std::uint32_t value) {
  return statement(BPF_RET | BPF_K, value);
}

std::uint32_t answer_of(const SyscallRow& row) {
  switch (row.action) {
    case SyscallAction::allow: return SECCOMP_RET_ALLOW;
    case SyscallAction::notify: return SECCOMP_RET_USER_NOTIF;
    case SyscallAction::deny: break;
  }
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(row.error);
}

bool counts(const SyscallRow& row, const FilterOptions& options) {
  switch (row.group) {
    case RowGroup::always: return true;
    case RowGroup::isolating: return !options.nested_namespaces;
    case RowGroup::strict: return options.profile == policy::SyscallProfile::strict;
    case RowGroup::creations: return options.creations;
    case RowGroup::removals: return options.removals;
    case RowGroup::connections: return options.connections;
    case RowGroup::trace: return options.trace;
  }
  return true;
}

// The instructions of one test, without where its branches lead: two or three, the last the branch.
Code test_code(const ArgTest& test) {
  Code code = {load(kOffsetArguments + test.argument * 8U)};
  if (test.op == ArgTest::Op::any_of) {
    code.push_back(jump(BPF_JMP | BPF_JSET | BPF_K, test.mask, 0, 0));
    return code;
  }
  if (test.mask != 0xffffffffU) code.push_back(statement(BPF_ALU | BPF_AND | BPF_K, test.mask));
  code.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, test.value, 0, 0));
  return code;
}

// One row: its tests, each leading past the row where it fails, then the answer.
void append_row(const SyscallRow& row, Code& out) {
  std::vector<Code> tests;
  std::size_t left = 1;  // instructions up to and with the answer
  for (const ArgTest& test : row.tests) {
    if (test.op == ArgTest::Op::none) continue;
    tests.push_back(test_code(test));
    left += tests.back().size();
  }
  std::size_t index = 0;
  for (const ArgTest& test : row.tests) {
    if (test.op == ArgTest::Op::none) continue;
    Code& code = tests[index++];
    left -= code.size();
    struct sock_filter& branch = code.back();
    auto past = static_cast<std::uint8_t>(left);
    (test.op == ArgTest::Op::differs ? branch.jt : branch.jf) = past;
    out.insert(out.end(), code.begin(), code.end());
  }
  out.push_back(answer(answer_of(row)));
}

// Numbers from `first` up to the next segment's share this code.
struct Segment {
  std::uint32_t first = 0;
  Code code;
};

Code search(std::span<const Segment> segments) {
  if (segments.size() == 1) return segments[0].code;
  std::size_t half = segments.size() / 2;
  Code low = search(segments.first(half));
  Code high = search(segments.subspan(half));
  Code out;
  constexpr std::size_t kFar = 255;  // a branch's reach; a plain jump has no such bound
  if (low.size() <= kFar) {
    out.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, segments[half].first, low.size(), 0));
  } else {
    out.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, segments[half].first, 0, 1));
    out.push_back(statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(low.size())));
  }
  out.insert(out.end(), low.begin(), low.end());
  out.insert(out.end(), high.begin(), high.end());
  return out;
}

bool has_tests(const SyscallRow& row) { return row.tests[0].op != ArgTest::Op::none; }

std::vector<Segment> segments_of(std::span<const SyscallRow> rows, const FilterOptions& options,
                                 std::uint32_t highest_known) {
  std::map<std::uint32_t, Code> special;
  std::map<std::uint32_t, bool> decided;  // a row without tests ends its call's list
  for (const SyscallRow& row : rows) {
    auto number = static_cast<std::uint32_t>(row.number);
    if (!counts(row, options) || decided[number]) continue;
    append_row(row, special[number]);
    decided[number] = !has_tests(row);
  }
  for (auto& [number, code] : special)
    if (!decided[number]) code.push_back(answer(SECCOMP_RET_ALLOW));
  std::vector<Segment> segments;
  auto same = [](const Code& a, const Code& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const struct sock_filter& x, const struct sock_filter& y) {
                        return x.code == y.code && x.jt == y.jt && x.jf == y.jf && x.k == y.k;
                      });
  };
  auto add = [&](std::uint32_t first, const Code& code) {
    if (!segments.empty() && segments.back().first == first) segments.pop_back();
    if (segments.empty() || !same(segments.back().code, code)) segments.push_back({first, code});
  };
  const Code allowed = {answer(SECCOMP_RET_ALLOW)};
  add(0, allowed);
  for (const auto& [number, code] : special) {
    add(number, code);
    add(number + 1, allowed);
  }
  // Calls that nobody has judged, x32 calls (bit 30) and negative numbers: as in a kernel that does
  // not have them.
  add(highest_known + 1, {answer(SECCOMP_RET_ERRNO | ENOSYS)});
  return segments;
}

}  // namespace

FilterOptions filter_options(const policy::Process& process, const PathPlan& plan, bool trace) {
  FilterOptions options;
  options.profile = process.seccomp;
  options.nested_namespaces = process.nested_namespaces;
  options.creations = !plan.absent.empty() || !plan.frozen.empty() || !plan.deny_globs.empty();
  options.removals = std::any_of(plan.frozen.begin(), plan.frozen.end(), [](const FrozenName& row) {
    struct stat status = {};
    return ::lstat((row.parent + "/" + row.name).c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  });
  options.connections = true;
  options.trace = trace;
  return options;
}

Result<Code> compile_rows(std::span<const SyscallRow> rows, const FilterOptions& options,
                          int highest_known) {
  Code program = {
      load(kOffsetArchitecture),
      // The same numbers mean other calls there, so no row would hold.
      jump(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      answer(SECCOMP_RET_KILL_PROCESS),
      load(kOffsetNumber),
  };
  Code tree = search(segments_of(rows, options, static_cast<std::uint32_t>(highest_known)));
  program.insert(program.end(), tree.begin(), tree.end());
  if (program.size() > BPF_MAXINSNS)
    return fail(ErrorKind::bug, "the system call filter has too many instructions");
  return program;
}

Result<Code> compile_filter(const FilterOptions& options) {
  switch (options.profile) {
    case policy::SyscallProfile::standard:
    case policy::SyscallProfile::strict:
      return compile_rows(syscall_table(), options, highest_known_syscall());
    case policy::SyscallProfile::desktop:
    case policy::SyscallProfile::vmm:
    case policy::SyscallProfile::isolate: break;
  }
  Error error(ErrorKind::unsupported,
              "process.seccomp: the profiles desktop, vmm and isolate belong to other layers");
  return fail(std::move(error).with_remedy("use `default` or `strict`"));
}

std::string disassemble(std::span<const struct sock_filter> program) {
  std::string out;
  char line[96];
  for (std::size_t at = 0; at < program.size(); ++at) {
    const struct sock_filter& code = program[at];
    const char* form = "%zu: ? 0x%x\n";
    std::size_t yes = at + 1 + code.jt;
    std::size_t no = at + 1 + code.jf;
    switch (code.code) {
      case BPF_LD | BPF_W | BPF_ABS: form = "%zu: load %u\n"; break;
      case BPF_ALU | BPF_AND | BPF_K: form = "%zu: and 0x%x\n"; break;
      case BPF_RET | BPF_K: form = "%zu: return 0x%08x\n"; break;
      case BPF_JMP | BPF_JEQ | BPF_K: form = "%zu: if == 0x%x goto %zu else %zu\n"; break;
      case BPF_JMP | BPF_JGE | BPF_K: form = "%zu: if >= 0x%x goto %zu else %zu\n"; break;
      case BPF_JMP | BPF_JSET | BPF_K: form = "%zu: if & 0x%x goto %zu else %zu\n"; break;
      case BPF_JMP | BPF_JA: form = "%zu: skip %u\n"; break;
      default: break;
    }
    std::snprintf(line, sizeof line, form, at, code.k, yes, no);
    out += line;
  }
  return out;
}

}  // namespace ward::confine
