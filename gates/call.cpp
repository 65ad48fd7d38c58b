#include "gates/call.hpp"

#include <array>

#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

void append_members(std::string& out, std::string_view member,
                    const json::value& value) {
  out += ",\"";
  out += member;
  out += "\":";
  append_json(out, value);
}

json::object timing_json(const CallTiming& timing) {
  json::object out;
  out["queuedMs"] = timing.queued_ms;
  out["gatesMs"] = timing.gates_ms;
  out["approvalMs"] = timing.approval_ms;
  out["runMs"] = timing.run_ms;
  return out;
}

json::array trace_json(const std::vector<TraceEntry>& trace) {
  json::array out;
  for (const TraceEntry& entry : trace) {
    json::object row;
    row["name"] = entry.gate;
    row["verdict"] = entry.verdict;
    row["us"] = entry.micros;
    if (!entry.detail.empty()) row["detail"] = entry.detail;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string_view name(CallState state) {
  constexpr std::array<std::string_view, 13> kNames{
      "queued",    "checking",  "waitingForApproval",
      "running",   "completed", "failed",
      "refused",   "denied",    "expired",
      "withdrawn", "timedOut",  "cancelled",
      "unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

bool is_terminal(CallState state) { return state >= CallState::completed; }

json::object to_json(const Requester& requester) {
  json::object verified;
  verified["uid"] = true;
  verified["exe"] = !requester.exe.empty();
  verified["name"] = false;
  json::object out;
  out["clientName"] = requester.client_name;
  out["clientVersion"] = requester.client_version;
  out["connectionId"] = requester.connection_id;
  out["pid"] = requester.process.pid;
  out["exe"] = requester.exe;
  if (!requester.agent_name.empty()) out["agentName"] = requester.agent_name;
  out["verified"] = std::move(verified);
  return out;
}

void Call::shed() {
  raw_arguments = json::object();
  arguments = json::object();
  workspace = Workspace();
  std::string title = std::move(resolution.title);
  resolution = Resolution();
  resolution.title = std::move(title);
  because.clear();
  wish = PolicyWish();
  progress = nullptr;
  output.content.clear();
  output.structured.reset();
  if (output.error) output.error->details = json::object();
  tool = nullptr;
  snapshot = nullptr;
}

std::string result_text(const Call& call) {
  const ToolOutput& output = call.output;
  std::size_t size = 512;
  for (const Content& block : output.content) size += block.value.size() + 64;
  std::string out;
  out.reserve(size + size / 16);
  out += R"({"callId":)";
  append_json_string(out, call.id);
  out += R"(,"status":")";
  out += name(call.state);
  out += R"(","content":)";
  if (output.content.empty() && output.error) {
    // A model reads content first: it finds the words there, too.
    std::string words = output.error->message;
    if (!output.error->hint.empty()) words += "\n" + output.error->hint;
    append_content(out, {Content::text(std::move(words))});
  } else {
    append_content(out, output.content);
  }
  if (output.structured) {
    append_members(out, "structuredContent", json::value(*output.structured));
  }
  out += output.error ? R"(,"isError":true)" : R"(,"isError":false)";
  if (output.error) append_members(out, "error", to_json(*output.error));
  if (call.approval) {
    json::object note;
    note["approvalId"] = call.approval->approval_id;
    note["decision"] = call.approval->decision;
    note["scope"] = call.approval->scope;
    note["decidedBy"] = call.approval->decided_by;
    append_members(out, "approval", note);
  }
  if (output.truncated || !output.artifact.empty()) {
    json::object kept;
    kept["truncated"] = output.truncated;
    if (!output.artifact.empty()) kept["artifactId"] = output.artifact;
    if (output.total_bytes > 0) kept["totalBytes"] = output.total_bytes;
    append_members(out, "output", kept);
  }
  append_members(out, "timing", timing_json(call.timing));
  if (call.dry_run || call.state == CallState::refused) {
    append_members(out, "gates", trace_json(call.trace));
  }
  out += '}';
  return out;
}

json::object summary(const Call& call) {
  json::object out;
  out["callId"] = call.id;
  out["state"] = name(call.state);
  out["tool"] = call.tool_name;
  if (call.session) out["sessionId"] = call.session->id;
  if (!call.turn_id.empty()) out["turnId"] = call.turn_id;
  if (!call.policy.roots.empty()) out["workspace"] = call.policy.roots.front();
  if (!call.resolution.title.empty()) out["title"] = call.resolution.title;
  out["requester"] = to_json(call.requester);
  if (is_terminal(call.state)) {
    out["isError"] = call.output.error.has_value();
    if (call.output.error) {
      out["errorKind"] = info(call.output.error->kind).kind;
    }
    out["timing"] = timing_json(call.timing);
    if (!call.output.artifact.empty()) {
      out["artifactId"] = call.output.artifact;
    }
  }
  return out;
}

}  // namespace toolhost
