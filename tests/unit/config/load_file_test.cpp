#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/diff.hpp"
#include "config/load.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LoadConfig : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string path = dir_ / "config.jsonc";
    toolhost::testing::write_file(path, text);
    ::chmod(path.c_str(), 0600);
    return path;
  }
  toolhost::testing::TempDir dir_;
};

TEST_F(LoadConfig, GivesTheDefaultsWhenTheFileIsMissing) {
  const Config config = load_config(dir_ / "none.jsonc").value();
  EXPECT_THAT(changed_keys(config, Config{}), IsEmpty());
  EXPECT_EQ(config.file, "");
}

TEST_F(LoadConfig, InsistsOnAFileThatSomebodyNamed) {
  Paths paths;
  paths.config_file = dir_ / "none.jsonc";
  EXPECT_TRUE(load_config(paths));
  paths.config_named = true;
  EXPECT_THAT(load_config(paths).error().message, HasSubstr("does not exist"));
}

TEST_F(LoadConfig, ReadsTheFileAndRemembersItsName) {
  const std::string path = write(R"({"drainGraceMs": 1})");
  const Config config = load_config(path).value();
  EXPECT_EQ(config.drain_grace, Milliseconds(1));
  EXPECT_EQ(config.file, path);
}

TEST_F(LoadConfig, RefusesAFileThatOthersCanWrite) {
  const std::string path = write("{}");
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ::chmod(path.c_str(), mode);
    const Error error = load_config(path).error();
    EXPECT_THAT(error.message, HasSubstr("written by other users"));
    EXPECT_THAT(error.hint, HasSubstr("chmod go-w"));
  }
}

TEST_F(LoadConfig, RefusesAFolderAndAFifoWithoutHanging) {
  EXPECT_THAT(load_config(dir_.path()).error().message,
              HasSubstr("not a regular file"));
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(load_config(fifo).error().message,
              HasSubstr("not a regular file"));
}

TEST_F(LoadConfig, RefusesAFileOverOneMebibyte) {
  std::string text = "{}";
  text.append(kMaxConfigBytes - text.size(), ' ');
  EXPECT_TRUE(load_config(write(text)));
  EXPECT_THAT(load_config(write(text + " ")).error().message,
              HasSubstr("1048577 bytes"));
}

TEST_F(LoadConfig, FollowsALinkButNotIntoNothing) {
  const std::string link = dir_ / "link.jsonc";
  const std::string target = write(R"({"drainGraceMs": 2})");
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  EXPECT_EQ(load_config(link).value().drain_grace, Milliseconds(2));
  ASSERT_EQ(::unlink(target.c_str()), 0);
  EXPECT_THAT(load_config(link).error().message, HasSubstr("leads nowhere"));
}

TEST_F(LoadConfig, TellsWhatTheSystemSaidAboutAFileItCannotRead) {
  write("{}");
  const Error error = load_config(dir_ / "config.jsonc/below").error();
  EXPECT_EQ(error.code, Code::config_invalid);
  EXPECT_THAT(error.message, HasSubstr("Not a directory"));
}

TEST_F(LoadConfig, RefusesAFileOfAnotherUser) {
  if (::geteuid() == 0) {
    const std::string path = write("{}");
    ASSERT_EQ(::chown(path.c_str(), 12345, 0), 0);
    EXPECT_THAT(load_config(path).error().message,
                HasSubstr("another user (uid 12345)"));
  } else {
    // The files of root are the ones that everybody may rely on.
    EXPECT_THAT(load_config("/etc/passwd").error().message,
                HasSubstr("syntax error"));
  }
}

}  // namespace
}  // namespace toolhost::config
