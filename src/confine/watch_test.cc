// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "confine/watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <thread>

#include "confine/notify_lab.h"
#include "confine/seen_folders.h"
#include "support/needs.h"
#include "support/temp_dir.h"

namespace ward::confine {
namespace {

using std::chrono::steady_clock;
using ::testing::UnorderedElementsAre;

sys::ObjectId id_of(const std::string& path) {
  return sys::object_id(*sys::stat_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW));
}

UniqueFd namespace_of(pid_t pid, const char* kind) {
  auto fd = sys::open_path("/proc/" + std::to_string(pid) + "/ns/" + kind, O_RDONLY);
  return fd ? std::move(*fd) : UniqueFd();
}

// What a keeper does with the watch.
struct Kept {
  std::optional<Watch> watch;
  std::vector<Denial> breaches, denials;
  std::vector<std::string> notes;
  pid_t init = 0;
  Watch::Times times{.every = std::chrono::milliseconds(0), .glances = 1};
  UniqueFd told_in, told_out;  // a byte for each denial and note

  Kept() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    told_in = UniqueFd(ends[0]);
    told_out = UniqueFd(ends[1]);
  }
  // Inside: until the watch has told of that many things.
  void wait_until_told(int things) const {
    char byte = 0;
    while (things > 0 && ::read(told_in.get(), &byte, 1) == 1) --things;
  }
  void tell() const { EXPECT_EQ(::write(told_out.get(), "+", 1), 1); }

  WatchSpec spec(PathPlan plan, LateMask mask) {
    return WatchSpec{.plan = std::move(plan),
                     .private_folders = {},
                     .roots = {},
                     .most_folders = 100,
                     .mask = std::move(mask),
                     .sandbox_creates = {},
                     .breach = [this](const Denial& denial) { breaches.push_back(denial); },
                     .on_denial =
                         [this](const Denial& denial) {
                           denials.push_back(denial);
                           tell();
                         },
                     .on_note =
                         [this](const std::string& note) {
                           notes.push_back(note);
                           tell();
                         }};
  }
  LabOptions options(PathPlan plan, std::vector<std::string> roots = {}) {
    LabOptions lab;
    lab.spec.plan = plan;
    lab.on_start = [=, this](pid_t child, Notifier& notifier) {
      init = child;
      WatchSpec wanted =
          spec(plan, LateMask(namespace_of(child, "user"), namespace_of(child, "mnt")));
      wanted.roots = roots;
      wanted.sandbox_creates = [&notifier] { return notifier.may_be_creating(); };
      wanted.breach = [this](const Denial& denial) {
        breaches.push_back(denial);
        ::kill(init, SIGKILL);
      };
      auto made = Watch::create(std::move(wanted));
      EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message());
      if (!made) return -1;
      watch.emplace(std::move(*made));
      EXPECT_TRUE(watch->begin_roots(times).has_value());
      return watch->fd();
    };
    lab.on_extra = [this] { EXPECT_TRUE(watch->on_readable().has_value()); };
    return lab;
  }
};

PathPlan plan_of(const test::TempDir& dir) {
  dir.make_dir(".git");
  dir.make_dir("sub");
  dir.make_dir("way/deep");
  PathPlan plan;
  plan.absent = {{dir / ".git", id_of(dir / ".git"), "hooks", "protected .git/hooks"}};
  plan.frozen = {{dir.path(), id_of(dir.path()), "way", id_of(dir / "way"), "on the way"}};
  return plan;
}

bool there(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0;
}

// Two threads: one calls, the other exchanges the path under it, until one of `won` exists.
std::string race(const char* harmless, const char* wanted, const std::string& won,
                 const std::function<void(const char*)>& act) {
  alignas(64) static char shared[64];
  std::strcpy(shared, harmless);
  std::thread([=] {
    for (;;) {
      std::strcpy(shared, wanted);
      std::strcpy(shared, harmless);
    }
  }).detach();
  for (int i = 0; i < 2000000 && !there(won); ++i) act(shared);
  return there(won) ? "" : "the racer never got through";
}

TEST(Watch, EndsTheRunAndRemovesWhatARacerMade) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  Kept kept;
  LabResult result = run_in_lab(kept.options(plan_of(dir)), [&] {
    if (::chdir(dir.path().c_str()) != 0) return std::string("chdir");
    race("sub/hooks", ".git/hooks", ".git/hooks", [](const char* path) {
      if (::mkdir(path, 0700) == 0) ::rmdir("sub/hooks");
    });
    // It goes on as long as it is let.
    for (int i = 0;; ++i)
      ::close(::open((".git/hooks/" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0));
  });
  ASSERT_TRUE(kept.watch.has_value());
  ASSERT_TRUE(kept.watch->settle().has_value());
  ASSERT_EQ(kept.breaches.size(), 1U);
  EXPECT_EQ(kept.breaches[0].target, dir / ".git/hooks");
  EXPECT_EQ(kept.breaches[0].rule, "protected .git/hooks");
  EXPECT_FALSE(there(dir / ".git/hooks"));
  EXPECT_EQ(result.status, SIGKILL) << "the run went on";
}

TEST(Watch, PutsBackAFolderThatARacerMoved) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  Kept kept;
  LabResult result = run_in_lab(kept.options(plan_of(dir)), [&] {
    if (::chdir(dir.path().c_str()) != 0) return std::string("chdir");
    race("wax", "way", "moved", [](const char* path) { ::rename(path, "moved"); });
    for (;;) ::mkdir("way", 0700);
  });
  ASSERT_TRUE(kept.watch.has_value());
  Status settled = kept.watch->settle();
  EXPECT_TRUE(settled.has_value()) << settled.error().message();
  ASSERT_GE(kept.breaches.size(), 1U);
  EXPECT_TRUE(there(dir / "way/deep"));
  EXPECT_FALSE(there(dir / "moved"));
}

TEST(Watch, ANameThatTheMachinesUserMakesIsLeftAloneAndMaskedInside) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  Kept kept;
  LabOptions options = kept.options(plan_of(dir));
  auto start = options.on_start;
  options.on_start = [&](pid_t init, Notifier& notifier) {
    int fd = start(init, notifier);
    dir.write(".git/hooks/pre-commit", "the user's own");
    return fd;
  };
  LabResult result = run_in_lab(std::move(options), [&] {
    std::string path = dir / ".git/hooks/pre-commit";
    kept.wait_until_told(1);
    return ::open(path.c_str(), O_RDONLY) < 0 && errno == EACCES ? "" : "it can be read";
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(kept.watch->settle().has_value());
  EXPECT_TRUE(kept.breaches.empty());
  ASSERT_EQ(kept.denials.size(), 1U);
  EXPECT_THAT(kept.denials[0].remedy, ::testing::HasSubstr("hidden inside"));
  EXPECT_EQ(test::read_text(dir / ".git/hooks/pre-commit"), "the user's own");
}

// A workspace where every `.env` is hidden.
Result<PathPlan> hiding_plan(const test::TempDir& dir) {
  policy::Filesystem filesystem;
  auto rule = [&](policy::PathList list, const std::string& pattern, bool literal) {
    filesystem.rules.push_back({list, pattern, literal, pattern, {"ward.yaml", 1, {}}});
  };
  rule(policy::PathList::allow_write, dir.path(), true);
  rule(policy::PathList::deny_read, dir / "**/.env", false);
  return plan_paths(filesystem, {.home = "/nonexistent",
                                 .cwd = dir.path(),
                                 .workspaces = {dir.path()},
                                 .private_folders = {},
                                 .ward_paths = {}});
}

TEST(Watch, AFileThatIsToBeHiddenIsMaskedWhenItAppears) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  test::TempDir elsewhere;
  dir.make_dir("a/b");
  elsewhere.write("tree/c/.env", "SECRET=2");
  auto plan = hiding_plan(dir);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  Kept kept;
  LabOptions options = kept.options(*plan, {dir.path()});
  bool made = false;
  options.on_round = [&](Notifier&) {
    // The sandbox has made `ready`: now the host makes a file, moves a folder in, and makes a file
    // in a folder that is new itself.
    if (made || !there(dir / "ready")) return;
    made = true;
    dir.write("a/b/.env", "SECRET=1");
    EXPECT_EQ(::rename((elsewhere / "tree").c_str(), (dir / "tree").c_str()), 0);
    dir.write("new/folder/.env", "SECRET=3");
  };
  LabResult result = run_in_lab(std::move(options), [&] {
    if (::chdir(dir.path().c_str()) != 0) return std::string("chdir");
    ::close(::open("ready", O_CREAT | O_WRONLY, 0600));
    kept.wait_until_told(3);
    std::string report;
    for (const char* path : {"a/b/.env", "tree/c/.env", "new/folder/.env"}) {
      if (::open(path, O_RDONLY) >= 0 || errno != EACCES)
        report += std::string(path) + " can be read; ";
      if (::open(path, O_WRONLY) >= 0) report += std::string(path) + " can be written; ";
    }
    return report;
  });
  EXPECT_EQ(result.report, "");
  EXPECT_EQ(kept.denials.size(), 3U);
  EXPECT_TRUE(kept.notes.empty());
  EXPECT_EQ(test::read_text(dir / "a/b/.env"), "SECRET=1") << "the host's file is untouched";
}

// The folders of a tree with the stamps they have now. On return the clock of change times has
// moved on, as it has when a walk believes a stamp.
std::shared_ptr<const SeenFolders> seen_now(const std::vector<std::string>& folders) {
  auto seen = std::make_shared<SeenFolders>();
  for (const std::string& folder : folders)
    seen->add(folder, sys::change_stamp(*sys::stat_at(AT_FDCWD, folder, AT_SYMLINK_NOFOLLOW)));
  const std::uint64_t now = sys::file_clock_ns();
  while (sys::file_clock_ns() == now) std::this_thread::yield();
  return seen;
}

// What is hidden once the watch has told of `count` things; `before` comes between plan and watch.
std::string hidden_in_time(Kept& kept, const PathPlan& plan, const test::TempDir& dir, int count,
                           const std::function<void()>& before) {
  before();
  LabResult result = run_in_lab(kept.options(plan, {dir.path()}), [&] {
    kept.wait_until_told(count);
    std::string report;
    for (const char* path : {"a/b/.env", "a/tree/c/.env", "a/new/folder/.env", "moved/.env"})
      if (int fd = ::open((dir / path).c_str(), O_RDONLY); fd >= 0 || errno == EACCES)
        report += std::string(path) + (fd >= 0 ? " can be read; " : " is hidden; ");
    return report;
  });
  return result.report;
}

TEST(Watch, WhatAppearedSinceThePlanSawTheFoldersIsMaskedAtTheFirstGlance) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  test::TempDir elsewhere;
  dir.make_dir("a/b");
  elsewhere.write("tree/c/.env", "SECRET=2");
  auto plan = hiding_plan(dir);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  plan->folders = seen_now({dir.path(), dir / "a", dir / "a/b"});
  Kept kept;
  kept.times.glances = 1'000'000'000;
  EXPECT_EQ(hidden_in_time(kept, *plan, dir, 3,
                           [&] {
                             dir.write("a/b/.env", "SECRET=1");
                             ::rename((elsewhere / "tree").c_str(), (dir / "a/tree").c_str());
                             dir.write("a/new/folder/.env", "SECRET=3");
                           }),
            "a/b/.env is hidden; a/tree/c/.env is hidden; a/new/folder/.env is hidden; ");
}

// One folder gives its place to another between the plan and the watch.
TEST(Watch, AFolderInThePlaceOfOneThatThePlanSawIsLookedInto) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  test::TempDir elsewhere;
  dir.make_dir("a/b");
  dir.make_dir("moved");
  elsewhere.write("other/.env", "SECRET=1");
  auto plan = hiding_plan(dir);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  plan->folders = seen_now({dir.path(), dir / "a", dir / "a/b", dir / "moved"});
  Kept kept;
  EXPECT_EQ(hidden_in_time(kept, *plan, dir, 1,
                           [&] {
                             ::rmdir((dir / "moved").c_str());
                             ::rename((elsewhere / "other").c_str(), (dir / "moved").c_str());
                           }),
            "moved/.env is hidden; ");
}

TEST(Watch, FoldersThatAreAsThePlanSawThemAreWatchedAllTheSame) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  dir.make_dir("a/b");
  auto plan = hiding_plan(dir);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  plan->folders = seen_now({dir.path(), dir / "a", dir / "a/b"});
  Kept kept;
  LabOptions options = kept.options(*plan, {dir.path()});
  int turns = 0;
  options.on_extra = [&] {
    EXPECT_TRUE(kept.watch->on_readable().has_value());
    // One turn for the glance, one to open them.
    if (++turns == 2) dir.write("a/b/.env", "SECRET=1");
  };
  LabResult result = run_in_lab(std::move(options), [&] {
    kept.wait_until_told(1);
    return ::open((dir / "a/b/.env").c_str(), O_RDONLY) < 0 && errno == EACCES ? ""
                                                                               : "it can be read";
  });
  EXPECT_EQ(result.report, "");
  EXPECT_EQ(kept.denials.size(), 1U);
}

// Told for a tree of 151 folders of which 100 may be watched.
void expect_the_bound_told(bool seen_by_the_plan) {
  test::TempDir dir;
  for (int i = 0; i < 150; ++i) dir.make_dir("d" + std::to_string(i));
  auto plan = hiding_plan(dir);
  ASSERT_TRUE(plan.has_value());
  if (!seen_by_the_plan) plan->folders.reset();
  Kept kept;
  LabResult result = run_in_lab(kept.options(*plan, {dir.path()}), [&] {
    kept.wait_until_told(1);
    return "";
  });
  EXPECT_EQ(result.report, "");
  ASSERT_EQ(kept.notes.size(), 1U);
  EXPECT_THAT(kept.notes[0], ::testing::HasSubstr("100 folders"));
}

// Hides `names` of a workspace, as a plan that saw them does.
PathPlan hiding_names(const test::TempDir& dir, std::initializer_list<const char*> names) {
  auto plan = hiding_plan(dir);
  EXPECT_TRUE(plan.has_value());
  for (const char* name : names) {
    dir.write(name, "before");
    plan->rows.push_back({.path = dir / name,
                          .action = Action::hidden,
                          .object = id_of(dir / name),
                          .rule = "denyRead " + std::string(name),
                          .stubs = {}});
  }
  // The clock of files moves in ticks, and some are stamped by an exact one: what was written could
  // be later than the plan.
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto written = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                       static_cast<std::uint64_t>(now.tv_nsec);
  while ((plan->made_ns = sys::file_clock_ns()) <= written) {
  }
  return std::move(*plan);
}

// Runs `act` outside when the watch has taken all rows up, which it tells by hiding `probe` anew;
// inside, once it has told of each of them, the names must not be readable.
LabResult hidden_after(Kept& kept, const test::TempDir& dir, PathPlan plan,
                       std::vector<std::string> names, const std::function<void()>& act) {
  LabOptions options = kept.options(std::move(plan), {dir.path()});
  std::deque<std::pair<const char*, std::function<void()>>> steps = {
      {"begun", [&] { dir.write("probe", "another"); }}, {"taken-up", act}};
  options.on_round = [&](Notifier&) {
    if (steps.empty() || !there(dir / steps.front().first)) return;
    steps.front().second();
    steps.pop_front();
  };
  return run_in_lab(std::move(options), [&] {
    ::close(::open((dir / "begun").c_str(), O_CREAT | O_WRONLY, 0600));
    kept.wait_until_told(1);
    ::close(::open((dir / "taken-up").c_str(), O_CREAT | O_WRONLY, 0600));
    kept.wait_until_told(static_cast<int>(names.size()));
    std::string report;
    for (const std::string& name : names)
      if (::open((dir / name).c_str(), O_RDONLY) >= 0 || errno != EACCES)
        report += name + " can be read; ";
    return report;
  });
}

std::vector<std::string> told_of(const Kept& kept, const test::TempDir& dir) {
  std::vector<std::string> names;
  for (const Denial& denial : kept.denials)
    names.push_back(denial.target.substr(dir.path().size() + 1));
  return names;
}

// Between the plan and the mounts an object may go: there is nothing to mount on, and nothing that
// could be read. Its name is masked when it comes back, with its folder too.
TEST(Watch, AHiddenNameThatWasGoneAtTheStartIsMaskedWhenItComesBack) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  PathPlan plan = hiding_names(dir, {"key", "gone/deep/key", "probe"});
  ASSERT_EQ(std::system(("rm -r " + dir.path() + "/*").c_str()), 0);
  Kept kept;
  const LabResult result = hidden_after(kept, dir, std::move(plan), {"key", "gone/deep/key"}, [&] {
    dir.write("key", "SECRET=1");
    dir.write("gone/deep/key", "SECRET=2");
  });
  EXPECT_EQ(result.report, "");
  EXPECT_THAT(told_of(kept, dir), UnorderedElementsAre("probe", "key", "gone/deep/key"));
  EXPECT_EQ(test::read_text(dir / "gone/deep/key"), "SECRET=2");
}

TEST(Watch, AHiddenNameInAFolderThatTheHostReplacesIsMaskedInTheNewOne) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  test::TempDir dir;
  PathPlan plan = hiding_names(dir, {"folder/key", "removed/key", "probe"});
  ASSERT_EQ(::unlink((dir / "probe").c_str()), 0);
  test::TempDir elsewhere;
  elsewhere.write("other/key", "SECRET=1");
  Kept kept;
  const LabResult result =
      hidden_after(kept, dir, std::move(plan), {"folder/key", "removed/key"}, [&] {
        EXPECT_EQ(::rename((dir / "folder").c_str(), (elsewhere / "old").c_str()), 0);
        EXPECT_EQ(::rename((elsewhere / "other").c_str(), (dir / "folder").c_str()), 0);
        EXPECT_EQ(std::system(("rm -r " + (dir / "removed")).c_str()), 0);
        dir.write("removed/key", "SECRET=2");
      });
  EXPECT_EQ(result.report, "");
  EXPECT_THAT(told_of(kept, dir), UnorderedElementsAre("probe", "folder/key", "removed/key"));
}

TEST(Watch, FoldersBeyondTheBoundAreToldOf) {
  NEEDS(user_namespaces, seccomp_notify, unix_diag);
  expect_the_bound_told(true);
  expect_the_bound_told(false);
}

TEST(SeenFolders, OfTooManyThoseNearTheRootAreKept) {
  SeenFolders seen;
  for (const char* path : {"/w", "/w/a", "/w/a/b", "/w/a/b/c", "/w/d", "/w/d/e"})
    seen.add(path, {});
  auto paths = [&](std::size_t count) {
    std::string text;
    for (std::size_t index : seen.nearest(count)) text += std::string(seen.path(index)) + " ";
    return text;
  };
  EXPECT_EQ(paths(6), "/w /w/a /w/a/b /w/a/b/c /w/d /w/d/e ");
  EXPECT_EQ(paths(4), "/w /w/a /w/d /w/a/b ");
}

TEST(RemoveTree, RemovesFoldersWithoutPermissionsAndFollowsNoLink) {
  test::TempDir dir;
  dir.write("tree/a/b/file", "x");
  dir.write("kept/file", "x");
  ASSERT_EQ(::symlink((dir / "kept").c_str(), (dir / "tree/link").c_str()), 0);
  ASSERT_EQ(::chmod((dir / "tree/a").c_str(), 0), 0);
  auto folder = sys::open_path(dir.path(), O_RDONLY | O_DIRECTORY);
  Status removed = remove_tree(folder->get(), "tree");
  EXPECT_TRUE(removed.has_value()) << removed.error().message();
  EXPECT_FALSE(there(dir / "tree"));
  EXPECT_TRUE(there(dir / "kept/file"));
  EXPECT_TRUE(remove_tree(folder->get(), "tree").has_value()) << "what is gone is no fault";
}

}  // namespace
}  // namespace ward::confine
