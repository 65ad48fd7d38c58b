#include "config/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/environment.hpp"

namespace toolhost::config {
namespace {

using ::testing::HasSubstr;

class FindPaths : public ::testing::Test {
 protected:
  FindPaths() {
    environment_.set("HOME", "/home/ann");
    for (const char* name :
         {"TOOLHOST_SOCK", "TOOLHOST_CONFIG", "XDG_RUNTIME_DIR",
          "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
      environment_.unset(name);
    }
  }
  toolhost::testing::Environment environment_;
};

TEST_F(FindPaths, TakesTheFoldersBelowHomeWhenNothingElseIsSet) {
  const Paths paths = find_paths("", "").value();
  EXPECT_EQ(paths.config_file, "/home/ann/.config/toolhost/config.jsonc");
  EXPECT_EQ(paths.rules_file, "/home/ann/.config/toolhost/rules.jsonc");
  EXPECT_EQ(paths.state_dir, "/home/ann/.local/state/toolhost");
  EXPECT_EQ(paths.cache_dir, "/home/ann/.cache/toolhost");
  EXPECT_EQ(paths.control_socket,
            "/home/ann/.local/state/toolhost/run/toolhost.sock");
  EXPECT_FALSE(paths.config_named);
}

TEST_F(FindPaths, PrefersTheRuntimeFolderForTheSockets) {
  environment_.set("XDG_RUNTIME_DIR", "/run/user/7/");
  const Paths paths = find_paths("", "").value();
  EXPECT_EQ(paths.control_socket, "/run/user/7/toolhost/toolhost.sock");
  EXPECT_EQ(paths.caller_socket, "/run/user/7/toolhost/caller.sock");
  EXPECT_EQ(paths.lock_file, "/run/user/7/toolhost/toolhost.lock");
  EXPECT_EQ(paths.runtime_dir, "/run/user/7/toolhost");
  EXPECT_THAT(paths.socket_reason, HasSubstr("$XDG_RUNTIME_DIR"));
}

TEST_F(FindPaths, LetsTheVariableGoOverTheRuntimeFolder) {
  environment_.set("XDG_RUNTIME_DIR", "/run/user/7");
  environment_.set("TOOLHOST_SOCK", "/run/a/b.sock");
  const Paths paths = find_paths("", "").value();
  EXPECT_EQ(paths.control_socket, "/run/a/b.sock");
  EXPECT_EQ(paths.caller_socket, "/run/a/caller.sock");
  EXPECT_THAT(paths.socket_reason, HasSubstr("$TOOLHOST_SOCK"));
}

TEST_F(FindPaths, LetsTheOptionGoOverTheVariable) {
  environment_.set("TOOLHOST_SOCK", "/run/a/b.sock");
  const Paths paths = find_paths("/run/c/d.sock", "").value();
  EXPECT_EQ(paths.control_socket, "/run/c/d.sock");
  EXPECT_THAT(paths.socket_reason, HasSubstr("--socket"));
}

TEST_F(FindPaths, CountsAnEmptyVariableAsUnset) {
  environment_.set("TOOLHOST_SOCK", "");
  environment_.set("XDG_STATE_HOME", "");
  EXPECT_EQ(find_paths("", "").value().state_dir,
            "/home/ann/.local/state/toolhost");
}

TEST_F(FindPaths, PutsTheRulesBesideTheNamedConfiguration) {
  environment_.set("TOOLHOST_CONFIG", "/etc/t/main.jsonc");
  const Paths paths = find_paths("", "").value();
  EXPECT_EQ(paths.config_file, "/etc/t/main.jsonc");
  EXPECT_EQ(paths.rules_file, "/etc/t/rules.jsonc");
  EXPECT_TRUE(paths.config_named);
  EXPECT_EQ(find_paths("", "/x/y.jsonc").value().config_file, "/x/y.jsonc");
}

TEST_F(FindPaths, RefusesARelativePathAndNamesItsOrigin) {
  EXPECT_THAT(find_paths("run/t.sock", "").error().message,
              HasSubstr("--socket is the relative path \"run/t.sock\""));
  environment_.set("XDG_RUNTIME_DIR", "run");
  EXPECT_THAT(find_paths("", "").error().message,
              HasSubstr("$XDG_RUNTIME_DIR"));
  EXPECT_THAT(find_paths("/a/b", "c.jsonc").error().message,
              HasSubstr("--config"));
}

TEST_F(FindPaths, FailsWithoutHomeAndSaysWhatToSet) {
  environment_.unset("HOME");
  const Error error = find_paths("", "").error();
  EXPECT_THAT(error.message, HasSubstr("$HOME"));
  EXPECT_THAT(error.hint, HasSubstr("HOME"));
}

TEST_F(FindPaths, AcceptsASocketPathOf107BytesAndNoLonger) {
  // The callers' name is one byte shorter than the control socket's.
  const std::string longest = "/" + std::string(106, 'a');
  EXPECT_TRUE(find_paths(longest, ""));
  const Error error = find_paths(longest + "a", "").error();
  EXPECT_THAT(error.message, HasSubstr("108 bytes"));
  EXPECT_THAT(error.message, HasSubstr(longest));
  EXPECT_THAT(error.message, HasSubstr("107"));
}

TEST_F(FindPaths, MeasuresTheCallersSocketToo) {
  const std::string folder = "/" + std::string(99, 'a');
  EXPECT_THAT(find_paths(folder + "/s", "").error().message,
              HasSubstr("caller.sock"));
}

TEST_F(FindPaths, RefusesAControlSocketWithTheNameOfTheCallersSocket) {
  EXPECT_FALSE(find_paths("/run/a/caller.sock", ""));
  EXPECT_FALSE(find_paths("/run/a/toolhost.lock", ""));
}

TEST_F(FindPaths, RefusesAFolderInPlaceOfASocket) {
  EXPECT_THAT(find_paths("/run/a/", "").error().message,
              HasSubstr("names a folder"));
}

}  // namespace
}  // namespace toolhost::config
