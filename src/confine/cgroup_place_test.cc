// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Trees of cgroup directories written to a temporary folder: what each kind of machine answers.
#include "confine/cgroup_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "confine/systemd_scope.h"

namespace ward::confine {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::vector<Controller> kMemoryAndPids = {Controller::memory, Controller::pids};

class CgroupPlaceTest : public ::testing::Test {
 protected:
  CgroupPlaceTest() {
    std::string pattern = ::testing::TempDir() + "/ward-cgroups-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    machine_.uid = 1000;
  }
  ~CgroupPlaceTest() override { fs::remove_all(root_); }

  // A v2 group with its files, as the kernel would show it.
  std::string group(const std::string& path, const std::string& controllers,
                    const std::string& enabled, const std::string& processes) {
    const fs::path dir = root_ + path;
    fs::create_directories(dir);
    write(dir / "cgroup.controllers", controllers);
    write(dir / "cgroup.subtree_control", enabled);
    write(dir / "cgroup.procs", processes);
    if (!path.empty()) write(dir / "cgroup.type", "domain\n");
    return dir;
  }
  void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  void this_process_is_in(const std::string& own) {
    machine_.state.hierarchies.push_back({sys::CgroupVersion::v2, {}, root_, own});
  }
  void v1_hierarchy(const std::string& controller, const std::string& own) {
    machine_.state.hierarchies.push_back({sys::CgroupVersion::v1, {controller}, root_, own});
  }
  std::string own_pid() { return std::to_string(::getpid()) + "\n"; }

  std::string root_;
  CgroupMachine machine_;
};

TEST_F(CgroupPlaceTest, AProcessAloneInItsDelegatedGroupSplitsIt) {
  group("", "cpu memory pids", "memory pids", "");
  this_process_is_in(group("/mine", "memory pids", "", own_pid()));
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_TRUE(place) << place.error().describe();
  EXPECT_EQ(place->means, CgroupPlace::Means::split);
  EXPECT_EQ(place->parent, root_ + "/mine");
  EXPECT_EQ(place->enable, (std::vector<std::string>{"memory", "pids"}));
}

TEST_F(CgroupPlaceTest, AShellInALeafOfADelegatedGroupGetsASibling) {
  group("", "cpu memory pids", "memory pids", "");
  group("/mine", "memory pids", "memory", "");
  this_process_is_in(group("/mine/shell", "memory", "", "1\n" + own_pid()));
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_TRUE(place) << place.error().describe();
  EXPECT_EQ(place->means, CgroupPlace::Means::below);
  EXPECT_EQ(place->parent, root_ + "/mine");
  EXPECT_EQ(place->enable, std::vector<std::string>{"pids"});
}

TEST_F(CgroupPlaceTest, TheRootOfTheHierarchyMayHoldProcessesBesideGroups) {
  this_process_is_in(group("", "memory pids", "", "1\n2\n" + own_pid()));
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_TRUE(place) << place.error().describe();
  EXPECT_EQ(place->means, CgroupPlace::Means::below);
  EXPECT_EQ(place->parent, root_);
}

TEST_F(CgroupPlaceTest, AGroupWithOtherProcessesIsRefusedWithTheReason) {
  group("", "memory pids", "memory pids", "1\n");
  const std::string own = group("/mine", "memory pids", "", "1\n" + own_pid());
  this_process_is_in(own);
  fs::remove(root_ + "/cgroup.subtree_control");  // the parent is not ours
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().kind(), ErrorKind::unsupported);
  EXPECT_THAT(place.error().message(), HasSubstr("limits.memory, limits.pids need"));
  EXPECT_THAT(place.error().message(), HasSubstr(own + " holds other processes"));
  EXPECT_THAT(place.error().remedy(), HasSubstr("start ward alone in its group"));
}

TEST_F(CgroupPlaceTest, BelowSystemdOnlyADelegatedGroupIsUsed) {
  machine_.systemd_runs = true;
  machine_.busctl = "/usr/bin/busctl";
  machine_.bus_socket = "/run/user/1000/bus";
  group("", "memory pids", "memory pids", "");
  this_process_is_in(group("/session.scope", "memory pids", "", own_pid()));
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_TRUE(place) << place.error().describe();
  EXPECT_EQ(place->means, CgroupPlace::Means::systemd);
  EXPECT_EQ(place->v2_mount_point, root_);
}

TEST_F(CgroupPlaceTest, AUserWithoutASystemdManagerIsToldHowToGetOne) {
  machine_.systemd_runs = true;
  machine_.busctl = "/usr/bin/busctl";
  group("", "memory pids", "memory pids", "");
  this_process_is_in(group("/session.scope", "memory pids", "", own_pid()));
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message(), HasSubstr("no systemd manager"));
  EXPECT_THAT(place.error().remedy(), HasSubstr("loginctl enable-linger 1000"));
}

TEST_F(CgroupPlaceTest, AControllerThatTheUsersManagerHasNotIsRefusedWithTheLineThatAddsIt) {
  machine_.systemd_runs = true;
  machine_.busctl = "/usr/bin/busctl";
  machine_.bus_socket = "/run/user/1000/bus";
  group("", "io memory pids", "io memory pids", "");
  group("/user.slice/user-1000.slice/user@1000.service", "memory pids", "memory pids", "");
  this_process_is_in(group("/session.scope", "", "", own_pid()));
  const Result<CgroupPlace> memory = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_TRUE(memory) << memory.error().describe();
  EXPECT_EQ(memory->means, CgroupPlace::Means::systemd);
  const Result<CgroupPlace> io = place_cgroup({Controller::memory, Controller::io}, machine_);
  ASSERT_FALSE(io);
  EXPECT_THAT(io.error().message(), HasSubstr("manager of user 1000 has no controller io"));
  EXPECT_THAT(io.error().remedy(), HasSubstr("Delegate=cpu io memory pids"));
}

TEST_F(CgroupPlaceTest, ControllersThatVersion2LacksAreTakenFromVersion1) {
  this_process_is_in(group("", "hugetlb", "", own_pid()));
  v1_hierarchy("memory", group("/memory", "", "", ""));
  v1_hierarchy("pids", group("/pids", "", "", ""));
  const Result<CgroupPlace> place = place_cgroup(kMemoryAndPids, machine_);
  ASSERT_TRUE(place) << place.error().describe();
  EXPECT_EQ(place->means, CgroupPlace::Means::v1);
  ASSERT_EQ(place->v1_parents.size(), 2U);
  EXPECT_EQ(place->v1_parents[0].dir, root_ + "/memory");
}

TEST_F(CgroupPlaceTest, ControllersThatShareAHierarchyShareTheGroup) {
  machine_.state.hierarchies.push_back(
      {sys::CgroupVersion::v1, {"cpu", "pids"}, root_, group("/both", "", "", "")});
  const Result<CgroupPlace> place = place_cgroup({Controller::cpu, Controller::pids}, machine_);
  ASSERT_TRUE(place) << place.error().describe();
  ASSERT_EQ(place->v1_parents.size(), 1U);
  EXPECT_EQ(place->v1_parents[0].controllers,
            (std::vector<Controller>{Controller::cpu, Controller::pids}));
}

TEST_F(CgroupPlaceTest, AVersion1GroupOfRootIsRefusedWithTheWayToGetOne) {
  v1_hierarchy("memory", root_ + "/absent");
  const Result<CgroupPlace> place = place_cgroup({Controller::memory}, machine_);
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message(),
              HasSubstr("/absent (cgroup v1) is not writable for user 1000"));
  EXPECT_THAT(place.error().remedy(), HasSubstr("chown -R USER"));
}

TEST_F(CgroupPlaceTest, ADiskLimitIsRefusedOnVersion1WhichDoesNotHoldBufferedWrites) {
  v1_hierarchy("memory", group("/memory", "", "", ""));
  v1_hierarchy("blkio", group("/blkio", "", "", ""));
  const Result<CgroupPlace> place = place_cgroup({Controller::memory, Controller::io}, machine_);
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message(), HasSubstr("page cache"));
}

TEST(SystemdScope, TheRequestNamesTheProcessesAndAsksForDelegation) {
  const std::vector<pid_t> pids = {41, 42};
  const std::vector<std::string> words =
      busctl_arguments({.name = "ward-1", .pids = pids, .uid = 1000, .busctl = "/usr/bin/busctl"});
  std::string line;
  for (const std::string& word : words) line += word + "|";
  EXPECT_THAT(line, HasSubstr("/usr/bin/busctl|--user|"));
  EXPECT_THAT(line, HasSubstr("|ward-1.scope|fail|4|Description|s|"));
  EXPECT_THAT(line, HasSubstr("|Delegate|b|true|"));
  EXPECT_THAT(line, HasSubstr("|PIDs|au|2|41|42|0|"));
}

}  // namespace
}  // namespace ward::confine
