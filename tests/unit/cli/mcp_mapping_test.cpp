// What the daemon says, in MCP's shapes; presets and entries for clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/cli/mcp/mapping.hpp"
#include "daemon/cli/mcp/preset.hpp"
#include "daemon/cli/mcp/snippet.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::cli::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Era& kNewest = *find_era("2025-11-25");
const Era& kOldest = *find_era("2024-11-05");
const Era& kStateless = *find_era("2026-07-28");

json::object object(std::string_view text) {
  return json::parse(text).as_object();
}

TEST(McpTools, KeepTheirOrderAndOnlyWhatAClientNeeds) {
  const json::object list = tool_list(
      object(R"({"toolsHash":"h","ttlMs":60000,"nextCursor":"c2","tools":[
        {"name":"b","title":"B","description":"d","provider":"builtin",
         "inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},
         "available":true},
        {"name":"gone","inputSchema":{},"available":false},
        {"name":"a","inputSchema":{"properties":{}}}]})"),
      kNewest);
  EXPECT_EQ(json_text(list),
            R"({"tools":[{"name":"b","title":"B","description":"d",)"
            R"("inputSchema":{"type":"object"},)"
            R"("annotations":{"readOnlyHint":true}},)"
            R"({"name":"a","inputSchema":{"properties":{},"type":"object"}}],)"
            R"("nextCursor":"c2"})");
}

TEST(McpTools, TheStatelessVersionIsToldHowLongTheListHolds) {
  const json::object list =
      tool_list(object(R"({"ttlMs":60000,"tools":[]})"), kStateless);
  EXPECT_EQ(list.at("ttlMs"), 60000);
  EXPECT_EQ(list.at("cacheScope"), "private");
  EXPECT_EQ(list.at("resultType"), "complete");
  EXPECT_EQ(list.at("_meta").at(kServerInfoKey).at("name"), "toolhost");
}

TEST(McpResult, ContentAndStructureAreCopied) {
  const json::object result = call_result(
      object(R"({"callId":"call_1","status":"completed","isError":false,
        "content":[{"type":"text","text":"hi"},
                   {"type":"image","mimeType":"image/png","data":"AA=="}],
        "structuredContent":{"lines":1}})"),
      kNewest);
  EXPECT_EQ(result.at("content").at(0).at("text"), "hi");
  EXPECT_EQ(result.at("content").at(1).at("mimeType"), "image/png");
  EXPECT_EQ(result.at("structuredContent").at("lines"), 1);
  EXPECT_EQ(result.at("isError"), false);
  EXPECT_EQ(result.at("_meta").at("toolhost/callId"), "call_1");
}

TEST(McpResult, AnErrorIsInTheContentOnceInWords) {
  const json::object said = call_result(
      object(R"({"isError":true,"content":[{"type":"text","text":"No. Ask."}],
        "error":{"kind":"approvalDenied","message":"No.","hint":"Ask."}})"),
      kNewest);
  EXPECT_EQ(said.at("content").as_array().size(), 1U);
  EXPECT_EQ(said.at("isError"), true);
  const json::object tail = call_result(
      object(R"({"isError":true,"content":[{"type":"text","text":"tail"}],
        "error":{"kind":"toolFailed","message":"It ended with 2.",
                 "hint":"Read the output."}})"),
      kNewest);
  EXPECT_EQ(tail.at("content").at(1).at("text"),
            "It ended with 2.\nRead the output.");
  EXPECT_EQ(tail.at("_meta").at("toolhost/errorKind"), "toolFailed");
}

TEST(McpResult, KeptOutputIsALinkThatCanBeRead) {
  const std::string cut =
      R"({"isError":false,"content":[{"type":"text","text":"start"}],
        "output":{"truncated":true,"totalBytes":99,
                  "artifactId":"art_abcdefghijklmnop"}})";
  const json::object result = call_result(object(cut), kNewest);
  const json::value& link = result.at("content").at(1);
  EXPECT_EQ(link.at("type"), "resource_link");
  EXPECT_EQ(link.at("size"), 99);
  const auto output = parse_output_uri(std::string(link.at("uri").as_string()));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->artifact, "art_abcdefghijklmnop");
  // The oldest versions do not know links.
  EXPECT_EQ(call_result(object(cut), kOldest).at("content").at(1).at("type"),
            "text");
}

TEST(McpResult, ALinkOfAToolGetsTheNameThatMcpDemands) {
  const json::object result = call_result(object(R"({"isError":false,"content":[
        {"type":"resource_link","uri":"file:///a/b.txt"}]})"),
                                          kNewest);
  EXPECT_EQ(result.at("content").at(0).at("name"), "b.txt");
}

TEST(McpOutput, AWindowNamesTheNextOne) {
  const OutputUri asked{"art_abcdefghijklmnop", 0};
  const json::object window =
      object(R"({"text":"abc","nextOffset":3,"totalBytes":9,"eof":false})");
  const json::object result =
      output_contents(window, asked, "toolhost://output/x", kNewest);
  EXPECT_EQ(result.at("contents").at(0).at("text"), "abc");
  EXPECT_EQ(result.at("_meta").at("toolhost/nextUri"),
            "toolhost://output/art_abcdefghijklmnop?offset=3");
  const json::object bytes = output_contents(
      object(R"({"base64":"AA==","eof":true})"), asked, "u", kNewest);
  EXPECT_EQ(bytes.at("contents").at(0).at("blob"), "AA==");
  EXPECT_FALSE(bytes.at("_meta").as_object().contains("toolhost/nextUri"));
}

TEST(McpUri, OnlyOursNameOutput) {
  const auto output =
      parse_output_uri("toolhost://output/art_abcdefghijklmnop?offset=12");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->offset, 12);
  for (const char* wrong :
       {"file:///etc/passwd", "toolhost://output/", "toolhost://output/../x",
        "toolhost://output/art_abcdefghijklmnop?offset=-1",
        "toolhost://output/art_abcdefghijklmnop?offset=1x",
        "toolhost://output/art_abcdefghijklmnop?x=1"}) {
    EXPECT_FALSE(parse_output_uri(wrong)) << wrong;
  }
}

TEST(McpUri, AFileUriIsALocalPath) {
  EXPECT_EQ(path_of_file_uri("file:///home/a/my%20work"), "/home/a/my work");
  EXPECT_EQ(path_of_file_uri("file://localhost/srv"), "/srv");
  EXPECT_EQ(path_of_file_uri("file:///a/%C3%BC"), "/a/ü");
  for (const char* wrong : {"https://x/a", "file://host/a", "file:///a%zz",
                            "file:///a%0", "file:///a%00b", "/a"}) {
    EXPECT_EQ(path_of_file_uri(wrong), "") << wrong;
  }
}

TEST(McpPreset, OnlyNarrowsAndReadOnlyGoesOnTop) {
  EXPECT_EQ(json_text(narrowing("", false).value()), "{}");
  EXPECT_EQ(json_text(narrowing("plan", false).value()), R"({"mode":"plan"})");
  EXPECT_EQ(json_text(narrowing("ask-first", true).value()),
            R"({"sandboxMode":"read-only","approvalPolicy":"on-request"})");
  const auto wide = narrowing("full-access", false);
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error().hint, HasSubstr("ask-first"));
}

TEST(McpSnippet, EveryClientGetsTheProgramAndItsArguments) {
  const std::string program = "/opt/tool host/toolhost";
  for (const std::string_view client : snippet_clients()) {
    const auto snippet =
        config_snippet(client, program, {"mcp", "--workspace", "/w\"x"});
    ASSERT_TRUE(snippet) << client;
    EXPECT_THAT(snippet->text, HasSubstr("\"/opt/tool host/toolhost\""))
        << client;
    EXPECT_THAT(snippet->text, HasSubstr(R"("/w\"x")")) << client;
    EXPECT_FALSE(snippet->where.empty());
    if (client == "codex") continue;
    boost::system::error_code ec;
    EXPECT_TRUE(json::parse(snippet->text, ec).is_object()) << client;
  }
}

TEST(McpSnippet, EachHasTheShapeOfItsClient) {
  const auto text = [](std::string_view client) {
    return config_snippet(client, "/t", {"mcp"}).value().text;
  };
  const auto member = [&text](std::string_view client, std::string_view path) {
    return json::parse(text(client)).at_pointer(path);
  };
  EXPECT_EQ(member("claude", "/mcpServers/toolhost/command"), "/t");
  EXPECT_EQ(member("cursor", "/mcpServers/toolhost/args/0"), "mcp");
  EXPECT_EQ(member("vscode", "/servers/toolhost/type"), "stdio");
  EXPECT_EQ(member("zed", "/context_servers/toolhost/source"), "custom");
  EXPECT_EQ(member("opencode", "/mcp/servers/toolhost/command/1"), "mcp");
  EXPECT_THAT(text("codex"),
              HasSubstr("[mcp_servers.toolhost]\ncommand = \"/t\"\n"
                        "args = [\"mcp\"]\n"));
}

TEST(McpSnippet, AnUnknownClientIsToldTheKnownOnes) {
  const auto snippet = config_snippet("emacs", "/t", {"mcp"});
  ASSERT_FALSE(snippet);
  EXPECT_THAT(snippet.error().hint, HasSubstr("claude, codex, cursor"));
}

}  // namespace
}  // namespace toolhost::cli::mcp
