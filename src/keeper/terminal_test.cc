// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "keeper/terminal.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "sys/file.h"

namespace ward::keeper {
namespace {

bool is_hung_up(int fd) {
  struct pollfd item = {fd, 0, 0};
  return ::poll(&item, 1, 0) == 1 && (item.revents & POLLHUP) != 0;
}

// A timer that is not read stays readable: the loop would turn without end until the run is over.
TEST(TerminalBridge, TheForegroundCheckOfATerminalThatIsGoneFiresOnce) {
  auto keys = sys::open_pty();
  auto screen = sys::open_pty();
  auto inner = sys::open_pty();
  ASSERT_TRUE(keys && screen && inner);
  const int shown = screen->slave.get();
  auto stdio = Stdio::plan({keys->slave.get(), shown, shown});
  ASSERT_TRUE(stdio) << stdio.error().describe();
  auto loop = sys::EventLoop::create();
  ASSERT_TRUE(loop);
  OutputBudget budget;
  OutputRelay::Events events;
  events.limit_reached = [] {};
  events.write_failed = [](const Error&) {};
  auto bridge = Terminal::open(*loop, *stdio, std::move(inner->master), budget, std::move(events));
  ASSERT_TRUE(bridge) << bridge.error().describe();
  // The end of the keys is what a background process gets too, so the bridge looks again later. By
  // then the output has shown that the terminal is gone.
  keys->master.reset();
  ASSERT_TRUE(loop->run_once());
  screen->master.reset();
  ASSERT_TRUE(sys::write_all(inner->slave.get(), "to nobody"));
  while (!is_hung_up(inner->slave.get())) ASSERT_TRUE(loop->run_once());

  auto later = sys::make_timer();
  ASSERT_TRUE(later);
  bool over = false;
  ASSERT_TRUE(loop->add(later->get(), EPOLLIN, [&](std::uint32_t) { over = true; }));
  ASSERT_TRUE(sys::set_timer(later->get(), std::chrono::milliseconds(500)));
  int turns = 0;
  for (; !over; ++turns) ASSERT_TRUE(loop->run_once());
  EXPECT_LE(turns, 10);
}

}  // namespace
}  // namespace ward::keeper
