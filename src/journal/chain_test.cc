// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/helpers_test.h"

namespace ward::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Finding::Kind;

// A journal of records in memory, for what a walk finds in them.
class Records final : public Journal {
 public:
  explicit Records(std::vector<Record> records) : records_(std::move(records)) {}
  Result<Appended> append(std::span<const Event>, Durability) override {
    return fail(ErrorKind::unsupported, "only for reading");
  }
  Status settle() override { return {}; }
  Status scan(const Query&, const std::function<bool(const Record&)>& visit) override {
    for (const Record& record : records_)
      if (!visit(record)) break;
    return {};
  }
  Result<std::optional<Head>> head() override {
    return Head{records_.back().seq, records_.back().hash};
  }

 private:
  std::vector<Record> records_;
};

std::vector<Record> chain(std::int64_t length, const std::string& id = "one") {
  std::vector<Record> records;
  Hash previous = {};
  for (std::int64_t seq = 1; seq <= length; ++seq) {
    Record record = {.seq = seq,
                     .time = Time(std::chrono::microseconds(1'000'000 + seq)),
                     .run = "run",
                     .kind = seq == 1 ? "journal-created" : "denied",
                     .payload = "{\"id\":\"" + id + std::to_string(seq) + "\"}",
                     .previous = previous};
    record.hash = hash_of(record);
    previous = record.hash;
    records.push_back(record);
  }
  return records;
}

Verification walk(std::vector<Record> records, const std::vector<NotedHead>& noted = {}) {
  Records journal(std::move(records));
  return verify(journal, noted).value();
}

std::vector<Kind> kinds(const Verification& verification) {
  std::vector<Kind> kinds;
  for (const Finding& finding : verification.findings) kinds.push_back(finding.kind);
  return kinds;
}

NotedHead note(const Record& record, const std::string& chain_name = {}) {
  return {.head = {record.seq, record.hash}, .chain = chain_name, .where = "a note"};
}

TEST(Chain, HashIsWhatTheDocumentedEncodingGives) {
  // Computed apart from this program; docs/journal.md has the lines that do it.
  const Record record = {.seq = 7,
                         .time = Time(std::chrono::microseconds(1'700'000'000'000'001)),
                         .run = "01arz3ndektsv4rrffq69g5fav",
                         .kind = "run-started",
                         .payload = R"({"a":1})"};
  EXPECT_EQ(to_hex(hash_of(record)),
            "329ddca5517a8dcc352f7f2bf07dc8267fd18b00a271dd335a07384efd849319");
}

TEST(Chain, NoTwoRecordsShareAnEncoding) {
  Record one = {.seq = 1, .time = {}, .run = "ab", .kind = "c", .payload = "{}"};
  Record other = one;
  other.run = "a";
  other.kind = "bc";
  EXPECT_NE(hash_of(one), hash_of(other));
}

TEST(Chain, EveryFieldCounts) {
  const Record record = chain(2)[1];
  std::vector<Record> changed(6, record);
  changed[0].seq += 1;
  changed[1].time += std::chrono::microseconds(1);
  changed[2].run += "x";
  changed[3].kind += "x";
  changed[4].payload += " ";
  changed[5].previous[31] ^= 1;
  for (const Record& other : changed) EXPECT_NE(hash_of(other), record.hash);
}

TEST(Chain, AnHonestOneIsSound) {
  const auto records = chain(5);
  const Verification verification = walk(records, {note(records[2]), note(records[4])});
  EXPECT_TRUE(verification.sound());
  EXPECT_EQ(verification.records, 5);
  EXPECT_EQ(verification.heads_met, 2U);
  EXPECT_EQ(verification.chain, chain_id(records[0].hash));
  EXPECT_EQ(verification.head, (Head{5, records[4].hash}));
}

TEST(Chain, FindsARemovedRecord) {
  auto records = chain(5);
  records.erase(records.begin() + 2);
  EXPECT_THAT(kinds(walk(records)), ElementsAre(Kind::gap, Kind::broken));
}

TEST(Chain, FindsARemovedRecordWhoseFollowersWereRenumbered) {
  auto records = chain(5);
  records.erase(records.begin() + 2);
  records[2].seq = 3;
  records[3].seq = 4;
  EXPECT_THAT(kinds(walk(records)), ElementsAre(Kind::broken, Kind::altered, Kind::altered));
}

TEST(Chain, FindsAChangedRecord) {
  auto records = chain(5);
  records[2].payload = R"({"id":"nothing"})";
  EXPECT_THAT(kinds(walk(records)), ElementsAre(Kind::altered));
}

TEST(Chain, FindsAChangedRecordThatWasHashedAnew) {
  auto records = chain(5);
  records[2].payload = R"({"id":"nothing"})";
  records[2].hash = hash_of(records[2]);
  EXPECT_THAT(kinds(walk(records)), ElementsAre(Kind::broken));
}

TEST(Chain, FindsReorderedRecords) {
  auto records = chain(5);
  std::swap(records[1], records[2]);
  std::swap(records[1].seq, records[2].seq);
  EXPECT_THAT(kinds(walk(records)),
              ElementsAre(Kind::broken, Kind::altered, Kind::broken, Kind::altered, Kind::broken));
}

TEST(Chain, FindsAMissingStart) {
  auto records = chain(5);
  records.erase(records.begin());
  EXPECT_THAT(kinds(walk(records)), ElementsAre(Kind::no_start));
}

TEST(Chain, FindsACutTailByANotedHeadOnly) {
  const auto whole = chain(5);
  const std::vector<Record> cut(whole.begin(), whole.begin() + 3);
  EXPECT_TRUE(walk(cut).sound());
  EXPECT_THAT(kinds(walk(cut, {note(whole[4])})), ElementsAre(Kind::cut_tail));
  EXPECT_THAT(kinds(walk({}, {note(whole[4])})), ElementsAre(Kind::cut_tail));
}

TEST(Chain, FindsAWhollyRewrittenOneByANotedHeadOnly) {
  const auto honest = chain(5);
  const auto rewritten = chain(6, "other");
  EXPECT_TRUE(walk(rewritten).sound());
  EXPECT_THAT(kinds(walk(rewritten, {note(honest[4])})), ElementsAre(Kind::replaced));
}

TEST(Chain, FindsThatANotedRecordIsMissing) {
  const auto whole = chain(5);
  auto records = whole;
  records.erase(records.begin() + 2);
  EXPECT_THAT(kinds(walk(records, {note(whole[2])})),
              ElementsAre(Kind::gap, Kind::broken, Kind::replaced));
}

TEST(Chain, FindsThatAnotherJournalWasHere) {
  const auto old = chain(5, "old");
  const std::string old_chain = chain_id(old[0].hash);
  const Verification verification = walk(chain(3), {note(old[4], old_chain)});
  EXPECT_THAT(kinds(verification), ElementsAre(Kind::other));
  EXPECT_THAT(kinds(walk({}, {note(old[4], old_chain)})), ElementsAre(Kind::other));
}

TEST(Chain, CountsHeadsOfTheJournalThatItSaysItReplaced) {
  const auto old = chain(5, "old");
  const std::string old_chain = chain_id(old[0].hash);
  Record first = {.seq = 1,
                  .time = {},
                  .run = {},
                  .kind = "journal-created",
                  .payload = R"({"replaces":{"chain":")" + old_chain + R"("}})"};
  first.hash = hash_of(first);
  const Verification verification = walk({first}, {note(old[4], old_chain)});
  EXPECT_THAT(verification.findings, IsEmpty());
  EXPECT_EQ(verification.heads_of_replaced, 1U);
}

TEST(Chain, FindingsAreBounded) {
  auto records = chain(1000);
  for (Record& record : records) record.payload = "{}";
  EXPECT_EQ(walk(records).findings.size(), kMaxFindings);
}

TEST(Head, SurvivesTextAndBack) {
  const Head head = {42, chain(1)[0].hash};
  EXPECT_EQ(parse_head(to_string(head)).value(), head);
  EXPECT_EQ(parse_head("42:" + to_hex(head.hash)).value(), head);
}

TEST(Head, RefusesWhatIsNone) {
  const std::string hash = to_hex(chain(1)[0].hash);
  for (const std::string& text :
       {std::string(), hash, "x:" + hash, "0:" + hash, "-1:" + hash, "1:" + hash + "0",
        "1:" + hash.substr(1) + "G", "99999999999999999999:" + hash}) {
    const auto head = parse_head(text);
    ASSERT_FALSE(head) << text;
    EXPECT_EQ(head.error().kind(), ErrorKind::invalid);
  }
}

}  // namespace
}  // namespace ward::journal
