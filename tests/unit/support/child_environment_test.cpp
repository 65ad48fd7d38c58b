#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "providers/support/child_process.hpp"

namespace toolhost {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(ChildEnvironment, PassesNoSecretOfOurOwn) {
  const Variable key("X_API_KEY", "CANARY1");
  const Variable cipher("MY_CIPHER", "CANARY2");
  EXPECT_THAT(child_environment(), Not(Contains(HasSubstr("CANARY"))));
}

TEST(ChildEnvironment, PassesPathHomeAndLocale) {
  const Variable path("PATH", "/some/bin:/bin");
  const Variable locale("LC_TIME", "C");
  const auto env = child_environment();
  EXPECT_THAT(env, Contains("PATH=/some/bin:/bin"));
  EXPECT_THAT(env, Contains("LC_TIME=C"));
}

TEST(ChildEnvironment, PassesConfiguredNames) {
  const Variable named("CARGO_HOME", "/c");
  EXPECT_THAT(child_environment(), Not(Contains("CARGO_HOME=/c")));
  EXPECT_THAT(child_environment({"CARGO_HOME"}), Contains("CARGO_HOME=/c"));
}

TEST(ChildEnvironment, NeverPassesWaysBackEvenWhenConfigured) {
  const Variable agent("SSH_AUTH_SOCK", "/agent");
  const Variable bus("DBUS_SESSION_BUS_ADDRESS", "unix:path=/bus");
  const Variable token("TOOLHOST_TOKEN", "t");
  const Variable startup("BASH_ENV", "/rc");
  const auto env =
      child_environment({"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
                         "TOOLHOST_TOKEN", "BASH_ENV"});
  for (const char* name :
       {"SSH_AUTH_SOCK=", "DBUS_", "TOOLHOST_", "BASH_ENV="}) {
    EXPECT_THAT(env, Not(Contains(StartsWith(name))));
  }
}

TEST(ChildEnvironment, QuestionsCannotBeTurnedOnAgain) {
  const Variable editor("GIT_EDITOR", "vim");
  const Variable prompt("GIT_TERMINAL_PROMPT", "1");
  const auto env = child_environment({"GIT_EDITOR", "GIT_TERMINAL_PROMPT"});
  EXPECT_THAT(env, Contains("GIT_EDITOR=/bin/false"));
  EXPECT_THAT(env, Contains("GIT_TERMINAL_PROMPT=0"));
  EXPECT_THAT(env, Not(Contains("GIT_EDITOR=vim")));
  EXPECT_THAT(env, Not(Contains("GIT_TERMINAL_PROMPT=1")));
}

}  // namespace
}  // namespace toolhost
