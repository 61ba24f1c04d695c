// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/id.h"

#include <gtest/gtest.h>

#include <set>

namespace ward {
namespace {

using std::chrono::milliseconds;

Id::Time at(std::int64_t milliseconds_since_epoch) {
  return Id::Time(milliseconds(milliseconds_since_epoch));
}

TEST(Id, HasTheTextOfTheUlidItIs) {
  // The example of the ULID specification: 01ARZ3NDEKTSV4RRFFQ69G5FAV.
  Result<Id> id = Id::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->text(), "01arz3ndektsv4rrffq69g5fav");
  EXPECT_EQ(id->time(), at(1469922850259));
}

TEST(Id, SurvivesTextAndBack) {
  Id low = Id::of(at(0), {});
  Id high =
      Id::of(at((std::int64_t{1} << 48) - 1), {255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  EXPECT_EQ(low.text(), "00000000000000000000000000");
  EXPECT_EQ(high.text(), "7zzzzzzzzzzzzzzzzzzzzzzzzz");
  EXPECT_EQ(Id::parse(low.text()).value(), low);
  EXPECT_EQ(Id::parse(high.text()).value(), high);
}

TEST(Id, SortsByTimeAsTextToo) {
  Id earlier = Id::of(at(1'000), {255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  Id later = Id::of(at(1'001), {});
  EXPECT_LT(earlier, later);
  EXPECT_LT(earlier.text(), later.text());
}

TEST(Id, IsNewEachTimeAndHoldsTheClock) {
  auto before = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
  std::set<std::string> seen;
  for (int count = 0; count < 1000; ++count) seen.insert(Id::make().value().text());
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_GE(Id::parse(*seen.begin()).value().time(), before);
}

TEST(Id, RefusesWhatIsNone) {
  for (std::string_view text : {"", "01arz3ndektsv4rrffq69g5fa", "01arz3ndektsv4rrffq69g5fav0",
                                "01arz3ndektsv4rrffq69g5fau", "01arz3ndektsv4rrffq69g5fa/",
                                "81arz3ndektsv4rrffq69g5fav", "0Iarz3ndektsv4rrffq69g5fav"}) {
    Result<Id> id = Id::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().kind(), ErrorKind::invalid);
  }
}

}  // namespace
}  // namespace ward
