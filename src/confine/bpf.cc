// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/bpf.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

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
struct sock_filter answer(std::uint32_t value) { return statement(BPF_RET | BPF_K, value); }

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

// One test: a load, perhaps a mask, and the branch, which leads `past` instructions on where the
// test fails.
void append_test(const ArgTest& test, std::size_t past, Code& out) {
  out.push_back(load(kOffsetArguments + test.argument * 8U));
  if (test.op == ArgTest::Op::any_of) {
    out.push_back(jump(BPF_JMP | BPF_JSET | BPF_K, test.mask, 0, past));
    return;
  }
  if (test.mask != 0xffffffffU) out.push_back(statement(BPF_ALU | BPF_AND | BPF_K, test.mask));
  bool differs = test.op == ArgTest::Op::differs;
  out.push_back(
      jump(BPF_JMP | BPF_JEQ | BPF_K, test.value, differs ? past : 0, differs ? 0 : past));
}

std::size_t length_of(const ArgTest& test) {
  if (test.op == ArgTest::Op::none) return 0;
  return test.op == ArgTest::Op::any_of || test.mask == 0xffffffffU ? 2 : 3;
}

// One row: its tests, each leading past the row where it fails, then the answer.
void append_row(const SyscallRow& row, Code& out) {
  std::size_t left = 1;  // instructions up to and with the answer
  for (const ArgTest& test : row.tests) left += length_of(test);
  for (const ArgTest& test : row.tests) {
    if (test.op == ArgTest::Op::none) continue;
    left -= length_of(test);
    append_test(test, left, out);
  }
  out.push_back(answer(answer_of(row)));
}

// Numbers from `first` up to the next segment's share a piece of code.
struct Segment {
  std::uint32_t first = 0;
  std::size_t begin = 0, end = 0;  // in the pieces
};

struct Search {
  std::vector<Segment> segments;
  Code pieces;

  bool same(const Segment& a, const Segment& b) const {
    return std::equal(pieces.begin() + static_cast<std::ptrdiff_t>(a.begin),
                      pieces.begin() + static_cast<std::ptrdiff_t>(a.end),
                      pieces.begin() + static_cast<std::ptrdiff_t>(b.begin),
                      pieces.begin() + static_cast<std::ptrdiff_t>(b.end),
                      [](const struct sock_filter& x, const struct sock_filter& y) {
                        return x.code == y.code && x.jt == y.jt && x.jf == y.jf && x.k == y.k;
                      });
  }

  void add(const Segment& segment) {
    if (!segments.empty() && segments.back().first == segment.first) segments.pop_back();
    if (segments.empty() || !same(segments.back(), segment)) segments.push_back(segment);
  }

  // A binary search over the segments [from, to), then the piece of the one that was found.
  void emit(std::size_t from, std::size_t to, Code& out) const {
    if (to - from == 1) {
      out.insert(out.end(), pieces.begin() + static_cast<std::ptrdiff_t>(segments[from].begin),
                 pieces.begin() + static_cast<std::ptrdiff_t>(segments[from].end));
      return;
    }
    std::size_t half = from + (to - from) / 2;
    std::size_t branch = out.size();
    out.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, segments[half].first, 0, 0));
    emit(from, half, out);
    std::size_t low = out.size() - branch - 1;
    constexpr std::size_t kFar = 255;  // a branch's reach; a plain jump has no such bound
    if (low <= kFar) {
      out[branch].jt = static_cast<std::uint8_t>(low);
    } else {
      out[branch].jf = 1;
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(branch) + 1,
                 statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(low)));
    }
    emit(half, to, out);
  }
};

bool has_tests(const SyscallRow& row) { return row.tests[0].op != ArgTest::Op::none; }

Search search_over(std::span<const SyscallRow> rows, const FilterOptions& options,
                   std::uint32_t highest_known) {
  std::vector<const SyscallRow*> counting;
  counting.reserve(rows.size());
  for (const SyscallRow& row : rows)
    if (counts(row, options)) counting.push_back(&row);
  std::stable_sort(counting.begin(), counting.end(),
                   [](const auto* a, const auto* b) { return a->number < b->number; });
  Search search;
  search.pieces.reserve(counting.size() * 5);
  search.segments.reserve(counting.size() * 2 + 2);
  search.pieces.push_back(answer(SECCOMP_RET_ALLOW));
  auto allowed = [](std::uint32_t first) { return Segment{first, 0, 1}; };
  search.add(allowed(0));
  for (std::size_t i = 0; i < counting.size();) {
    const SyscallRow* row = counting[i];
    auto number = static_cast<std::uint32_t>(row->number);
    std::size_t begin = search.pieces.size();
    bool decided = false;  // a row without tests ends its call's list
    for (; i < counting.size() && counting[i]->number == row->number; ++i) {
      if (decided) continue;
      append_row(*counting[i], search.pieces);
      decided = !has_tests(*counting[i]);
    }
    if (!decided) search.pieces.push_back(answer(SECCOMP_RET_ALLOW));
    search.add({number, begin, search.pieces.size()});
    search.add(allowed(number + 1));
  }
  // Calls that nobody has judged, x32 calls (bit 30) and negative numbers: as in a kernel that does
  // not have them.
  search.pieces.push_back(answer(SECCOMP_RET_ERRNO | ENOSYS));
  search.add({highest_known + 1, search.pieces.size() - 1, search.pieces.size()});
  return search;
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
  Search search = search_over(rows, options, static_cast<std::uint32_t>(highest_known));
  program.reserve(program.size() + search.pieces.size() + 2 * search.segments.size());
  search.emit(0, search.segments.size(), program);
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
