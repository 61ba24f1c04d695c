// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/audit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <span>
#include <string_view>

#include "base/escape.h"
#include "base/id.h"
#include "cli/commands.h"
#include "journal/head_note.h"
#include "journal/sqlite_journal.h"
#include "sys/file.h"
#include "sys/state_folder.h"

namespace ward::cli {

namespace {

using journal::EventKind;
using journal::Record;

constexpr const char* kUsage =
    "usage: ward audit show [--json] [--run ID] [--last N] [--denied]\n"
    "       ward audit egress [--json] [--run ID] [--last N] [--denied]\n"
    "       ward audit verify [--json] [--head SEQ:HASH]... [--syslog FILE]...\n"
    "       ward audit head [--json]\n";
constexpr std::uint64_t kMaxLogBytes = std::uint64_t{1} << 30U;

std::unique_ptr<journal::Journal> journal_in(const std::string& folder) {
  return journal::sqlite_journal({.folder = folder});
}

Result<std::set<std::string>> ended_runs(journal::Journal& journal, const std::string& run) {
  std::set<std::string> ended;
  WARD_TRY(journal.scan({.run = run, .kind = EventKind::run_ended}, [&](const Record& record) {
    ended.insert(record.run);
    return true;
  }));
  return ended;
}

// The words of one command line, from the front.
class Words {
 public:
  explicit Words(std::span<const std::string> words) : words_(words) {}
  bool empty() const { return words_.empty(); }
  std::string_view next() {
    const std::string_view word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  Result<std::string_view> value_of(std::string_view option) {
    if (!words_.empty()) return next();
    return fail(ErrorKind::invalid, std::string(option) + " needs a value");
  }

 private:
  std::span<const std::string> words_;
};

Error unknown_word(std::string_view word) {
  return Error(ErrorKind::invalid, "unknown argument: " + std::string(word));
}

Result<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.begin(), text.end(), count);
  if (parsed.ec != std::errc() || parsed.ptr != text.end() || count < 1)
    return fail(ErrorKind::invalid,
                "--last needs a number from 1, not \"" + std::string(text) + "\"");
  return count;
}

// Of `show` and of `egress`, whose words are the same.
template <class Listing>
Result<Listing> parse_listing(Words words) {
  Listing show;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word == "--json") {
      show.format = Format::json;
    } else if (word == "--denied") {
      show.denied_only = true;
    } else if (word == "--run") {
      WARD_ASSIGN(const std::string_view text, words.value_of(word));
      WARD_ASSIGN(const Id id, in_context(Id::parse(text), "--run"));
      show.run = id.text();
    } else if (word == "--last") {
      WARD_ASSIGN(const std::string_view text, words.value_of(word));
      WARD_ASSIGN(show.last, parse_count(text));
    } else {
      return fail(unknown_word(word));
    }
  }
  return show;
}

Result<AuditVerify> parse_verify(Words words) {
  AuditVerify verify;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word == "--json") {
      verify.format = Format::json;
    } else if (word == "--head") {
      WARD_ASSIGN(const std::string_view text, words.value_of(word));
      WARD_ASSIGN(const journal::Head head, in_context(journal::parse_head(text), "--head"));
      verify.heads.push_back(head);
    } else if (word == "--syslog") {
      WARD_ASSIGN(const std::string_view file, words.value_of(word));
      verify.logs.emplace_back(file);
    } else {
      return fail(unknown_word(word));
    }
  }
  return verify;
}

Result<AuditHead> parse_head_command(Words words) {
  AuditHead head;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word != "--json") return fail(unknown_word(word));
    head.format = Format::json;
  }
  return head;
}

int complain(const Error& error) {
  std::fprintf(stderr, "ward audit: %s\n", escape_for_terminal(error.describe()).c_str());
  return 1;
}

int malformed(const Error& error) {
  complain(error);
  std::fputs(kUsage, stderr);
  return 2;
}

Result<std::string> own_state_folder() {
  return sys::state_folder_path(std::getenv("XDG_STATE_HOME"), std::getenv("HOME"));
}

}  // namespace

Status audit_show(const AuditShow& what, const std::string& folder, std::FILE* out) {
  const auto journal = journal_in(folder);
  WARD_ASSIGN(const std::set<std::string> ended, ended_runs(*journal, what.run));
  journal::Query query = {.run = what.run, .last = what.last};
  if (what.denied_only) query.kind = EventKind::denied;
  const bool json = what.format == Format::json;
  std::size_t shown = 0;
  if (json) std::fputs("[", out);
  WARD_TRY(journal->scan(query, [&](const Record& record) {
    std::optional<RunState> state;
    if (record.kind == to_string(EventKind::run_started))
      state = run_state(record, ended.contains(record.run));
    if (json) std::fputs(shown > 0 ? ",\n" : "\n", out);
    std::fputs((json ? record_json(record, state) : record_text(record, state)).c_str(), out);
    ++shown;
    return true;
  }));
  if (json) std::fputs("\n]\n", out);
  if (shown == 0 && !what.run.empty() && !what.denied_only)
    return fail(ErrorKind::not_found, "the journal has no run " + what.run);
  return {};
}

Status audit_egress(const AuditEgress& what, const std::string& folder, std::FILE* out) {
  const auto journal = journal_in(folder);
  journal::Query query = {.run = what.run, .kind = EventKind::egress};
  if (!what.denied_only) query.last = what.last;
  const bool json = what.format == Format::json;
  std::vector<std::string> lines;
  WARD_TRY(journal->scan(query, [&](const Record& record) {
    if (what.denied_only && !egress_was_denied(record)) return true;
    lines.push_back(json ? record_json(record, std::nullopt) : egress_text(record));
    return true;
  }));
  const auto last = static_cast<std::size_t>(what.last.value_or(INT64_MAX));
  const std::size_t first = lines.size() > last ? lines.size() - last : 0;
  if (json) std::fputs("[", out);
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (json) std::fputs(i > first ? ",\n" : "\n", out);
    std::fputs(lines[i].c_str(), out);
  }
  if (json) std::fputs("\n]\n", out);
  return {};
}

Result<bool> audit_verify(const AuditVerify& what, const std::string& folder, std::FILE* out) {
  std::vector<journal::NotedHead> noted;
  for (const journal::Head& head : what.heads) noted.push_back({.head = head, .where = "--head"});
  for (const std::string& log : what.logs) {
    WARD_ASSIGN(const std::string text, sys::read_file(log, kMaxLogBytes));
    const journal::LogSource source = {
        .name = log, .database_path = journal::sqlite_path(folder), .uid = ::geteuid()};
    for (journal::NotedHead& note : journal::notes_in_log(text, source))
      noted.push_back(std::move(note));
  }
  WARD_ASSIGN(const journal::Verification verification,
              journal::verify(*journal_in(folder), noted));
  const bool json = what.format == Format::json;
  std::fputs((json ? verification_json(verification) : verification_text(verification)).c_str(),
             out);
  return verification.sound();
}

Status audit_head(const AuditHead& what, const std::string& folder, std::FILE* out) {
  WARD_ASSIGN(const std::optional<journal::Head> head, journal_in(folder)->head());
  if (!head) return fail(ErrorKind::not_found, "the journal is empty");
  if (what.format == Format::json)
    std::fprintf(out, "{\"hash\":\"%s\",\"seq\":%lld}\n", journal::to_hex(head->hash).c_str(),
                 static_cast<long long>(head->seq));
  else
    std::fprintf(out, "%s\n", journal::to_string(*head).c_str());
  return {};
}

int audit_command(const std::vector<std::string>& args) {
  if (args.empty()) return malformed(Error(ErrorKind::invalid, "show, egress, verify or head?"));
  if (std::find(args.begin(), args.end(), "--help") != args.end()) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const std::string_view command = args.front();
  const Words words(std::span<const std::string>(args).subspan(1));
  const auto folder = own_state_folder();
  if (command == "show") {
    const auto show = parse_listing<AuditShow>(words);
    if (!show) return malformed(show.error());
    if (!folder) return complain(folder.error());
    const Status shown = audit_show(*show, *folder, stdout);
    return shown ? 0 : complain(shown.error());
  }
  if (command == "egress") {
    const auto egress = parse_listing<AuditEgress>(words);
    if (!egress) return malformed(egress.error());
    if (!folder) return complain(folder.error());
    const Status shown = audit_egress(*egress, *folder, stdout);
    return shown ? 0 : complain(shown.error());
  }
  if (command == "verify") {
    const auto verify = parse_verify(words);
    if (!verify) return malformed(verify.error());
    if (!folder) return complain(folder.error());
    const auto sound = audit_verify(*verify, *folder, stdout);
    if (!sound) return complain(sound.error());
    return *sound ? 0 : 1;
  }
  if (command != "head") return malformed(unknown_word(command));
  const auto head = parse_head_command(words);
  if (!head) return malformed(head.error());
  if (!folder) return complain(folder.error());
  const Status printed = audit_head(*head, *folder, stdout);
  return printed ? 0 : complain(printed.error());
}

}  // namespace ward::cli
