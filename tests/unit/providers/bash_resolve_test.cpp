#include "tests/unit/providers/bash_fixture.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;

class BashResolve : public testing::BashTest {
 protected:
  Outcome<Resolution> resolve_text(const std::string& arguments) {
    return resolve(json::parse(arguments).as_object());
  }
};

TEST_F(BashResolve, ShowsExactlyWhatWillRun) {
  const Resolution out =
      resolve_text(R"({"command":"make  all\n# done","timeoutMs":5000})")
          .value();
  EXPECT_EQ(out.subject.at("type"), "command");
  EXPECT_EQ(out.subject.at("command"), "make  all\n# done");
  EXPECT_EQ(out.subject.at("cwd").as_string(), folder_.path());
  EXPECT_EQ(out.subject.at("timeoutMs"), 5000);
  EXPECT_EQ(out.title, "Run a command in " + folder_.path());
}

TEST_F(BashResolve, AsksForTheWholeCommandAndRemembersNothing) {
  const Resolution out = resolve_text(R"({"command":"ls; rm x"})").value();
  ASSERT_EQ(out.asks.size(), 1U);
  EXPECT_EQ(out.asks[0].permission, "bash");
  EXPECT_EQ(out.asks[0].pattern, "ls; rm x");
  EXPECT_EQ(out.asks[0].remember, "");
  EXPECT_FALSE(out.always_ask.empty());
  EXPECT_FALSE(out.accesses);
}

TEST_F(BashResolve, ABlankCommandIsRefused) {
  const auto out = resolve_text(R"({"command":" \n\t"})");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind, CallErrorKind::invalid_arguments);
}

TEST_F(BashResolve, ACommandThatExecWouldCutIsRefused) {
  json::object arguments;
  arguments["command"] = std::string("echo a\0; rm x", 13);
  const auto out = resolve(arguments);
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr("NUL"));
}

TEST_F(BashResolve, ACommandThatTheSystemCannotTakeIsRefused) {
  json::object arguments;
  arguments["command"] = "echo " + std::string(200'000, 'x');
  const auto out = resolve(arguments);
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().hint, HasSubstr("file"));
}

TEST_F(BashResolve, ATimeoutOverTheLimitIsRefusedWithTheLimit) {
  const auto out = resolve_text(R"({"command":"ls","timeoutMs":900001})");
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr("from 1 to 900000"));
}

TEST_F(BashResolve, AFolderOutsideTheRootsIsRefused) {
  const auto out = resolve_text(R"({"command":"ls","cwd":"/etc"})");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind, CallErrorKind::path_blocked);
}

TEST_F(BashResolve, AFolderThatDoesNotExistIsRefused) {
  const auto out = resolve_text(R"({"command":"ls","cwd":"missing"})");
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr("does not exist"));
}

TEST_F(BashResolve, TheDescriptionNamesTheLimitsOfTheConfig) {
  config_.tools.bash.max_timeout = Milliseconds(4321);
  EXPECT_THAT(builtin::bash_tool.description(config_), HasSubstr("4321"));
}

}  // namespace
}  // namespace toolhost
