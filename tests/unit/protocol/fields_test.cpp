#include "protocol/fields.hpp"

#include <gmock/gmock.h>

#include <array>

namespace toolhost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::object object(std::string_view text) {
  return json::parse(text).as_object();
}

TEST(Fields, MembersOfTheRightTypeAreRead) {
  const auto params = object(R"({"s":"x","b":true,"i":5,"o":{"k":1},"a":[1],
                                 "l":["p","q"],"c":"two"})");
  Fields in(params, "params");
  EXPECT_EQ(in.required_string("s"), "x");
  EXPECT_EQ(in.optional_string("s"), "x");
  EXPECT_EQ(in.optional_bool("b"), true);
  EXPECT_EQ(in.optional_int("i", 1, 10), 5);
  EXPECT_EQ(in.optional_object("o")->size(), 1U);
  EXPECT_EQ(in.optional_array("a")->size(), 1U);
  EXPECT_THAT(*in.optional_strings("l"), ElementsAre("p", "q"));
  constexpr std::array<std::string_view, 2> kChoices{"one", "two"};
  EXPECT_EQ(in.optional_choice("c", kChoices), "two");
  EXPECT_FALSE(in.error());
}

TEST(Fields, AbsentAndNullAreTheSame) {
  const auto params = object(R"({"n":null})");
  for (const char* name : {"n", "missing"}) {
    Fields in(params, "params");
    EXPECT_EQ(in.optional_string(name), std::nullopt);
    EXPECT_EQ(in.optional_bool(name), std::nullopt);
    EXPECT_EQ(in.optional_int(name, 0, 1), std::nullopt);
    EXPECT_EQ(in.optional_object(name), nullptr);
    EXPECT_EQ(in.optional_array(name), nullptr);
    EXPECT_EQ(in.optional_strings(name), std::nullopt);
    EXPECT_FALSE(in.error());
    EXPECT_EQ(in.required_string(name), "");
    ASSERT_TRUE(in.error());
    EXPECT_EQ(in.error()->message,
              "params." + std::string(name) + " is missing.");
  }
}

TEST(Fields, AWrongTypeIsNamedWithItsPath) {
  const auto params = object(R"({"s":1})");
  Fields in(params, "params.context");
  in.optional_string("s");
  ASSERT_TRUE(in.error());
  EXPECT_EQ(in.error()->code, Code::invalid_params);
  EXPECT_EQ(in.error()->message,
            "params.context.s must be a string, not a number.");
  EXPECT_EQ(in.error()->details.at("path"), "params.context.s");
}

TEST(Fields, TheFirstFaultIsKept) {
  const auto params = object(R"({"a":1,"b":"x"})");
  Fields in(params, "params");
  in.optional_string("a");
  in.optional_bool("b");
  in.fail("c", "is odd");
  EXPECT_THAT(in.error()->message, HasSubstr("params.a"));
}

TEST(Fields, EachTypeIsChecked) {
  const auto params = object(R"({"s":"x","n":[1]})");
  const auto fails = [&](auto read) {
    Fields in(params, "p");
    read(in);
    return in.error().has_value();
  };
  EXPECT_TRUE(fails([](Fields& in) { in.optional_bool("s"); }));
  EXPECT_TRUE(fails([](Fields& in) { in.optional_int("s", 0, 1); }));
  EXPECT_TRUE(fails([](Fields& in) { in.optional_object("s"); }));
  EXPECT_TRUE(fails([](Fields& in) { in.optional_array("s"); }));
  EXPECT_TRUE(fails([](Fields& in) { in.optional_strings("n"); }));
  EXPECT_TRUE(fails([](Fields& in) { in.required_string("n"); }));
}

TEST(Fields, NumbersAreWholeAndInRange) {
  const auto params =
      object(R"({"f":1.5,"w":2.0,"big":1e30,"h":11,"u":18446744073709551615})");
  const auto read = [&](const char* name) {
    Fields in(params, "p");
    const auto got = in.optional_int(name, 1, 10);
    EXPECT_EQ(got.has_value(), !in.error().has_value());
    return got;
  };
  EXPECT_EQ(read("w"), 2);
  EXPECT_EQ(read("f"), std::nullopt);
  EXPECT_EQ(read("big"), std::nullopt);
  EXPECT_EQ(read("h"), std::nullopt);
  EXPECT_EQ(read("u"), std::nullopt);
  Fields in(params, "p");
  in.optional_int("h", 1, 10);
  EXPECT_EQ(in.error()->message, "p.h must be between 1 and 10, not 11.");
}

TEST(Fields, AWrongChoiceListsTheRightOnes) {
  const auto params = object(R"({"c":"three"})");
  constexpr std::array<std::string_view, 2> kChoices{"one", "two"};
  Fields in(params, "p");
  EXPECT_EQ(in.optional_choice("c", kChoices), std::nullopt);
  EXPECT_EQ(in.error()->message, "p.c must be one of one, two, not \"three\".");
}

TEST(Fields, EveryTypeHasAName) {
  EXPECT_EQ(type_name(nullptr), "null");
  EXPECT_EQ(type_name(true), "a boolean");
  EXPECT_EQ(type_name(1), "a number");
  EXPECT_EQ(type_name(1U), "a number");
  EXPECT_EQ(type_name(1.5), "a number");
  EXPECT_EQ(type_name("x"), "a string");
  EXPECT_EQ(type_name(json::array()), "an array");
  EXPECT_EQ(type_name(json::object()), "an object");
}

}  // namespace
}  // namespace toolhost
