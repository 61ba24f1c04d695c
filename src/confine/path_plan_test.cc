// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/path_plan.h"

#include "confine/plan_fixture.h"

namespace ward::confine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PathPlanRows : public PlanFixture {};

TEST_F(PathPlanRows, Demo) {
  tree.write("home/ws/.git/HEAD", "x");
  tree.write("home/ws/.git/config", "");
  tree.make_dir("home/ws/.git/hooks");
  tree.make_dir("home/ws/.git/objects");
  tree.make_dir("home/ws/.git/refs");
  tree.write("home/ws/sub/.env", "x");
  tree.write("home/ws/.vscode/settings.json", "x");
  tree.make_dir("home/.ssh");
  allow_write("home/ws");
  deny_read("home/.ssh");
  deny_read("home/ws/**/.env");
  std::cout << shown(plan().text());
}

}  // namespace
}  // namespace ward::confine
