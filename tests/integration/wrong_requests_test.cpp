// Requests that are wrong: the kind, the words, and that the next one works.
#include <gtest/gtest.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"
#include "tests/support/shell.hpp"

namespace toolhost::testing {
namespace {

constexpr std::string_view kPing =
    "{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n";

// Lines to and from the daemon, as they are.
class Wire {
 public:
  explicit Wire(const std::string& socket) : fd_(connect_socket(socket)) {}
  ~Wire() { close_fd(fd_); }
  Wire(const Wire&) = delete;

  void send(std::string_view bytes) { write_bytes(fd_, bytes); }
  json::object receive() {
    const auto end = std::chrono::steady_clock::now() + Milliseconds(20'000);
    bool ended = false;
    while (held_.find('\n') == std::string::npos) {
      const std::string more = read_bytes(fd_, end, ended);
      if (more.empty()) throw std::runtime_error("no line came: " + held_);
      held_ += more;
    }
    const std::string line = held_.substr(0, held_.find('\n'));
    held_.erase(0, line.size() + 1);
    return object(line);
  }

 private:
  int fd_;
  std::string held_;
};

class WrongRequests : public ::testing::Test {
 protected:
  json::object refused_arguments(std::string_view tool,
                                 std::string_view arguments) {
    auto reply = gui.call(
        "execute", {{"name", tool}, {"arguments", json::parse(arguments)}});
    EXPECT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(text_at(*reply, "status"), "refused");
    EXPECT_EQ(text_at(*reply, "error.kind"), "invalidArguments");
    return std::move(*reply);
  }

  DaemonProcess daemon;
  Client gui = daemon.control();
};

struct BadLine {
  const char* line;
  const char* kind;
  int code;
  const char* words;  // in the message
  const char* id;     // of the reply, as JSON
};

TEST_F(WrongRequests, EachIsToldItsFaultAndTheNextOneIsServed) {
  const BadLine table[] = {
      {R"({"jsonrpc":"2.0","id":1,"method":"ping")", "parseError", -32700,
       "incomplete JSON after 39 bytes", "null"},
      {"{nonsense}", "parseError", -32700, "syntax error at byte 2", "null"},
      {R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})", "parseError", -32700,
       "at byte 41", "null"},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "invalidRequest",
       -32600, "Batches are not supported.", "null"},
      {R"([])", "invalidRequest", -32600, "Batches are not supported.", "null"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "invalidRequest",
       -32600, "id", "null"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", "invalidRequest",
       -32600, "id", "null"},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", "invalidRequest", -32600,
       "id", "null"},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "invalidRequest", -32600,
       "2.0", "1"},
      {R"({"jsonrpc":"2.0","id":1})", "invalidRequest", -32600, "method", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", "invalidRequest", -32600,
       "must be the name of a method, not a number", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})",
       "invalidParams", -32602, "params must be an object, not an array", "1"},
      {R"({"jsonrpc":"2.0","id":1,"result":{}})", "invalidRequest", -32600,
       "The member method is missing.", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})",
       "invalidParams", -32602, "params.protocolVersion", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
       R"({"protocolVersion":1,"clientInfo":"me"}})",
       "invalidParams", -32602, "params.clientInfo", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"listTools"})", "notInitialized",
       1001, "nitialized", "1"},
  };
  Wire wire(daemon.control_socket());
  for (const BadLine& each : table) {
    SCOPED_TRACE(each.line);
    wire.send(std::string(each.line) + "\n");
    const json::object reply = wire.receive();
    EXPECT_EQ(text_at(reply, "error.data.kind"), each.kind);
    EXPECT_EQ(at(reply, "error.code"), each.code);
    EXPECT_NE(text_at(reply, "error.message").find(each.words),
              std::string::npos)
        << json_text(reply);
    EXPECT_EQ(json_text(reply.at("id")), each.id);
    wire.send(kPing);
    EXPECT_TRUE(wire.receive().contains("result"));
  }
}

TEST_F(WrongRequests, ParametersOfTheWrongTypeAreNamedWithTheirPath) {
  const std::pair<const char*, std::pair<const char*, const char*>> table[] = {
      {"execute", {R"({"name":7})", "params.name"}},
      {"execute", {R"({"name":"ls","arguments":"x"})", "params.arguments"}},
      {"execute", {R"({"name":"ls","mode":"later"})", "params.mode"}},
      {"execute", {R"({"name":"ls","timeoutMs":"soon"})", "params.timeoutMs"}},
      {"subscribe", {R"({"topics":"approvals"})", "params.topics"}},
      {"approve", {R"({"approvalId":[]})", "params.approvalId"}},
      {"readOutput", {R"({"artifactId":1})", "params.artifactId"}},
      {"openSession", {R"({"workspace":"/tmp","mode":"fast"})", "params.mode"}},
      {"openSession", {R"({"workspace":"relative"})", "workspace"}},
      {"getCall", {R"({"callId":"x","waitMs":-1})", "params.waitMs"}},
  };
  for (const auto& [method, rest] : table) {
    SCOPED_TRACE(std::string(method) + " " + rest.first);
    const auto reply = gui.call(method, object(rest.first));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, Code::invalid_params);
    EXPECT_NE((reply.error().message + json_text(reply.error().details))
                  .find(rest.second),
              std::string::npos)
        << reply.error().message;
  }
}

TEST_F(WrongRequests, AnUnknownMethodNamesTheNearestOnes) {
  const auto reply = gui.call("excute", {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::method_not_found);
  EXPECT_EQ(reply.error().message, "There is no method \"excute\".");
  EXPECT_EQ(reply.error().hint, "Did you mean execute?");
}

TEST_F(WrongRequests, AnUnknownToolNamesTheNearestOnes) {
  const auto reply = gui.call("execute", {{"name", "grepp"}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::tool_not_found);
  EXPECT_NE(reply.error().message.find("grepp"), std::string::npos);
  EXPECT_EQ(at(reply.error().details, "similar.0"), "grep");
}

TEST_F(WrongRequests, AnUnknownCallOrOutputIsToldAsSuch) {
  for (const char* method : {"getCall", "cancel"}) {
    const auto reply = gui.call(method, {{"callId", "call_AAAAAAAAAAAAAAAA"}});
    ASSERT_FALSE(reply) << method;
    EXPECT_EQ(reply.error().code, Code::call_not_found) << method;
    EXPECT_NE(reply.error().message.find("call_AAAAAAAAAAAAAAAA"),
              std::string::npos);
  }
  const auto output = gui.call("readOutput", {{"artifactId", "art_none"}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::artifact_not_found);
}

TEST_F(WrongRequests, ArgumentsThatAreMissingAreNamed) {
  const auto of_schema = refused_arguments("read", "{}");
  EXPECT_NE(text_at(of_schema, "error.message")
                .find("missing required property \"path\""),
            std::string::npos);
  const auto of_tool = refused_arguments("edit", R"({"path":"a.txt"})");
  EXPECT_EQ(text_at(of_tool, "error.message"), "oldText is missing.");
}

TEST_F(WrongRequests, ArgumentsThatExceedTheirBoundsAreToldTheBound) {
  const auto reply = refused_arguments("read", R"({"path":"a.txt","limit":0})");
  EXPECT_EQ(text_at(reply, "error.details.faults.0.path"), "/limit");
  EXPECT_EQ(text_at(reply, "error.details.faults.0.message"),
            "must be at least 1, not 0");
}

TEST_F(WrongRequests, ArgumentsOfTheWrongTypeAreToldWhatWasExpectedAndGot) {
  const auto reply = refused_arguments("bash", R"({"command":["ls","-l"]})");
  EXPECT_EQ(text_at(reply, "error.details.faults.0.message"),
            "must be a string, not an array");
}

TEST_F(WrongRequests, AMisspeltArgumentIsToldTheKnownOnes) {
  const auto reply = refused_arguments("grep", R"({"pattern":"x","contxt":3})");
  const std::string words = json_text(at(reply, "error"));
  EXPECT_NE(words.find("unknown property \\\"contxt\\\""), std::string::npos)
      << words;
  EXPECT_NE(words.find("\\\"context\\\""), std::string::npos) << words;
}

TEST_F(WrongRequests, ANulInAPathIsRefusedByEveryToolThatTakesOne) {
  const std::string path("a\0b", 3);
  const json::object tools[] = {
      {{"name", "read"}, {"arguments", json::object{{"path", path}}}},
      {{"name", "write"},
       {"arguments", json::object{{"path", path}, {"content", "x"}}}},
      {{"name", "edit"},
       {"arguments",
        json::object{{"path", path}, {"oldText", "x"}, {"newText", "y"}}}},
      {{"name", "ls"}, {"arguments", json::object{{"path", path}}}},
      {{"name", "glob"},
       {"arguments", json::object{{"pattern", "*"}, {"path", path}}}},
      {{"name", "grep"},
       {"arguments", json::object{{"pattern", "x"}, {"path", path}}}},
  };
  for (const json::object& params : tools) {
    SCOPED_TRACE(json_text(params));
    const auto reply = gui.call("execute", params);
    ASSERT_TRUE(reply);
    EXPECT_EQ(text_at(*reply, "error.kind"), "pathBlocked");
    EXPECT_NE(text_at(*reply, "error.message").find("NUL"), std::string::npos)
        << json_text(*reply);
  }
}

TEST_F(WrongRequests, NewCallsAreRefusedWhileTheDaemonStops) {
  auto agent = daemon.agent();
  const json::object wait{
      {"name", "bash"},
      {"arguments",
       json::object{{"command", "trap '' TERM; touch up; while :; do :; done"},
                    {"timeoutMs", 60'000}}}};
  (void)gui.call("subscribe", {{"topics", json::array{"approvals"}}});
  ASSERT_TRUE(agent->client().send("execute", wait));
  answer_next(gui, "allow_once");  // the folder
  answer_next(gui, "allow_once");  // the command
  ASSERT_TRUE(
      eventually([&] { return std::filesystem::exists(daemon.path("up")); }));
  ASSERT_TRUE(gui.call("shutdown", {{"mode", "drain"}, {"graceMs", 60'000}}));
  ASSERT_TRUE(gui.next_notification("server/stopping"));
  const auto refused = gui.call("execute", {{"name", "ls"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::shutting_down);
  EXPECT_EQ(refused.error().hint, "Connect again in a moment.");
}

TEST(WrongSession, ACallerNeedsOneWhereNoneIsImplied) {
  DaemonProcess daemon(R"({"sessions": {"implicit": "deny"}})");
  auto agent = daemon.agent();
  const auto reply = agent->client().call("execute", {{"name", "ls"}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::session_required);
  EXPECT_NE(reply.error().hint.find("attachSession"), std::string::npos);
}

}  // namespace
}  // namespace toolhost::testing
