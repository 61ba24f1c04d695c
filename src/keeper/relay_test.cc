// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/relay.h"

#include <gtest/gtest.h>

#include "sys/file.h"

namespace ward::keeper {
namespace {

// While a person is asked, what a command wrote before and writes now waits.
TEST(OutputRelay, MovesNothingWhileItIsHeld) {
  auto from = sys::make_pipe();
  auto to = sys::make_pipe();
  auto loop = sys::EventLoop::create();
  ASSERT_TRUE(from && to && loop);
  ASSERT_TRUE(sys::set_nonblocking(from->first.get()));
  ASSERT_TRUE(sys::set_nonblocking(to->first.get()));
  OutputBudget budget;
  OutputRelay::Events events;
  std::string seen;
  events.seen = [&](std::string_view bytes) { seen += bytes; };
  OutputRelay relay(*loop, std::move(from->first),
                    OutputTarget::open({SourceKind::pipe, to->second.get()}), budget,
                    std::move(events));
  ASSERT_TRUE(relay.start());
  relay.hold();
  ASSERT_TRUE(sys::write_all(from->second.get(), "painted over"));
  relay.pump();
  ASSERT_TRUE(loop->run_ready());
  EXPECT_EQ(seen, "");
  EXPECT_EQ(budget.delivered, 0U);
  relay.resume();
  EXPECT_EQ(seen, "painted over");
  EXPECT_EQ(budget.delivered, seen.size());
}

}  // namespace
}  // namespace ward::keeper
