#include "providers/mcp/output.hpp"

#include "protocol/json_text.hpp"
#include "protocol/text.hpp"
#include "providers/mcp/content.hpp"

namespace toolhost::mcp {
namespace {

using std::string_view;

constexpr std::size_t kErrorText = 2000;
// A structured result over this is only given when there is no other content.
constexpr std::size_t kMaxStructured = 256 * 1024;
constexpr std::size_t kProgressText = 300;

std::string who(const RemoteTool& tool, const std::string& server) {
  return "Tool \"" + display_text(tool.raw_name) + "\" of the server \"" +
         server + "\" ";
}

std::string said(const std::string& last_words) {
  return last_words.empty() ? "" : " It wrote last: " + last_words;
}

std::string joined_text(const std::vector<Content>& content) {
  std::string out;
  for (const Content& block : content) {
    if (block.type != Content::Type::text) continue;
    if (!out.empty()) out += '\n';
    out += block.value;
    if (out.size() > kErrorText) break;
  }
  return std::string(utf8_prefix(out, kErrorText));
}

bool is_true(const json::object& object, string_view name) {
  const json::value* value = object.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

bool wants_input(const json::object& result) {
  const json::value* type = result.if_contains("resultType");
  return type && type->is_string() && type->get_string() == "input_required";
}

void take_structured(json::object& result, ToolOutput& output) {
  json::value* value = result.if_contains("structuredContent");
  if (!value || !value->is_object()) return;
  std::string text = json_text(*value);
  if (output.content.empty()) {
    output.content.push_back(Content::text(text));
  }
  if (text.size() > kMaxStructured) {
    output.content.push_back(Content::text("[The structured result of " +
                                           std::to_string(text.size()) +
                                           " bytes was left out.]"));
    return;
  }
  output.structured = std::move(value->get_object());
}

// The output budget cuts text only where nothing else is; a long text beside
// an image is cut here.
void cut_mixed(ToolOutput& output, const ExecutionContext& context) {
  bool only_text = true;
  for (const Content& block : output.content) {
    only_text = only_text && block.type == Content::Type::text;
  }
  const std::size_t budget = context.tool.config.tools.output_bytes;
  for (Content& block : output.content) {
    if (only_text || block.type != Content::Type::text) continue;
    if (block.value.size() <= budget) continue;
    auto kept =
        context.artifacts.create(context.session_id, block.value.size());
    if (kept) kept->append(block.value);
    const std::string where =
        kept ? "readOutput, artifactId " + kept->id() : kept.error().message;
    block.value = std::string(utf8_prefix(block.value, budget / 2)) + "\n[" +
                  std::to_string(block.value.size()) +
                  " bytes in all; the rest: " + where + "]";
    output.truncated = true;
  }
}

ToolOutput of_result(json::value& value, const RemoteTool& tool,
                     const std::string& server,
                     const ExecutionContext& context) {
  json::object* result = value.if_object();
  if (!result) {
    return ToolOutput::failure(
        make_call_error(CallErrorKind::tool_failed,
                        who(tool, server) + "answered with no object.",
                        "This is a fault of the server."));
  }
  if (wants_input(*result)) {
    return ToolOutput::failure(make_call_error(
        CallErrorKind::tool_failed,
        who(tool, server) +
            "asks for input in the middle of the call, which cannot be given.",
        "Pass what it needs as arguments, if it has them."));
  }
  ToolOutput output;
  const json::value* content = result->if_contains("content");
  if (content && content->is_array()) {
    output.content = read_content(content->get_array(), context);
  }
  take_structured(*result, output);
  cut_mixed(output, context);
  if (is_true(*result, "isError")) {
    std::string text = joined_text(output.content);
    if (text.empty()) text = "no reason was given";
    output.error = make_call_error(
        CallErrorKind::tool_failed, who(tool, server) + "failed: " + text,
        "Read what it says; change the arguments if they are the reason.");
  }
  return output;
}

CallError of_error(const RpcError& error, const std::string& subject) {
  return make_call_error(
      CallErrorKind::tool_failed,
      subject + "was refused by the server: " +
          display_text(utf8_prefix(error.message, kErrorText), true) + " (" +
          std::to_string(error.code) + ")",
      "Nothing says whether it had an effect; look before you repeat it.");
}

}  // namespace

ToolOutput to_output(Answer answer, const RemoteTool& tool,
                     const std::string& server, const std::string& last_words,
                     const ExecutionContext& context) {
  const std::string subject = who(tool, server);
  const auto fail = [](CallErrorKind kind, std::string what, std::string hint) {
    return ToolOutput::failure(
        make_call_error(kind, std::move(what), std::move(hint)));
  };
  switch (answer.kind) {
    case Answer::Kind::result:
      return of_result(answer.result, tool, server, context);
    case Answer::Kind::error:
      return ToolOutput::failure(of_error(answer.error, subject));
    case Answer::Kind::timed_out:
      return fail(CallErrorKind::timed_out,
                  subject + "was stopped: " + answer.why + ".",
                  "The server was told to cancel; it may have had an effect "
                  "already. mcpServers." +
                      server + ".timeoutMs is the limit.");
    case Answer::Kind::cancelled:
      return fail(CallErrorKind::cancelled, answer.why,
                  "The server was told to cancel; it may have had an effect "
                  "already.");
    case Answer::Kind::not_sent:
      return fail(
          CallErrorKind::provider_died,
          subject + "was not called: " + answer.why + "." + said(last_words),
          "Nothing was sent; the call may be repeated.");
    case Answer::Kind::died:
      return fail(CallErrorKind::outcome_unknown,
                  subject + "gave no answer: " + answer.why +
                      " while it had the call." + said(last_words),
                  "It may or may not have had its effect: look first, and do "
                  "not simply repeat it.");
  }
  return {};
}

Progress to_progress(const json::object& params) {
  Progress out;
  const json::value* message = params.if_contains("message");
  if (message && message->is_string()) {
    out.message = display_text(
        utf8_prefix(std::string_view(message->get_string()), kProgressText));
  }
  const auto number = [&](string_view name) -> std::string {
    const json::value* value = params.if_contains(name);
    return value && value->is_number() ? json_text(*value) : "";
  };
  std::string count = number("progress");
  const std::string total = number("total");
  if (!count.empty() && !total.empty()) count += " of " + total;
  if (out.message.empty()) {
    out.message = count;
  } else if (!count.empty()) {
    out.message += " (" + count + ")";
  }
  return out;
}

}  // namespace toolhost::mcp
