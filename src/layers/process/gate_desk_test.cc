// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/gate_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

namespace ward::process {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Choice = GateDesk::Choice;

struct Desk {
  std::vector<std::string> decided;  // "ID yes|no REASON"
  std::vector<keeper::Question> asked;
  std::vector<std::uint64_t> held;
  bool has_terminal = false;
  std::unique_ptr<GateDesk> desk;

  explicit Desk(std::chrono::milliseconds patience = std::chrono::hours(1)) {
    GateEvents events;
    events.decide = [this](const egress::Decision& decision) -> Status {
      decided.push_back(std::to_string(decision.id) + (decision.allow != 0 ? " yes " : " no ") +
                        decision.reason);
      return {};
    };
    events.ask_at_terminal = [this](keeper::Question question) {
      if (has_terminal) asked.push_back(std::move(question));
      return has_terminal;
    };
    events.on_held = [this](const HeldRequest& request) { held.push_back(request.number); };
    desk = std::move(*GateDesk::create(std::move(events), patience));
  }
  void hold(std::uint64_t id, std::string url = "https://shop.example:443/purchase") {
    desk->hold({id, "POST", std::move(url), "ward.yaml:12"});
  }
};

TEST(GateDesk, TheOnlyHeldRequestNeedsNoNumber) {
  Desk desk;
  desk.hold(70);
  EXPECT_THAT(desk.held, ElementsAre(1U));
  EXPECT_TRUE(desk.desk->decide(0, Choice::allow, "ward approve"));
  EXPECT_THAT(desk.decided, ElementsAre("70 yes allowed by ward approve"));
  EXPECT_FALSE(desk.desk->decide(0, Choice::allow, "ward approve"));
}

TEST(GateDesk, OneOfSeveralIsNamedByItsNumber) {
  Desk desk;
  desk.hold(70);
  desk.hold(71);
  const Status several = desk.desk->decide(0, Choice::allow, "x");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().describe(), HasSubstr("2: POST https://shop.example"));
  EXPECT_FALSE(desk.desk->decide(3, Choice::allow, "x"));
  EXPECT_TRUE(desk.desk->decide(2, Choice::deny, "ward deny"));
  EXPECT_THAT(desk.decided, ElementsAre("71 no denied by ward deny"));
}

TEST(GateDesk, TheDeadlineDenies) {
  Desk desk(std::chrono::milliseconds(1));
  desk.hold(70);
  pollfd timer = {desk.desk->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&timer, 1, -1), 1);
  ASSERT_TRUE(desk.desk->on_readable());
  EXPECT_THAT(desk.decided, ElementsAre("70 no nobody decided in time"));
}

TEST(GateDesk, TheTerminalIsAskedOneAfterTheOther) {
  Desk desk;
  desk.has_terminal = true;
  desk.hold(70, "https://shop.example:443/a\x1b[2J");
  desk.hold(71);
  ASSERT_EQ(desk.asked.size(), 1U);
  EXPECT_THAT(desk.asked[0].text, AllOf(HasSubstr("ward.yaml:12"), HasSubstr(desk.asked[0].code),
                                        Not(HasSubstr("\x1b"))));
  desk.asked[0].answered(true);
  ASSERT_EQ(desk.asked.size(), 2U);
  EXPECT_NE(desk.asked[0].code, desk.asked[1].code);
  desk.asked[1].answered(false);
  EXPECT_THAT(desk.decided,
              ElementsAre("70 yes allowed at the terminal", "71 no denied at the terminal"));
}

TEST(GateDesk, ALongAddressIsShownWithItsEnd) {
  Desk desk;
  desk.has_terminal = true;
  desk.hold(70, "https://shop.example:443/" + std::string(5000, 'a') + "/purchase-all");
  EXPECT_THAT(desk.asked.at(0).text,
              AllOf(HasSubstr("https://shop.example:443/aaa"), HasSubstr("aaa/purchase-all (held"),
                    HasSubstr("characters left out")));
  EXPECT_LT(desk.asked[0].text.size(), 600U);
}

TEST(GateDesk, TooManyAreDeniedAtOnce) {
  Desk desk;
  for (std::uint64_t id = 0; id <= kMostHeld; ++id) desk.hold(id);
  EXPECT_THAT(desk.decided, ElementsAre(HasSubstr("64 no too many")));
}

}  // namespace
}  // namespace ward::process
