#include "protocol/error.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <set>

namespace toolhost {
namespace {

using ::testing::HasSubstr;

template <class Row>
void expect_sound(std::span<const Row> rows) {
  std::set<std::string_view> kinds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(kinds.insert(rows[i].kind).second) << rows[i].kind;
    EXPECT_EQ(static_cast<std::size_t>(rows[i].code), i) << rows[i].kind;
    EXPECT_EQ(&info(rows[i].code), &rows[i]);
    EXPECT_TRUE(rows[i].meaning.ends_with('.')) << rows[i].kind;
    EXPECT_EQ(rows[i].kind.find_first_of(" _-"), std::string_view::npos);
  }
}

TEST(ErrorRegistry, KindsOfRequestErrorsAreUnique) {
  expect_sound(error_registry());
}

TEST(ErrorRegistry, KindsOfCallErrorsAreUnique) {
  expect_sound(call_error_registry());
}

TEST(ErrorRegistry, NumbersAreUniqueAndInTheRangesOfJsonRpc) {
  std::set<int> numbers;
  for (const ErrorInfo& row : error_registry()) {
    EXPECT_TRUE(numbers.insert(row.number).second) << row.kind;
    const bool reserved = row.number >= -32768 && row.number <= -32000;
    EXPECT_TRUE(reserved || row.number == -32800 || row.number > 0) << row.kind;
  }
  EXPECT_EQ(info(Code::parse_error).number, -32700);
  EXPECT_EQ(info(Code::method_not_found).number, -32601);
}

TEST(Error, AsJsonHasCodeMessageAndData) {
  Error error = make_error(Code::overloaded, "Too much.", "Wait.");
  error.details["retryAfterMs"] = 100;
  EXPECT_EQ(to_json(error),
            (json::object{{"code", 1007},
                          {"message", "Too much."},
                          {"data",
                           {{"kind", "overloaded"},
                            {"retryable", true},
                            {"hint", "Wait."},
                            {"retryAfterMs", 100},
                            {"details", {{"retryAfterMs", 100}}}}}}));
}

TEST(Error, WithoutHintAndDetailsIsShort) {
  EXPECT_EQ(to_json(make_error(Code::internal, "x")).at("data"),
            (json::object{{"kind", "internal"}, {"retryable", false}}));
}

TEST(Error, OfTheSystemSaysWhatTheSystemSaid) {
  EXPECT_EQ(system_error("open /x", ENOENT).message,
            "open /x: No such file or directory");
}

TEST(Error, OfACallHasKindMessageAndHint) {
  CallError error =
      make_call_error(CallErrorKind::invalid_arguments, "Bad.", "Fix it.");
  error.details["errors"] = 1;
  EXPECT_EQ(to_json(error), (json::object{{"kind", "invalidArguments"},
                                          {"message", "Bad."},
                                          {"hint", "Fix it."},
                                          {"retryable", false},
                                          {"details", {{"errors", 1}}}}));
}

TEST(Error, ValueOfAFailedResultThrowsItsMessage) {
  const Result<int> failed = make_error(Code::internal, "no number");
  try {
    (void)failed.value();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no number"));
  }
}

}  // namespace
}  // namespace toolhost
