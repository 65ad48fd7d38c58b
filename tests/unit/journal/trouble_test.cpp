// Databases that cannot be used, disks that are full, others in the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "gates/journal.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::read_file;
using toolhost::testing::run;
using toolhost::testing::write_file;

JournalCall call(const std::string& id, const std::string& key) {
  JournalCall out;
  out.call_id = id;
  out.session_id = "sess";
  out.idempotency_key = key;
  out.started_at = "2026-01-31T00:00:00.000Z";
  return out;
}

// A limit on the size of files is the full disk that a test can make: writing
// fails with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

// Another program with the database in its hands.
class Holder {
 public:
  explicit Holder(const std::string& file) {
    sqlite3_open(file.c_str(), &database_);
  }
  ~Holder() { sqlite3_close(database_); }
  Holder(const Holder&) = delete;
  int sql(const char* text) {
    return sqlite3_exec(database_, text, nullptr, nullptr, nullptr);
  }

 private:
  sqlite3* database_ = nullptr;
};

class JournalTroubleTest : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "journal.db"; }

  std::unique_ptr<Journal> open() {
    auto journal = Journal::open(loop_, file(), {});
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }

  void fill(int calls) {
    const auto journal = open();
    for (int n = 0; n < calls; ++n) {
      const std::string id = std::to_string(n);
      journal->begin_soon(call("call_" + id, "key_" + id));
    }
  }

  testing::TempDir directory_;
  asio::io_context loop_;
};

TEST_F(JournalTroubleTest, AFileThatIsNoDatabaseIsSetAside) {
  write_file(file(), std::string(8192, 'x'));
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_THAT(journal->set_aside(), HasSubstr("journal.db.corrupt-"));
  EXPECT_EQ(read_file(journal->set_aside()), std::string(8192, 'x'));
  EXPECT_TRUE(run(loop_, journal->begin(call("call_1", "key"))));
}

TEST_F(JournalTroubleTest, ADamagedDatabaseIsSetAside) {
  fill(2000);
  std::string bytes = read_file(file());
  ASSERT_GT(bytes.size(), 40'000U);
  // All but the first page, which alone says that it is a database.
  for (std::size_t at = 4096; at < bytes.size(); ++at) bytes[at] = '\x5a';
  write_file(file(), bytes);
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_THAT(journal->set_aside(), HasSubstr("corrupt"));
  EXPECT_TRUE(run(loop_, journal->begin(call("call_1", "key"))));
}

TEST_F(JournalTroubleTest, DamageThatIsMetLaterIsSetAsideAtTheNextStart) {
  fill(1);
  {
    const auto journal = open();
    ASSERT_EQ(journal->set_aside(), "");
    Holder holder(file());
    // The tree of an index and the table no longer agree on what they are.
    ASSERT_EQ(holder.sql("PRAGMA writable_schema = ON;"
                         "UPDATE sqlite_schema SET rootpage = 1 "
                         "WHERE name = 'audit';"
                         "PRAGMA schema_version = 77"),
              SQLITE_OK);
    journal->audit(AuditRecord());
    const auto flushed = run(loop_, journal->flush());
    ASSERT_FALSE(flushed);
    EXPECT_THAT(flushed.error().message, HasSubstr("malformed"));
  }
  EXPECT_THAT(open()->set_aside(), HasSubstr("corrupt"));
}

TEST_F(JournalTroubleTest, ANewerDatabaseIsSetAside) {
  fill(1);
  {
    Holder holder(file());
    ASSERT_EQ(holder.sql("PRAGMA user_version = 99"), SQLITE_OK);
  }
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_THAT(journal->set_aside(), HasSubstr("newer"));
  EXPECT_EQ(access(journal->set_aside().c_str(), F_OK), 0);
}

TEST_F(JournalTroubleTest, SomebodyElsesDatabaseIsSetAside) {
  {
    Holder holder(file());
    ASSERT_EQ(holder.sql("CREATE TABLE pictures (name TEXT)"), SQLITE_OK);
  }
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_THAT(journal->set_aside(), HasSubstr("foreign"));
}

TEST_F(JournalTroubleTest, FilesThatWereSetAsideKeepTheirNames) {
  write_file(file(), std::string(4096, 'a'));
  const std::string first = open()->set_aside();
  write_file(file(), std::string(4096, 'b'));
  std::error_code ignored;
  std::filesystem::remove(file() + "-wal", ignored);
  const std::string second = open()->set_aside();
  EXPECT_NE(first, second);
  EXPECT_EQ(read_file(first)[0], 'a');
}

TEST_F(JournalTroubleTest, ASecondDaemonIsTurnedAway) {
  const auto journal = open();
  const auto second = Journal::open(loop_, file(), {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

TEST_F(JournalTroubleTest, ALinkInItsPlaceIsRefused) {
  write_file(directory_ / "other", "");
  ASSERT_EQ(symlink((directory_ / "other").c_str(), file().c_str()), 0);
  EXPECT_FALSE(Journal::open(loop_, file(), {}));
  EXPECT_EQ(read_file(directory_ / "other"), "");
}

TEST_F(JournalTroubleTest, AFolderThatOthersMayWriteIsRefused) {
  ASSERT_EQ(chmod(directory_.path().c_str(), 0777), 0);
  const auto journal = Journal::open(loop_, file(), {});
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("by others"));
}

TEST_F(JournalTroubleTest, AFolderThatCannotBeMadeIsToldWithTheSystemsWords) {
  write_file(directory_ / "plain", "");
  const auto journal =
      Journal::open(loop_, directory_ / "plain/state/journal.db", {});
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("Not a directory"));
}

TEST_F(JournalTroubleTest, AWiderModeIsTakenBack) {
  fill(1);
  ASSERT_EQ(chmod(file().c_str(), 0644), 0);
  const auto journal = open();
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(JournalTroubleTest, AFullDiskRefusesAndRecovers) {
  const auto journal = open();
  AuditRecord record;
  record.kind = "call";
  record.body = "{}";
  {
    const FileSizeLimit full(32);
    const auto begun = run(loop_, journal->begin(call("call_1", "key_1")));
    ASSERT_FALSE(begun);
    EXPECT_THAT(begun.error().message, HasSubstr("cannot write"));
    EXPECT_THAT(begun.error().message, HasSubstr(file()));
    EXPECT_FALSE(run(loop_, journal->decide(JournalDecision())));
    journal->audit(record);
    EXPECT_FALSE(run(loop_, journal->flush()));
    EXPECT_THAT(journal->trouble(), HasSubstr("1 records wait"));
  }
  // The disk is back. What was refused stays refused, what was only handed
  // over was kept.
  ASSERT_TRUE(run(loop_, journal->begin(call("call_2", "key_2"))));
  EXPECT_EQ(journal->trouble(), "");
  EXPECT_FALSE(run(loop_, journal->find("sess", "key_1")).value());
  EXPECT_TRUE(run(loop_, journal->find("sess", "key_2")).value());
  EXPECT_EQ(run(loop_, journal->read_audit(0, "", "", 10))->size(), 1U);
}

TEST_F(JournalTroubleTest, ALookUpKnowsTheEndThatTheDiskDoesNotTake) {
  const auto journal = open();
  ASSERT_TRUE(run(loop_, journal->begin(call("call_1", "key_1"))));
  const FileSizeLimit full(32);
  journal->complete("call_1", JournalState::completed,
                    "2026-01-31T00:00:01.000Z", "{\"ok\":true}");
  EXPECT_FALSE(run(loop_, journal->flush()));
  const auto found = run(loop_, journal->find("sess", "key_1"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->state, JournalState::completed);
  EXPECT_EQ((*found)->result, "{\"ok\":true}");
}

TEST_F(JournalTroubleTest, AnIdleWriterTriesAgainByItself) {
  const auto journal = open();
  {
    const FileSizeLimit full(32);
    journal->audit(AuditRecord());
    ASSERT_FALSE(run(loop_, journal->flush()));
  }
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!journal->trouble().empty() &&
         std::chrono::steady_clock::now() < deadline) {
    asio::steady_timer keep_running(loop_, std::chrono::seconds(20));
    keep_running.async_wait([](boost::system::error_code) {});
    loop_.restart();
    loop_.run_one();
  }
  EXPECT_EQ(journal->trouble(), "");
}

TEST_F(JournalTroubleTest, AnotherProgramsLockIsToldAndPasses) {
  const auto journal = open();
  ASSERT_TRUE(run(loop_, journal->begin(call("call_0", "key_0"))));
  Holder holder(file());
  ASSERT_EQ(holder.sql("BEGIN IMMEDIATE"), SQLITE_OK);
  const auto begun = run(loop_, journal->begin(call("call_1", "key_1")));
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().message, HasSubstr("locked"));
  EXPECT_THAT(begun.error().hint, HasSubstr("Close the program"));
  // Reading never waits for a writer.
  EXPECT_TRUE(run(loop_, journal->find("sess", "key_0")).value());
  ASSERT_EQ(holder.sql("ROLLBACK"), SQLITE_OK);
  EXPECT_TRUE(run(loop_, journal->begin(call("call_2", "key_2"))));
}

TEST_F(JournalTroubleTest, DestructionEndsAlsoWhenTheDiskIsFull) {
  auto journal = open();
  const FileSizeLimit full(32);
  journal->audit(AuditRecord());
  journal.reset();
  EXPECT_EQ(journal, nullptr);
}

}  // namespace
}  // namespace toolhost
