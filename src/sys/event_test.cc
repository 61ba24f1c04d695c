// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "sys/event.h"

#include <gtest/gtest.h>

#include "sys/file.h"
#include "sys/stream.h"

namespace ward::sys {
namespace {

TEST(EventLoop, RunsTheHandlerOfWhatIsReady) {
  auto loop = EventLoop::create();
  auto pipe = make_pipe();
  int calls = 0;
  ASSERT_TRUE(loop->add(pipe->first.get(), EPOLLIN, [&](std::uint32_t) { ++calls; }));
  ASSERT_TRUE(write_all(pipe->second.get(), "x"));
  ASSERT_TRUE(loop->run_once());
  EXPECT_EQ(calls, 1);
}

TEST(EventLoop, ADescriptorRemovedByAHandlerGetsNoCollectedEvent) {
  auto loop = EventLoop::create();
  auto first = make_pipe();
  auto second = make_pipe();
  int calls = 0;
  auto removes_both = [&](std::uint32_t) {
    ++calls;
    loop->remove(first->first.get());
    loop->remove(second->first.get());
  };
  ASSERT_TRUE(loop->add(first->first.get(), EPOLLIN, removes_both));
  ASSERT_TRUE(loop->add(second->first.get(), EPOLLIN, removes_both));
  ASSERT_TRUE(write_all(first->second.get(), "x"));
  ASSERT_TRUE(write_all(second->second.get(), "x"));
  ASSERT_TRUE(loop->run_once());
  EXPECT_EQ(calls, 1);
}

TEST(EventLoop, WatchingOneDescriptorTwiceIsABug) {
  auto loop = EventLoop::create();
  auto pipe = make_pipe();
  ASSERT_TRUE(loop->add(pipe->first.get(), EPOLLIN, [](std::uint32_t) {}));
  Status again = loop->add(pipe->first.get(), EPOLLIN, [](std::uint32_t) {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::bug);
}

TEST(EventLoop, ATimerSetToZeroFires) {
  auto loop = EventLoop::create();
  auto timer = make_timer();
  bool fired = false;
  ASSERT_TRUE(loop->add(timer->get(), EPOLLIN, [&](std::uint32_t) { fired = true; }));
  ASSERT_TRUE(set_timer(timer->get(), std::chrono::nanoseconds(0)));
  ASSERT_TRUE(loop->run_once());
  EXPECT_TRUE(fired);
}

TEST(Stream, TeeLeavesTheBytesInThePipe) {
  auto from = make_pipe();
  auto to = make_pipe();
  ASSERT_TRUE(write_all(from->second.get(), "abc"));
  EXPECT_EQ(tee_some(from->first.get(), to->second.get(), 100)->bytes, 3U);
  EXPECT_EQ(*unread_bytes(from->first.get()), 3U);
  EXPECT_EQ(*unread_bytes(to->first.get()), 3U);
}

TEST(Stream, EndAndNothingNowAreToldApart) {
  auto from = make_pipe();
  auto to = make_pipe();
  EXPECT_EQ(splice_some(from->first.get(), to->second.get(), 1)->state, Transfer::State::again);
  from->second.reset();
  EXPECT_EQ(splice_some(from->first.get(), to->second.get(), 1)->state, Transfer::State::end);
}

}  // namespace
}  // namespace ward::sys
