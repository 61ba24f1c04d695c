// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/id.h"
#include "cli/commands.h"
#include "journal/run_events.h"
#include "journal/sqlite_journal.h"
#include "support/temp_dir.h"

namespace ward::cli {
namespace {

using journal::Durability;
using journal::Event;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string printed(const std::function<void(std::FILE*)>& print) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  print(out);
  std::fclose(out);
  std::string copy(text, size);
  std::free(text);
  return copy;
}

std::string shown(const std::string& folder, const AuditShow& what) {
  return printed([&](std::FILE* out) {
    const Status status = audit_show(what, folder, out);
    EXPECT_TRUE(status) << status.error().describe();
  });
}

class Audit : public ::testing::Test {
 protected:
  std::string start(const std::vector<std::string>& command, const journal::ProcessMark& mark) {
    const std::string run = Id::make().value().text();
    write({journal::run_started({.run = run, .command = command, .supervisor = mark})});
    return run;
  }
  void end(const std::string& run, const std::vector<journal::RunDenial>& denials = {}) {
    write(journal::run_ended({.run = run, .outcome = "exited(0)", .denials = denials}));
  }
  void write(const std::vector<Event>& events) {
    const auto appended =
        journal::sqlite_journal({.folder = folder_.path()})->append(events, Durability::unsynced);
    ASSERT_TRUE(appended) << appended.error().describe();
  }
  static journal::ProcessMark living() { return journal::mark_of_self().value(); }
  static journal::ProcessMark dead() {
    journal::ProcessMark mark = living();
    mark.start_ticks -= 1;
    return mark;
  }

  test::TempDir folder_;
};

TEST_F(Audit, ShowTellsRunningKilledAndEndedApart) {
  end(start({"git", "status"}, dead()));
  start({"sleep", "9"}, living());
  start({"make", "all"}, dead());
  const std::string text = shown(folder_.path(), {});
  EXPECT_THAT(text, HasSubstr("git status\n"));
  EXPECT_THAT(text, HasSubstr("sleep 9  [running]\n"));
  EXPECT_THAT(text, HasSubstr("make all  [killed, no end was written]\n"));
  EXPECT_THAT(text, HasSubstr("exited(0)"));
  const json all = json::parse(shown(folder_.path(), {.format = Format::json}));
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1]["state"], "ended");
  EXPECT_EQ(all[3]["state"], "running");
  EXPECT_EQ(all[4]["state"], "killed");
  EXPECT_EQ(all[4]["payload"]["command"], (json::array({"make", "all"})));
}

TEST_F(Audit, ShowSelectsARunItsDenialsAndTheLast) {
  const std::string one = start({"one"}, dead());
  end(one, {{.act = "write", .target = "/etc/x", .rule = "denyWrite /etc"}});
  const std::string two = start({"two"}, dead());
  end(two, {{.act = "read", .target = "/k", .rule = "denyRead /k"}});
  EXPECT_EQ(json::parse(shown(folder_.path(), {.format = Format::json, .run = one})).size(), 3U);
  EXPECT_EQ(json::parse(shown(folder_.path(), {.format = Format::json, .last = 2})).size(), 2U);
  const std::string denied = shown(folder_.path(), {.denied_only = true});
  EXPECT_THAT(denied, HasSubstr("write  /etc/x  denyWrite /etc\n"));
  EXPECT_THAT(denied, HasSubstr("read  /k  denyRead /k\n"));
  EXPECT_THAT(denied, Not(HasSubstr("exited")));
}

TEST_F(Audit, EgressTellsWhoWasTalkedToByWhichRule) {
  const std::string run = start({"one"}, dead());
  write({journal::run_egress({.run = run,
                              .what = "request",
                              .protocol = "connect",
                              .verdict = "allowed",
                              .host = "api.example.com",
                              .address = "192.0.2.7",
                              .port = 443,
                              .method = "GET",
                              .path = "/v1",
                              .rule = "allow api.example.com (p.yaml:3)",
                              .secrets = {"API_TOKEN"},
                              .bytes_up = 10,
                              .bytes_down = 2000}),
         journal::run_egress({.run = run,
                              .what = "question",
                              .protocol = "dns",
                              .verdict = "denied",
                              .host = "evil.\x1b[2Jexample",
                              .rule = "the default: no host can be reached"})});
  auto listed = [&](const AuditEgress& what) {
    return printed([&](std::FILE* out) { EXPECT_TRUE(audit_egress(what, folder_.path(), out)); });
  };
  const std::string all = listed({});
  EXPECT_THAT(all, HasSubstr("allowed  GET api.example.com:443/v1 at 192.0.2.7  10 up, 2000 down  "
                             "allow api.example.com (p.yaml:3)  secrets put in: API_TOKEN\n"));
  EXPECT_THAT(all, HasSubstr("denied  evil.\\u{1b}[2Jexample  0 up"));
  EXPECT_THAT(listed({.denied_only = true}), Not(HasSubstr("api.example.com")));
  EXPECT_EQ(json::parse(listed({.format = Format::json})).size(), 2U);
  EXPECT_EQ(json::parse(listed({.format = Format::json, .last = 1}))[0]["payload"]["verdict"],
            "denied");
  EXPECT_EQ(listed({.format = Format::json, .run = Id::make().value().text()}), "[\n]\n");
}

TEST_F(Audit, ShowOfAnUnknownRunIsAnError) {
  start({"one"}, dead());
  std::FILE* out = std::fopen("/dev/null", "w");
  EXPECT_FALSE(audit_show({.run = Id::make().value().text()}, folder_.path(), out));
  std::fclose(out);
}

TEST_F(Audit, HostileNamesCannotReachTheTerminal) {
  const std::string run = start({"x\x1b[2J\n99  forged line", "\xff\xfe", "\xe2\x80\xae"}, dead());
  end(run, {{.act = "write",
             .target = "/a\x1b]0;title\x07\r/b",
             .rule = "\xc2\x9b"
                     "31m"}});
  for (const Format format : {Format::text, Format::json}) {
    const std::string text = shown(folder_.path(), {.format = format});
    for (const char character : text)
      EXPECT_TRUE(character == '\n' || (character >= ' ' && character < 0x7f));
    EXPECT_THAT(text, Not(HasSubstr("\n99  forged")));
  }
}

TEST_F(Audit, VerifyIsSoundAndMeetsTheNotedHead) {
  end(start({"one"}, dead()));
  const std::string head =
      printed([&](std::FILE* out) { EXPECT_TRUE(audit_head({}, folder_.path(), out)); });
  const auto parsed = journal::parse_head(std::string_view(head).substr(0, head.size() - 1));
  ASSERT_TRUE(parsed) << head;
  const std::string text = printed([&](std::FILE* out) {
    EXPECT_TRUE(audit_verify({.heads = {*parsed}}, folder_.path(), out).value());
  });
  EXPECT_THAT(text, HasSubstr("3 records"));
  EXPECT_THAT(text, HasSubstr("1 noted heads met: sound\n"));
}

TEST_F(Audit, VerifyFindsThatTheJournalWasThrownAway) {
  end(start({"one"}, dead()));
  const journal::Head head = *journal::sqlite_journal({.folder = folder_.path()})->head().value();
  test::TempDir other;
  const std::string text = printed([&](std::FILE* out) {
    EXPECT_FALSE(
        audit_verify({.format = Format::json, .heads = {head}}, other.path(), out).value());
  });
  EXPECT_EQ(json::parse(text)["findings"][0]["kind"], "cut-tail");
}

TEST_F(Audit, VerifyReadsHeadsFromALog) {
  end(start({"one"}, dead()));
  const std::string chain = [&] {
    const auto events = journal::run_ended({.run = "r", .outcome = "exited(0)"});
    return journal::sqlite_journal({.folder = folder_.path()})
        ->append(events, Durability::unsynced)
        .value()
        .chain;
  }();
  const std::string uid = std::to_string(::geteuid());
  const std::string log = folder_.write(
      "syslog", "ward-head chain=" + chain + " seq=9 hash=" + std::string(64, 'a') + " uid=" + uid +
                    " path=" + journal::sqlite_path(folder_.path()) + "\n");
  const std::string text = printed([&](std::FILE* out) {
    EXPECT_FALSE(audit_verify({.logs = {log}}, folder_.path(), out).value());
  });
  EXPECT_THAT(text, HasSubstr("cut-tail: the journal ends before record 9"));
  EXPECT_THAT(text, HasSubstr("syslog line 1"));
}

TEST(AuditCommandLine, MalformedIsTwo) {
  using Args = std::vector<std::string>;
  for (const Args& args :
       {Args{}, Args{"shew"}, Args{"show", "--run"}, Args{"show", "--run", "x"},
        Args{"show", "--last", "0"}, Args{"show", "--last", "9x"}, Args{"verify", "--head", "7"},
        Args{"verify", "now"}, Args{"head", "--head"}})
    EXPECT_EQ(audit_command(args), 2);
  EXPECT_EQ(audit_command({"show", "--help"}), 0);
}

}  // namespace
}  // namespace ward::cli
