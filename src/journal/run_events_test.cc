// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/run_events.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ward::journal {
namespace {

RunStart a_start() {
  return {.run = "r",
          .command = {"git", "status"},
          .working_folder = "/w/sub",
          .workspace = "/w",
          .policy = "abc",
          .supervisor = mark_of_self().value()};
}

TEST(RunEvents, AStartNamesItsSupervisor) {
  const Event event = run_started(a_start());
  EXPECT_EQ(event.kind, EventKind::run_started);
  EXPECT_EQ(event.run, "r");
  Record record;
  record.payload = event.payload.text();
  EXPECT_EQ(supervisor_of(record), a_start().supervisor);
  const auto body = nlohmann::json::parse(record.payload);
  EXPECT_EQ(body["command"], nlohmann::json::array({"git", "status"}));
  EXPECT_FALSE(body.contains("arguments"));
}

TEST(RunEvents, AStartStaysShortAndSaysWhatItCut) {
  RunStart start = a_start();
  start.command.assign(100'000, std::string(100, 'x'));
  start.working_folder = std::string(1'000'000, 'y');
  const std::string text = run_started(start).payload.text();
  EXPECT_LT(text.size(), 16'000U);
  EXPECT_EQ(nlohmann::json::parse(text)["arguments"], 100'000);
}

TEST(RunEvents, AnEndCarriesItsDenialsInFront) {
  const auto events = run_ended({.run = "r",
                                 .outcome = "exited(1)",
                                 .exit_status = 1,
                                 .denials = {{.act = "write", .target = "/etc/x", .rule = "d"}}});
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::denied);
  EXPECT_EQ(events[0].payload.text(),
            R"({"act":"write","exact":true,"rule":"d","target":"/etc/x"})");
  EXPECT_EQ(events[1].kind, EventKind::run_ended);
  EXPECT_EQ(nlohmann::json::parse(events[1].payload.text())["denials"], 1);
}

TEST(RunEvents, ManyDenialsAreCountedAndNotAllWritten) {
  RunEnd end = {.run = "r", .outcome = "exited(0)"};
  end.denials.assign(5000, {.act = "read", .target = "/x"});
  const auto events = run_ended(end);
  EXPECT_EQ(events.size(), kMaxDenials + 1);
  EXPECT_EQ(nlohmann::json::parse(events.back().payload.text())["denials"], 5000);
}

TEST(RunEvents, AForgedBodyNamesNobody) {
  for (const char* payload : {"", "[]", "{", "{}", R"({"supervisor":3})"}) {
    Record record;
    record.payload = payload;
    EXPECT_EQ(supervisor_of(record), std::nullopt) << payload;
  }
  Record record;
  record.payload = R"({"supervisor":{"pid":"1","boot":7}})";
  EXPECT_EQ(supervisor_of(record), ProcessMark{});
}

}  // namespace
}  // namespace ward::journal
