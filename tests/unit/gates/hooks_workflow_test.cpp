// Workflow hooks: what is sent, what an answer means, what may go wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/hooks/workflow_hook.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/gates/hooks_server.hpp"

namespace toolhost::testing {
namespace {

using config::HookMode;
using config::HookPhase;
using ::testing::HasSubstr;
using ::testing::Not;
using Decision = HookAnswer::Decision;

config::Hook workflow(HookPhase phase, HookMode mode) {
  config::Hook out;
  out.name = "wf";
  out.phase = phase;
  out.workflow = "review";
  out.mode = mode;
  return out;
}

HookRun says(HookPhase phase, HookMode mode, const std::string& body) {
  return read_workflow_answer(workflow(phase, mode), HttpAnswer{200, body});
}

constexpr HookPhase kPre = HookPhase::pre_tool_use;
constexpr HookPhase kPost = HookPhase::post_tool_use;
constexpr HookPhase kPrompt = HookPhase::user_prompt_submit;

TEST(WorkflowAnswer, InBlockModeIsANoForEveryOfItsSpellings) {
  for (const char* body :
       {R"({"ok":false})", R"({"status":"error"})",
        R"({"ok":true,"output":"deny: too large"})",
        R"({"ok":true,"output":"  Blocked"})", R"({"output":"REJECT"})",
        R"({"output":"false"})", R"({"output":false})"}) {
    EXPECT_EQ(says(kPre, HookMode::block, body).answer.decision, Decision::deny)
        << body;
  }
  const HookRun run =
      says(kPre, HookMode::block, R"({"ok":false,"message":"too late"})");
  EXPECT_EQ(run.answer.message, "too late");
}

TEST(WorkflowAnswer, InBlockModeIsNoOpinionOtherwise) {
  for (const char* body :
       {R"({"ok":true})", R"({"output":"fine"})", R"({})",
        R"({"skipped":true,"ok":false})", R"({"status":"skipped"})"}) {
    const HookRun run = says(kPre, HookMode::block, body);
    EXPECT_EQ(run.failure, "") << body;
    EXPECT_EQ(run.answer.decision, Decision::none) << body;
  }
}

TEST(WorkflowAnswer, InRewriteModeIsNewArgumentsBeforeATool) {
  EXPECT_EQ(says(kPre, HookMode::rewrite, R"({"output":{"text":"x"}})")
                .answer.arguments->at("text"),
            "x");
  EXPECT_EQ(says(kPre, HookMode::rewrite, R"({"output":"{\"text\":\"y\"}"})")
                .answer.arguments->at("text"),
            "y");
  for (const char* body : {R"({"output":"no json"})", R"({"output":[1]})",
                           R"({"output":"[1]"})", R"({"ok":false})"}) {
    EXPECT_NE(says(kPre, HookMode::rewrite, body).failure, "") << body;
  }
}

TEST(WorkflowAnswer, InRewriteModeIsContextOfAPromptAndTextBelowAResult) {
  EXPECT_EQ(
      says(kPrompt, HookMode::rewrite, R"({"output":"more"})").answer.context,
      "more");
  const HookRun run = says(kPost, HookMode::rewrite, R"({"output":{"n":1}})");
  EXPECT_EQ(run.answer.context, R"({"n":1})");
  EXPECT_EQ(run.answer.workflow_output->at("n").to_number<int>(), 1);
}

TEST(WorkflowAnswer, ThatIsNoJsonObjectIsAFailure) {
  for (const char* body : {"", "ok", "[]", R"({"ok":true} x)"}) {
    EXPECT_NE(says(kPre, HookMode::block, body).failure, "") << body;
  }
  EXPECT_THAT(read_workflow_answer(workflow(kPre, HookMode::block),
                                   HttpAnswer{500, "oops\x1b[2J"})
                  .failure,
              HasSubstr("HTTP status 500: oops\\u{001B}"));
}

class WorkflowHook : public ::testing::Test {
 public:
  WorkflowHook()
      : server(loop, asio::local::stream_protocol::endpoint(dir / "s")) {
    hook.base_url = "unix:" + (dir / "s");
  }
  ~WorkflowHook() override { testing::run(loop, server.stop()); }

  HookRun run() {
    HookEvent event;
    event.workspace = "/w";
    event.payload["hook_event_name"] = "PreToolUse";
    return testing::run(loop,
                        run_workflow_hook(loop, hook, std::move(event), stop));
  }

  TempDir dir;
  asio::io_context loop{1};
  UnixHookServer server;
  Stop stop;
  config::Hook hook = workflow(kPre, HookMode::block);
};

TEST_F(WorkflowHook, SendsOnePostWithItsPayload) {
  server.answer = UnixHookServer::ok("{}");
  EXPECT_EQ(run().failure, "");
  EXPECT_THAT(server.request,
              HasSubstr("POST /workflow/internal/hook-run HTTP/1.1\r\n"));
  EXPECT_THAT(server.request, HasSubstr("Host: localhost\r\n"));
  EXPECT_THAT(
      server.request,
      HasSubstr(R"({"workflow":"review","phase":"PreToolUse","mode":"block",)"
                R"("payload":{"hook_event_name":"PreToolUse"},)"
                R"("workspaceRoot":"/w"})"));
  EXPECT_THAT(server.request, Not(HasSubstr("Authorization")));
}

TEST_F(WorkflowHook, SendsItsSecretAsABearerToken) {
  server.answer = UnixHookServer::ok("{}");
  write_file(dir / "secret", "s3cret\n");
  std::filesystem::permissions(dir / "secret",
                               std::filesystem::perms::owner_read);
  hook.secret_file = dir / "secret";
  EXPECT_EQ(run().failure, "");
  EXPECT_THAT(server.request, HasSubstr("Authorization: Bearer s3cret\r\n"));
}

TEST_F(WorkflowHook, WithoutItsSecretIsNotSentAndTheSecretIsInNoMessage) {
  hook.secret_file = dir / "missing";
  EXPECT_THAT(run().failure, HasSubstr("cannot be asked"));
  write_file(dir / "two", "a secret with spaces\n");
  std::filesystem::permissions(dir / "two", std::filesystem::perms::owner_read);
  hook.secret_file = dir / "two";
  const std::string failure = run().failure;
  EXPECT_THAT(failure, HasSubstr("one line"));
  EXPECT_THAT(failure, Not(HasSubstr("spaces")));
  EXPECT_EQ(server.request, "");
}

TEST_F(WorkflowHook, ReadsAChunkedAnswer) {
  server.answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\n{\"ok\"\r\n7\r\n:false}\r\n0\r\n\r\n";
  EXPECT_EQ(run().answer.decision, Decision::deny);
}

TEST_F(WorkflowHook, ThatAnswersSomethingElseHasFailed) {
  for (const char* answer :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        "HTTP/1.1 302 Found\r\nLocation: http://evil/\r\nContent-Length: "
        "0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "\r\n"}) {
    server.answer = answer;
    EXPECT_NE(run().failure, "") << answer;
  }
}

TEST_F(WorkflowHook, ThatAnswersWithoutBoundHasFailed) {
  server.answer = UnixHookServer::ok(std::string(2 << 20, ' '));
  EXPECT_THAT(run().failure, HasSubstr("body limit"));
  server.answer = "HTTP/1.1 200 OK\r\nX: " + std::string(32 * 1024, 'x') +
                  "\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_THAT(run().failure, HasSubstr("header limit"));
}

TEST_F(WorkflowHook, ThatDoesNotAnswerInTimeHasFailed) {
  hook.timeout = Milliseconds(100);
  const HookRun late = run();
  EXPECT_TRUE(late.timed_out);
  EXPECT_THAT(late.failure, HasSubstr("too long"));
}

TEST_F(WorkflowHook, WhereNobodyListensHasFailed) {
  hook.base_url = "unix:" + (dir / "nobody");
  EXPECT_THAT(run().failure, HasSubstr("cannot connect to unix:"));
}

TEST_F(WorkflowHook, IsLeftWhenTheCallIsCancelled) {
  TaskGroup group(loop);
  group.spawn([](WorkflowHook* self) -> Task<void> {
    while (self->server.request.empty()) {
      co_await sleep_for(self->loop, Milliseconds(1));
    }
    self->stop.request("The caller cancelled the call.");
  }(this));
  EXPECT_TRUE(run().cancelled);
  testing::run(loop, group.join());
}

TEST_F(WorkflowHook, WorksOverLoopback) {
  TcpHookServer tcp(
      loop, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp.answer = TcpHookServer::ok(R"({"ok":false,"message":"no"})");
  hook.base_url =
      "http://127.0.0.1:" + std::to_string(tcp.endpoint().port()) + "/prefix/";
  EXPECT_EQ(run().answer.message, "no");
  EXPECT_THAT(tcp.request,
              HasSubstr("POST /prefix/workflow/internal/hook-run HTTP/1.1"));
  testing::run(loop, tcp.stop());
}

}  // namespace
}  // namespace toolhost::testing
