// What a method's handler throws costs its request, nothing else.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <stdexcept>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using testing::DaemonFixture;
using testing::RawClient;

Result<std::string> throw_now(Daemon&, Connection&, const json::object&) {
  throw std::runtime_error("a secret of the daemon");
}

Task<void> throw_at_once(Daemon&, std::shared_ptr<PendingRequest>) {
  throw std::runtime_error("a secret of the daemon");
  co_return;
}

Task<void> throw_later(Daemon& daemon, std::shared_ptr<PendingRequest>) {
  // Once around the loop: the one who called has gone on.
  co_await asio::post(daemon.loop, asio::use_awaitable);
  throw std::runtime_error("a secret of the daemon");
}

Task<void> throw_after_its_reply(Daemon&,
                                 std::shared_ptr<PendingRequest> request) {
  request->reply(std::string_view("{\"done\":true}"));
  throw std::runtime_error("a secret of the daemon");
  co_return;
}

const MethodDefinition kNow{.name = "throwNow", .now = throw_now};
const MethodDefinition kAtOnce{.name = "throwAtOnce", .later = throw_at_once};
const MethodDefinition kLater{.name = "throwLater", .later = throw_later};
const MethodDefinition kAfterReply{.name = "throwAfterReply",
                                   .later = throw_after_its_reply};

const MethodDefinition* with_throwing_methods(std::string_view name) {
  for (const auto* method : {&kNow, &kAtOnce, &kLater, &kAfterReply}) {
    if (method->name == name) return method;
  }
  return find_method(name);
}

config::Config one_request_at_a_time() {
  config::Config config;
  config.limits.requests_in_flight = 1;
  return config;
}

class ExceptionWall : public ::testing::Test {
 protected:
  ExceptionWall() {
    fixture.daemon->server.method_named = with_throwing_methods;
  }

  void expect_internal(const std::string& method) {
    const json::object error = client.error(method);
    EXPECT_EQ(error.at("code"), json::value(-32603));
    EXPECT_EQ(error.at("data").at("kind"), json::value("internal"));
    EXPECT_EQ(error.at("message"),
              json::value("The daemon failed to answer " + method + "."));
    // What it says is for the log: a client may not be meant to know.
    EXPECT_EQ(json_text(error).find("secret"), std::string::npos);
  }

  DaemonFixture fixture{one_request_at_a_time()};
  RawClient client = fixture.client();
};

TEST_F(ExceptionWall, AHandlerThatAnswersAtOnceFailsItsRequestOnly) {
  expect_internal("throwNow");
  EXPECT_TRUE(client.request("ping").contains("result"));
}

TEST_F(ExceptionWall, ACoroutineFailsItsRequestOnlyBeforeAndAfterItWaited) {
  // More often than there are slots: each is free again.
  for (int i = 0; i < 5; ++i) {
    expect_internal("throwAtOnce");
    expect_internal("throwLater");
  }
  EXPECT_TRUE(client.request("ping").contains("result"));
}

TEST_F(ExceptionWall, AReplyThatWasGivenBeforeStaysTheOnlyOne) {
  EXPECT_TRUE(client.result("throwAfterReply").contains("done"));
  EXPECT_TRUE(client.request("ping").contains("result"));
  EXPECT_TRUE(client.events.empty());
}

TEST_F(ExceptionWall, OtherConnectionsNoticeNothing) {
  RawClient other = fixture.client();
  const auto pending = client.start("throwLater");
  EXPECT_TRUE(other.request("ping").contains("result"));
  EXPECT_TRUE(client.reply(pending).contains("error"));
  EXPECT_EQ(fixture.daemon->server.connections().size(), 2U);
}

}  // namespace
}  // namespace toolhost
