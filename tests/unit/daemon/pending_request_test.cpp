#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using testing::DaemonFixture;
using testing::RawClient;

std::string kind(const json::object& error) {
  return std::string(error.at("data").at("kind").as_string());
}

// A call that runs until it is stopped: `bash` would do the same through every
// gate, getCall of nothing would not wait.
json::object long_call(const std::string& key) {
  json::object params;
  params["name"] = "bash";
  params["idempotencyKey"] = key;
  json::object& arguments = params["arguments"].emplace_object();
  arguments["command"] = "sleep 60";
  return params;
}

TEST(PendingRequest, IsAnsweredRequestCancelledWhenTheClientCancelsIt) {
  DaemonFixture fixture;
  json::object more;
  more["workspace"] = fixture.folder.path();
  RawClient client = fixture.client(SocketKind::control, more);
  const auto id = client.start("execute", long_call("a"));
  json::object cancel;
  cancel["jsonrpc"] = "2.0";
  cancel["method"] = "$/cancelRequest";
  cancel["params"].emplace_object()["id"] = id;
  client.send_line(cancel);
  const json::object reply = client.reply(id);
  ASSERT_TRUE(reply.contains("error")) << json_text(reply);
  EXPECT_EQ(kind(reply.at("error").as_object()), "requestCancelled");
}

TEST(PendingRequest, RefusesAnIdThatIsInFlight) {
  DaemonFixture fixture;
  json::object more;
  more["workspace"] = fixture.folder.path();
  RawClient client = fixture.client(SocketKind::control, more);
  const auto id = client.start("execute", long_call("a"));
  client.send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
              R"(,"method":"ping"})"
              "\n");
  const json::object reply = client.reply(id);
  ASSERT_TRUE(reply.contains("error")) << json_text(reply);
  EXPECT_EQ(kind(reply.at("error").as_object()), "invalidRequest");
}

TEST(PendingRequest, OverTheLimitIsOverloadedWhilePingIsServed) {
  config::Config config;
  config.limits.requests_in_flight = 2;
  DaemonFixture fixture(config);
  json::object more;
  more["workspace"] = fixture.folder.path();
  RawClient client = fixture.client(SocketKind::control, more);
  client.start("execute", long_call("a"));
  client.start("execute", long_call("b"));
  const json::object error = client.error("execute", long_call("c"));
  EXPECT_EQ(kind(error), "overloaded");
  EXPECT_TRUE(error.at("data").as_object().contains("retryAfterMs"));
  EXPECT_TRUE(client.request("ping").contains("result"));
}

}  // namespace
}  // namespace toolhost
