// Older files: they get the newest schema, and a copy is kept before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "gates/journal.hpp"
#include "gates/journal_schema.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::run;

std::int64_t number(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::int64_t out = -1;
  sqlite3_open(file.c_str(), &database);
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) ==
          SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    out = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return out;
}

class JournalMigrationTest : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "journal.db"; }
  std::string copy() const { return file() + ".version-1"; }

  // A file as version 1 wrote it, with one call in it.
  void make_version_1() {
    {
      auto journal = Journal::open(loop_, file(), {});
      ASSERT_TRUE(journal);
      JournalCall call;
      call.call_id = "call_old";
      call.session_id = "sess";
      call.idempotency_key = "key";
      ASSERT_TRUE(run(loop_, (*journal)->begin(call)));
      (*journal)->complete("call_old", JournalState::completed, "then", "{}");
      ASSERT_TRUE(run(loop_, (*journal)->flush()));
    }
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database,
                           "DROP TABLE approvals;"
                           "DROP INDEX decisions_by_approval;"
                           "PRAGMA user_version = 1;",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
  }

  testing::TempDir directory_;
  asio::io_context loop_;
};

TEST_F(JournalMigrationTest, AnOlderFileIsTakenForwardWithWhatItHolds) {
  make_version_1();
  auto journal = Journal::open(loop_, file(), {});
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ((*journal)->set_aside(), "");
  const auto found = run(loop_, (*journal)->find("sess", "key"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->call_id, "call_old");
  JournalApproval question;
  question.approval_id = "appr_1";
  EXPECT_TRUE(run(loop_, (*journal)->ask(question)));
  EXPECT_EQ(number(file(), "PRAGMA user_version"), kJournalVersion);
}

TEST_F(JournalMigrationTest, ACopyOfTheOlderFileIsKeptForItsOwnerOnly) {
  make_version_1();
  ASSERT_TRUE(Journal::open(loop_, file(), {}));
  EXPECT_EQ(number(copy(), "PRAGMA user_version"), 1);
  EXPECT_EQ(number(copy(), "SELECT count(*) FROM calls"), 1);
  struct stat status {};
  ASSERT_EQ(stat(copy().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(JournalMigrationTest, WithoutACopyNothingIsChanged) {
  make_version_1();
  std::filesystem::create_directory(copy());
  const auto journal = Journal::open(loop_, file(), {});
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr(copy()));
  EXPECT_EQ(number(file(), "PRAGMA user_version"), 1);
}

TEST_F(JournalMigrationTest, ANewFileNeedsNoCopy) {
  ASSERT_TRUE(Journal::open(loop_, file(), {}));
  EXPECT_FALSE(std::filesystem::exists(copy()));
  EXPECT_EQ(number(file(), "PRAGMA user_version"), kJournalVersion);
}

}  // namespace
}  // namespace toolhost
