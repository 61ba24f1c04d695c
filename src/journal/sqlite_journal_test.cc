// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/sqlite_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "journal/helpers_test.h"

namespace ward::journal {
namespace {

using test::append;
using test::bytes_of;
using test::files;
using test::records;
using test::TempFolder;
using test::verified;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Changes a journal behind Ward's back.
void tamper(const std::string& folder, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(sqlite_path(folder).c_str(), &db), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  sqlite3_close(db);
}

TEST(SqliteJournal, NeverWrittenIsEmptyAndMakesNothing) {
  const TempFolder folder;
  const std::string state = folder / "state";
  auto journal = sqlite_journal({.folder = state});
  EXPECT_THAT(records(*journal), IsEmpty());
  EXPECT_EQ(journal->head().value(), std::nullopt);
  EXPECT_TRUE(verified(state).sound());
  EXPECT_FALSE(std::filesystem::exists(state));
}

TEST(SqliteJournal, KeepsEventsInOrderBehindTheOneThatBeginsTheChain) {
  const TempFolder folder;
  const std::string state = folder / "a/b/state";
  ASSERT_TRUE(append(state, "one"));
  const auto second = append(state, "two");
  ASSERT_TRUE(second);
  const auto all = records(state);
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].kind, "journal-created");
  EXPECT_EQ(all[1].payload, R"({"note":"one"})");
  EXPECT_EQ(all[2].payload, R"({"note":"two"})");
  EXPECT_EQ(second->head, (Head{3, all[2].hash}));
  EXPECT_EQ(second->chain, chain_id(all[0].hash));
  EXPECT_EQ(second->notice, "");
  EXPECT_TRUE(verified(state).sound());
}

TEST(SqliteJournal, IsTheUsersAlone) {
  const TempFolder folder;
  const std::string state = folder / "state";
  ASSERT_TRUE(append(state, "one"));
  struct stat status = {};
  ASSERT_EQ(::stat(state.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
  for (const std::string& file : files(state, "journal")) {
    ASSERT_EQ(::stat((state + "/" + file).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U) << file;
  }
}

TEST(SqliteJournal, SelectsByRunKindAndFromTheEnd) {
  const TempFolder folder;
  auto journal = sqlite_journal({.folder = folder.path()});
  std::vector<Event> events = {test::event("a"), test::event("b", EventKind::run_ended),
                               test::event("c"), test::event("d")};
  events[2].run = "other";
  ASSERT_TRUE(journal->append(events, Durability::synced));
  EXPECT_THAT(records(*journal, {.run = "other"}), SizeIs(1));
  EXPECT_THAT(records(*journal, {.kind = EventKind::denied}), SizeIs(3));
  EXPECT_THAT(records(*journal, {.run = "run", .kind = EventKind::denied}), SizeIs(2));
  const auto last = records(*journal, {.last = 2});
  ASSERT_THAT(last, SizeIs(2));
  EXPECT_EQ(last[0].seq, 4);
  EXPECT_EQ(last[1].seq, 5);
  EXPECT_THAT(records(*journal, {.last = 0}), IsEmpty());
  EXPECT_THAT(records(*journal, {.run = "' OR 1=1 --"}), IsEmpty());
}

TEST(SqliteJournal, KeepsAnyBytesOfRunAndPayload) {
  const TempFolder folder;
  auto journal = sqlite_journal({.folder = folder.path()});
  Event event = {.kind = EventKind::denied, .run = std::string("r\0\xff", 3)};
  event.payload.set("target", std::string("/x\0\xff", 4));
  ASSERT_TRUE(journal->append(std::span(&event, 1), Durability::unsynced));
  const auto all = records(*journal);
  EXPECT_EQ(all[1].run, event.run);
  EXPECT_EQ(all[1].payload, event.payload.text());
  EXPECT_TRUE(verified(folder.path()).sound());
}

TEST(SqliteJournal, LogStaysBoundedOverManyRuns) {
  const TempFolder folder;
  std::uintmax_t largest = 0;
  for (int run = 0; run < 300; ++run) {
    auto journal = sqlite_journal({.folder = folder.path()});
    ASSERT_TRUE(append(*journal, std::string(300, 's')));
    ASSERT_TRUE(append(*journal, std::string(300, 'e')));
    ASSERT_TRUE(journal->settle());
    largest = std::max(largest, std::filesystem::file_size(folder / "journal.db-wal"));
  }
  EXPECT_LT(largest, 300'000U);
  EXPECT_EQ(verified(folder.path()).records, 601);
}

TEST(SqliteJournal, SettlesWhileOthersReadAndLater) {
  const TempFolder folder;
  auto writer = sqlite_journal({.folder = folder.path()});
  ASSERT_TRUE(append(*writer, std::string(400'000, 'x')));
  auto reader = sqlite_journal({.folder = folder.path()});
  Status settled;
  ASSERT_TRUE(reader->scan({}, [&](const Record&) {
    settled = writer->settle();
    return false;
  }));
  EXPECT_TRUE(settled);
  EXPECT_TRUE(append(*writer, "y"));
  EXPECT_TRUE(writer->settle());
  EXPECT_LT(std::filesystem::file_size(folder / "journal.db-wal"), 10'000U);
  EXPECT_TRUE(verified(folder.path()).sound());
}

// A hundred `ward run` at once, on a machine that never ran it before.
TEST(SqliteJournal, AHundredProcessesNeitherLoseNorForkTheChain) {
  const TempFolder folder;
  const std::string state = folder / "state";
  constexpr int kProcesses = 100;
  std::vector<pid_t> children;
  for (int number = 0; number < kProcesses; ++number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto journal = sqlite_journal({.folder = state, .patience = std::chrono::seconds(60)});
      const bool started = append(*journal, std::to_string(number) + " start").has_value();
      const bool ended = append(*journal, std::to_string(number) + " end").has_value();
      ::_exit(started && ended && journal->settle() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Verification verification = verified(state);
  EXPECT_TRUE(verification.sound());
  EXPECT_EQ(verification.records, 1 + 2 * kProcesses);
  std::set<std::string> notes;
  for (const Record& record : records(state)) notes.insert(record.payload);
  EXPECT_THAT(notes, SizeIs(1 + 2 * kProcesses));
  EXPECT_THAT(files(state, "journal.damaged"), IsEmpty());
  EXPECT_THAT(files(state, "journal.db.new"), IsEmpty());
}

TEST(SqliteJournal, WaitsForOthersOnlySoLong) {
  const TempFolder folder;
  ASSERT_TRUE(append(folder.path(), "one"));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(sqlite_path(folder.path()).c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  auto impatient =
      sqlite_journal({.folder = folder.path(), .patience = std::chrono::milliseconds(20)});
  const auto refused = append(*impatient, "two");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::busy);
  sqlite3_close(other);
  EXPECT_TRUE(append(*impatient, "two"));
  EXPECT_EQ(verified(folder.path()).records, 3);
}

TEST(SqliteJournal, VerifyFindsWhatIsChangedBehindItsBack) {
  const TempFolder folder;
  for (int number = 0; number < 5; ++number) ASSERT_TRUE(append(folder.path(), "x"));
  ASSERT_TRUE(verified(folder.path()).sound());
  const Head head = *sqlite_journal({.folder = folder.path()})->head().value();
  tamper(folder.path(), "UPDATE events SET payload = '{}' WHERE seq = 3");
  EXPECT_FALSE(verified(folder.path()).sound());
  tamper(folder.path(), "UPDATE events SET payload = '{\"note\":\"x\"}' WHERE seq = 3");
  EXPECT_TRUE(verified(folder.path()).sound());
  tamper(folder.path(), "UPDATE events SET hash = x'00' WHERE seq = 3");
  EXPECT_FALSE(verified(folder.path()).sound());
  tamper(folder.path(), "DELETE FROM events WHERE seq >= 3");
  EXPECT_TRUE(verified(folder.path()).sound());
  const NotedHead noted = {.head = head, .where = "--head"};
  EXPECT_FALSE(verified(folder.path(), std::span(&noted, 1)).sound());
}

TEST(SqliteJournal, CodeInTheFileIsNeverRun) {
  const TempFolder folder;
  ASSERT_TRUE(append(folder.path(), "one"));
  tamper(folder.path(), "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END");
  ASSERT_TRUE(append(folder.path(), "two"));
  EXPECT_THAT(records(folder.path()), SizeIs(3));
}

TEST(SqliteJournal, ANewerOneIsRefusedAndLeftAlone) {
  const TempFolder folder;
  ASSERT_TRUE(append(folder.path(), "one"));
  tamper(folder.path(), "PRAGMA user_version = 99");
  const std::string before = bytes_of(folder / "journal.db");
  const auto refused = append(folder.path(), "two");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::unsupported);
  EXPECT_NE(refused.error().remedy(), "");
  EXPECT_EQ(bytes_of(folder / "journal.db"), before);
  EXPECT_THAT(files(folder.path(), "journal.damaged"), IsEmpty());
}

TEST(SqliteJournal, AnOlderOneIsBroughtUpToDate) {
  const TempFolder folder;
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(sqlite_path(folder.path()).c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x57617264",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  ASSERT_TRUE(append(folder.path(), "one"));
  EXPECT_THAT(records(folder.path()), SizeIs(1));
}

struct Damage {
  const char* name;
  void (*make)(const std::string& database);
  bool head_is_known;
};

void overwrite(const std::string& path, off_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file << bytes;
}

const Damage kDamages[] = {
    {"garbage", [](const std::string& path) { test::write_bytes(path, std::string(9000, 'g')); },
     false},
    {"empty", [](const std::string& path) { test::write_bytes(path, ""); }, false},
    {"a few bytes", [](const std::string& path) { test::write_bytes(path, "SQLite"); }, false},
    {"a folder",
     [](const std::string& path) {
       std::filesystem::remove(path);
       std::filesystem::create_directory(path);
     },
     false},
    {"a link",
     [](const std::string& path) {
       std::filesystem::remove(path);
       std::filesystem::create_symlink("/etc/passwd", path);
     },
     false},
    {"cut in the middle",
     [](const std::string& path) { std::filesystem::resize_file(path, 5 * 4096); }, false},
    {"header overwritten",
     [](const std::string& path) { overwrite(path, 0, std::string(100, 'h')); }, false},
    {"every table page overwritten",
     [](const std::string& path) {
       const auto size = std::filesystem::file_size(path);
       overwrite(path, 4096, std::string(size - 4096, 'p'));
     },
     false},
    {"the table is gone",
     [](const std::string& path) {
       tamper(std::filesystem::path(path).parent_path(), "DROP TABLE events");
     },
     false},
    {"a column is gone",
     [](const std::string& path) {
       tamper(std::filesystem::path(path).parent_path(), "ALTER TABLE events DROP COLUMN prev");
     },
     true},
    {"somebody else's database",
     [](const std::string& path) {
       std::filesystem::remove(path);
       tamper(std::filesystem::path(path).parent_path(), "CREATE TABLE other (a)");
     },
     false},
};

class SqliteJournalDamage : public ::testing::TestWithParam<Damage> {};
INSTANTIATE_TEST_SUITE_P(All, SqliteJournalDamage, ::testing::ValuesIn(kDamages),
                         [](const auto& damage) {
                           std::string name = damage.param.name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST_P(SqliteJournalDamage, IsSetAsideAndANewChainSaysSo) {
  const TempFolder folder;
  const std::string& state = folder.path();
  std::optional<Head> head;
  {
    auto journal = sqlite_journal({.folder = state});
    for (int number = 0; number < 20; ++number)
      ASSERT_TRUE(append(*journal, std::string(20'000, 'x')));
    ASSERT_TRUE(journal->settle());
    head = journal->head().value();
  }
  const std::string chain = verified(state).chain;
  // The log would heal a page of the database: it goes with the damage.
  for (const char* companion : {"-wal", "-shm"})
    std::filesystem::remove(sqlite_path(state) + companion);
  GetParam().make(sqlite_path(state));
  const std::string damaged_bytes = bytes_of(sqlite_path(state));

  const auto appended = append(state, "after");
  ASSERT_TRUE(appended) << appended.error().describe();
  const auto aside = files(state, "journal.damaged-");
  ASSERT_FALSE(aside.empty());
  EXPECT_THAT(appended->notice, HasSubstr(aside[0]));
  EXPECT_EQ(bytes_of(state + "/" + aside[0]), damaged_bytes);

  const auto all = records(state);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].payload, HasSubstr(aside[0]));
  EXPECT_EQ(all[1].payload, R"({"note":"after"})");
  EXPECT_EQ(all[0].payload.find(to_string(*head)) != std::string::npos, GetParam().head_is_known);
  EXPECT_EQ(all[0].payload.find(chain) != std::string::npos, GetParam().head_is_known);
  EXPECT_TRUE(verified(state).sound());
  EXPECT_EQ(append(state, "again").value().notice, "");
}

TEST_P(SqliteJournalDamage, IsReportedAndNotTouchedByReading) {
  const TempFolder folder;
  const std::string& state = folder.path();
  {
    auto journal = sqlite_journal({.folder = state});
    for (int number = 0; number < 20; ++number)
      ASSERT_TRUE(append(*journal, std::string(20'000, 'x')));
    ASSERT_TRUE(journal->settle());
  }
  for (const char* companion : {"-wal", "-shm"})
    std::filesystem::remove(sqlite_path(state) + companion);
  GetParam().make(sqlite_path(state));
  const std::string damaged_bytes = bytes_of(sqlite_path(state));
  EXPECT_FALSE(verify(*sqlite_journal({.folder = state}), {}));
  EXPECT_EQ(bytes_of(sqlite_path(state)), damaged_bytes);
  EXPECT_THAT(files(state, "journal.damaged-"), IsEmpty());
}

TEST(SqliteJournal, GoesOnInTheNewFileWhenAnotherProcessSetTheOldAside) {
  const TempFolder folder;
  auto early = sqlite_journal({.folder = folder.path()});
  ASSERT_TRUE(append(*early, "one"));
  for (const char* companion : {"", "-wal", "-shm"})
    std::filesystem::rename(sqlite_path(folder.path()) + companion,
                            (folder / "journal.damaged-x.db") + companion);
  ASSERT_TRUE(append(folder.path(), "two"));
  ASSERT_TRUE(append(*early, "three"));
  EXPECT_THAT(records(folder.path()), SizeIs(3));
  EXPECT_TRUE(verified(folder.path()).sound());
}

TEST(SqliteJournal, ALogWithoutItsDatabaseIsNotReplayedIntoANewOne) {
  const TempFolder folder;
  ASSERT_TRUE(append(folder.path(), "one"));
  std::filesystem::remove(sqlite_path(folder.path()));
  const std::string log = bytes_of(folder / "journal.db-wal");
  ASSERT_TRUE(append(folder.path(), "two"));
  EXPECT_THAT(records(folder.path()), SizeIs(2));
  const auto orphans = files(folder.path(), "journal.orphaned-");
  ASSERT_FALSE(orphans.empty());
  EXPECT_EQ(bytes_of(folder / orphans.back()), log);
}

TEST(SqliteJournal, RefusesAFolderThatOthersCanWrite) {
  const TempFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0770), 0);
  const auto refused = append(folder.path(), "one");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::denied);
}

}  // namespace
}  // namespace ward::journal
