#include "protocol/message.hpp"

#include <gmock/gmock.h>

namespace toolhost {
namespace {

using ::testing::HasSubstr;

BadFrame refusal(std::string_view frame) {
  auto request = parse_request(frame);
  if (request) {
    ADD_FAILURE() << "accepted: " << frame;
    return {};
  }
  return request.error();
}

Request accepted(std::string_view frame) {
  auto request = parse_request(frame);
  if (!request) {
    ADD_FAILURE() << request.error().error.message;
    return {};
  }
  return std::move(*request);
}

std::string with_id(std::string_view id) {
  return R"({"jsonrpc":"2.0","method":"ping","id":)" + std::string(id) + "}";
}

TEST(Message, ARequestHasIdMethodAndParams) {
  const Request request = accepted(
      R"({"jsonrpc":"2.0","id":7,"method":"execute","params":{"a":[1]}})");
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.method, "execute");
  EXPECT_EQ(request.params, (json::object{{"a", {1}}}));
  EXPECT_FALSE(request.is_notification());
}

TEST(Message, WithoutIdItIsANotification) {
  const Request request = accepted(R"({"jsonrpc":"2.0","method":"x"})");
  EXPECT_TRUE(request.is_notification());
  EXPECT_TRUE(request.params.empty());
}

TEST(Message, StringAndWholeIdsAreEchoedAsTheyCame) {
  EXPECT_EQ(accepted(with_id("0")).id, "0");
  EXPECT_EQ(accepted(with_id("-5")).id, "-5");
  EXPECT_EQ(accepted(with_id("9007199254740992")).id, "9007199254740992");
  EXPECT_EQ(accepted(with_id(R"("a\"\n\u00e4")")).id, "\"a\\\"\\nä\"");
  EXPECT_EQ(accepted(with_id(R"("")")).id, "\"\"");
}

TEST(Message, OtherIdsAreRefusedWithIdNull) {
  for (const char* id :
       {"null", "1.5", "1.0", "true", "[]", "{}", "9007199254740993",
        "-9007199254740993", "18446744073709551615", "1e400"}) {
    const BadFrame bad = refusal(with_id(id));
    EXPECT_EQ(bad.id, "null") << id;
  }
  EXPECT_EQ(refusal(with_id("null")).error.code, Code::invalid_request);
}

TEST(Message, BatchesAreRefusedWithAHint) {
  const BadFrame bad = refusal(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  EXPECT_EQ(bad.error.code, Code::invalid_request);
  EXPECT_THAT(bad.error.hint, HasSubstr("one request per line"));
}

TEST(Message, OtherValuesAreNoRequests) {
  for (const char* frame : {"1", "\"x\"", "null", "true"}) {
    EXPECT_EQ(refusal(frame).error.code, Code::invalid_request) << frame;
  }
}

TEST(Message, TheVersionIsRequired) {
  for (const char* frame : {R"({"id":1,"method":"ping"})",
                            R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
                            R"({"jsonrpc":2.0,"id":1,"method":"ping"})"}) {
    const BadFrame bad = refusal(frame);
    EXPECT_EQ(bad.error.code, Code::invalid_request);
    EXPECT_EQ(bad.id, "1") << "the peer is told which request it was";
  }
}

TEST(Message, ARepliesShapeIsNoRequest) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"result":{}})").error.code,
            Code::invalid_request);
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":""})").error.code,
            Code::invalid_request);
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":5})").error.code,
            Code::invalid_request);
}

TEST(Message, ParamsHaveToBeAnObject) {
  const BadFrame bad =
      refusal(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":[1]})");
  EXPECT_EQ(bad.error.code, Code::invalid_params);
  EXPECT_EQ(bad.id, "\"a\"");
  EXPECT_THAT(bad.error.message, HasSubstr("not an array"));
}

TEST(Message, DeepJsonIsRefusedAndNamed) {
  const std::string deep = with_id("1").substr(0, with_id("1").size() - 1) +
                           ",\"params\":{\"a\":" + std::string(10'000, '[') +
                           std::string(10'000, ']') + "}}";
  const BadFrame bad = refusal(deep);
  EXPECT_EQ(bad.error.code, Code::parse_error);
  EXPECT_THAT(bad.error.message, HasSubstr("deeper than 64"));
}

TEST(Message, InvalidTextIsRefused) {
  for (const std::string& frame :
       {std::string("{"), std::string(""), std::string("{}x"),
        std::string("{\"a\":\"\xff\"}"),          // not UTF-8
        std::string("{\"a\":\"\xed\xa0\x80\"}"),  // a surrogate as UTF-8
        std::string(R"({"a":"\ud800"})"),         // a lone surrogate
        std::string(R"({"a":"\udc00\ud800"})"),
        std::string("{\"a\":\"\x01\"}"),  // a raw control character
        std::string("{\"a\":\"x\0y\"}", 11), std::string("{\"a\":NaN}"),
        std::string("{\"a\":01}"), std::string("{'a':1}"),
        std::string("{\"a\":1,}"), std::string("\xef\xbb\xbf{}")}) {
    EXPECT_EQ(refusal(frame).error.code, Code::parse_error) << frame;
  }
}

TEST(Message, OfDuplicateKeysTheLastWins) {
  const Request request =
      accepted(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b",)"
               R"("params":{"p":1,"p":2}})");
  EXPECT_EQ(request.id, "2");
  EXPECT_EQ(request.method, "b");
  EXPECT_EQ(request.params, (json::object{{"p", 2}}));
}

TEST(Message, TheOrderOfParamsIsKept) {
  const Request request = accepted(
      R"({"jsonrpc":"2.0","method":"a","params":{"z":1,"a":2,"m":3}})");
  EXPECT_EQ(json::serialize(request.params), R"({"z":1,"a":2,"m":3})");
}

TEST(Message, ParamsLiveInTheGivenStorage) {
  json::monotonic_resource memory;
  auto request = parse_request(
      R"({"jsonrpc":"2.0","method":"a","params":{"text":"hello"}})", &memory);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->params.at("text"), "hello");
  EXPECT_EQ(request->params.storage().get(), &memory);
}

TEST(Message, RepliesAndNotificationsAreJson) {
  EXPECT_EQ(reply_text("7", "{}"), R"({"jsonrpc":"2.0","id":7,"result":{}})");
  EXPECT_EQ(notification_text("call/completed", "{}"),
            R"({"jsonrpc":"2.0","method":"call/completed","params":{}})");
  EXPECT_EQ(request_text("1", "ping", {{"a", 1}}),
            R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1}})");
}

TEST(Message, AnErrorReplyHoldsRegistryAndHint) {
  Error error = make_error(Code::forbidden, "No \xff.", "Ask.");
  error.details["retryAfterMs"] = 5;
  const auto value = json::parse(error_text("null", error));
  EXPECT_EQ(value.at("id"), nullptr);
  const auto& body = value.at("error");
  EXPECT_EQ(body.at("code"), 1006);
  EXPECT_EQ(body.at("message"), "No \xef\xbf\xbd.");
  EXPECT_EQ(body.at("data").at("kind"), "forbidden");
  EXPECT_EQ(body.at("data").at("hint"), "Ask.");
  EXPECT_EQ(body.at("data").at("retryAfterMs"), 5);
}

}  // namespace
}  // namespace toolhost
