#include <gtest/gtest.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using testing::DaemonFixture;
using testing::RawClient;

std::string kind(const json::object& reply) {
  return std::string(reply.at("error").at("data").at("kind").as_string());
}

json::object with(std::string_view name, json::value value) {
  json::object out;
  out[name] = std::move(value);
  return out;
}

TEST(Initialize, GrantsEveryRoleOnTheControlSocket) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const json::object reply = client.initialize();
  EXPECT_EQ(json_text(reply.at("result").at("roles")),
            R"(["caller","approver","observer","admin"])");
  EXPECT_EQ(reply.at("result").at("limits").at("maxFrameBytes"),
            json::value(16U << 20));
}

TEST(Initialize, GrantsOnlyTheRolesAskedFor) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  json::array roles;
  roles.emplace_back("observer");
  const json::object reply = client.initialize(with("roles", roles));
  EXPECT_EQ(json_text(reply.at("result").at("roles")), R"(["observer"])");
  EXPECT_EQ(fixture.daemon->server.approvers(), 0U);
}

TEST(Initialize, GrantsOnlyCallerOnTheCallerSocket) {
  DaemonFixture fixture;
  json::array roles;
  roles.emplace_back("caller");
  roles.emplace_back("approver");
  RawClient client = fixture.connect(SocketKind::caller);
  const json::object reply = client.initialize(with("roles", roles));
  EXPECT_EQ(json_text(reply.at("result").at("roles")), R"(["caller"])");
}

TEST(Initialize, IsForbiddenWhenNoneOfTheRolesCanBeGranted) {
  DaemonFixture fixture;
  json::array roles;
  roles.emplace_back("approver");
  RawClient client = fixture.connect(SocketKind::caller);
  EXPECT_EQ(kind(client.initialize(with("roles", roles))), "forbidden");
}

TEST(Initialize, RefusesAWordThatIsNoRole) {
  DaemonFixture fixture;
  json::array roles;
  roles.emplace_back("root");
  RawClient client = fixture.connect();
  EXPECT_EQ(kind(client.initialize(with("roles", roles))), "invalidParams");
}

TEST(Initialize, TakesTheHighestCommonVersion) {
  DaemonFixture fixture;
  json::object params = with("protocolVersion", 3);
  params["minProtocolVersion"] = 1;
  RawClient client = fixture.connect();
  EXPECT_EQ(client.initialize(params).at("result").at("protocolVersion"),
            json::value(1));
}

TEST(Initialize, RefusesAVersionThatIsNotCommonAndKeepsTheCoreUsable) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const json::object reply = client.initialize(with("protocolVersion", 2));
  EXPECT_EQ(kind(reply), "unsupportedVersion");
  EXPECT_EQ(
      json_text(reply.at("error").at("data").at("details").at("supported")),
      "[1]");
  EXPECT_TRUE(client.request("status").contains("result"));
}

TEST(Initialize, TellsAnMcpClientWhatToRun) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const json::object reply =
      client.initialize(with("protocolVersion", "2025-11-25"));
  EXPECT_EQ(kind(reply), "unsupportedVersion");
  EXPECT_NE(json_text(reply).find("toolhost mcp"), std::string::npos);
}

TEST(Initialize, TellsAnMcpClientWithoutAHandshakeWhatToRun) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  json::object params;
  params["_meta"].emplace_object()["io.modelcontextprotocol/protocolVersion"] =
      "2026-07-28";
  const json::object reply = client.request("tools/list", params);
  EXPECT_EQ(kind(reply), "unsupportedVersion");
  EXPECT_NE(json_text(reply).find("toolhost mcp"), std::string::npos);
}

TEST(Initialize, FailsWhenARequiredCapabilityIsMissing) {
  DaemonFixture fixture;
  json::array require;
  require.emplace_back("replay");
  require.emplace_back("timeTravel");
  RawClient client = fixture.connect();
  const json::object reply = client.initialize(with("require", require));
  EXPECT_EQ(kind(reply), "missingCapability");
  EXPECT_EQ(json_text(reply.at("error").at("data").at("details").at("missing")),
            R"(["timeTravel"])");
}

TEST(Initialize, IsRefusedTheSecondTime) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  EXPECT_EQ(kind(client.initialize()), "alreadyInitialized");
}

TEST(Initialize, NamesTheParameterThatIsWrong) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const json::object reply = client.initialize(with("clientInfo", 5));
  EXPECT_EQ(kind(reply), "invalidParams");
  EXPECT_NE(json_text(reply).find("clientInfo"), std::string::npos);
  EXPECT_EQ(kind(client.initialize(with("workspace", "not/absolute"))),
            "invalidParams");
}

TEST(Initialize, MakesAPersonOnlyOfAnApprover) {
  DaemonFixture fixture;
  json::object person;
  person["interactive"].emplace_object();
  RawClient gui =
      fixture.client(SocketKind::control, with("capabilities", person));
  RawClient agent =
      fixture.client(SocketKind::caller, with("capabilities", person));
  int people = 0;
  for (const auto& connection : fixture.daemon->server.connections()) {
    if (connection->interactive) ++people;
  }
  EXPECT_EQ(people, 1);
  EXPECT_EQ(fixture.daemon->server.approvers(), 1U);
}

TEST(Status, SaysOnlyVersionAndEpochOnTheCallerSocket) {
  DaemonFixture fixture;
  RawClient client = fixture.client(SocketKind::caller);
  const json::object status = client.result("status");
  EXPECT_EQ(status.size(), 2U);
  EXPECT_TRUE(status.contains("version"));
  EXPECT_TRUE(status.contains("epoch"));
}

TEST(Status, SaysCountsBeforeInitializeAndWhoIsThereAfterwards) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  const json::object before = client.result("status");
  EXPECT_EQ(before.at("connections"), json::value(1));
  EXPECT_FALSE(before.contains("clients"));
  client.initialize();
  const json::object after = client.result("status");
  EXPECT_EQ(after.at("clients").at(0).at("name"), json::value("test"));
  EXPECT_EQ(after.at("pid"), json::value(getpid()));
  EXPECT_TRUE(after.contains("providers"));
}

TEST(Shutdown, RepliesBeforeItAsksForTheStop) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  const json::object result = client.result("shutdown", with("graceMs", 250));
  EXPECT_EQ(result.at("graceMs"), json::value(250));
  EXPECT_TRUE(fixture.daemon->stop_requested.ready());
  EXPECT_EQ(fixture.daemon->stop_grace, Milliseconds(250));
}

TEST(Shutdown, NowHasNoGrace) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  client.result("shutdown", with("mode", "now"));
  EXPECT_EQ(fixture.daemon->stop_grace, Milliseconds(0));
}

TEST(RpcDiscover, AnswersTheContractInOneLine) {
  DaemonFixture fixture;
  RawClient client = fixture.connect();
  EXPECT_TRUE(client.result("rpc.discover").contains("openrpc"));
}

}  // namespace
}  // namespace toolhost
