// toolhost call: run one tool and print its result.
#include <algorithm>
#include <filesystem>

#include "daemon/cli/ages.hpp"
#include "daemon/cli/call_result.hpp"
#include "daemon/cli/dial.hpp"
#include "daemon/cli/schema_flags.hpp"
#include "daemon/cli/terminal.hpp"
#include "protocol/ids.hpp"

namespace toolhost::cli {
namespace {

// After this without a result, it is said what the call waits for.
constexpr Milliseconds kPatience{1000};
// For the result of a call that was cancelled.
constexpr Milliseconds kCancelLimit{10'000};

constexpr ArgumentSpec kArguments[] = {
    {"NAME", "The tool", true, false, Completes::tool},
};

constexpr OptionSpec kOptions[] = {
    {"--arguments", "JSON", "Arguments as a JSON object; - reads them"},
    {"--cwd", "DIR", "Folder of the call, in the workspace", Completes::folder},
    {"--detach", "", "Print the call's id and do not wait"},
    {"--dry-run", "", "Run the gates only and print what they say"},
    {"--key", "KEY", "Idempotency key: a repeated call runs once"},
    {"--reason", "TEXT", "Why, for the person who is asked"},
    {"--run-timeout", "TIME", "Limit of running time, without waiting"},
    {"--session", "ID", "In this session"},
    {"--workspace", "DIR", "Workspace (default: the current folder)",
     Completes::folder},
};

Result<json::object> typed_arguments(Invocation& invocation) {
  if (!invocation.arguments.has("--arguments")) return json::object();
  std::string text = invocation.arguments.get("--arguments");
  if (text == "-") {
    auto all = invocation.console.read_all(kDefaultMaxFrame);
    if (!all) {
      return make_error(Code::invalid_params,
                        "Standard input is larger than a request can be.",
                        "Pass large content through files.");
    }
    text = std::move(*all);
  }
  boost::system::error_code ec;
  json::value value = json::parse(text, ec);
  if (ec || !value.is_object()) {
    return make_error(Code::invalid_params,
                      "--arguments takes one JSON object" +
                          (ec ? ": " + ec.message() : std::string()) + ".",
                      "Or give the tool's arguments as flags after --.");
  }
  return std::move(value.get_object());
}

// Flags win over --arguments.
Result<json::object> tool_arguments(Invocation& invocation, Client& client) {
  auto out = typed_arguments(invocation);
  const auto& flags = invocation.arguments.tool_flags;
  if (!out || flags.empty()) return out;
  json::object params;
  params["name"] = invocation.arguments.get("NAME");
  auto tool =
      client.call("describeTool", params, request_limit(invocation.globals));
  if (!tool) return tool.error();
  json::object schema = object_at(*tool, "inputSchema");
  // What --arguments has need not be given again.
  if (!out->empty()) schema.erase("required");
  auto named = arguments_from_flags(schema, flags);
  if (!named) return named.error();
  for (auto& member : *named) (*out)[member.key()] = member.value();
  return out;
}

Result<json::object> call_params(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  json::object params;
  params["name"] = arguments.get("NAME");
  const auto copy = [&](std::string_view option, std::string_view name) {
    if (arguments.has(option)) params[name] = arguments.get(option);
  };
  copy("--key", "idempotencyKey");
  copy("--reason", "reason");
  copy("--session", "sessionId");
  std::error_code ec;
  const std::string folder =
      arguments.has("--workspace") ? arguments.get("--workspace") : ".";
  // A session has its workspace; only a named one is checked against it.
  if (!arguments.has("--session") || arguments.has("--workspace")) {
    auto path = std::filesystem::canonical(folder, ec);
    if (ec) {
      return make_error(Code::invalid_params,
                        "The workspace " + folder + ": " + ec.message() + ".");
    }
    params["workspace"] = path.string();
  }
  if (arguments.has("--cwd")) {
    params["cwd"] =
        std::filesystem::absolute(arguments.get("--cwd"), ec).string();
  }
  if (arguments.has("--run-timeout")) {
    const auto limit = parse_duration(arguments.get("--run-timeout"));
    if (!limit) {
      return make_error(Code::invalid_params,
                        "--run-timeout takes a duration like 30s or 5m.");
    }
    params["timeoutMs"] = limit->count();
  }
  params["mode"] = arguments.has("--detach") ? "detach" : "wait";
  if (arguments.has("--dry-run")) params["dryRun"] = true;
  params["stream"] = "none";
  return params;
}

// Empty when this connection may not see approvals.
std::string approval_of(Client& client, const std::string& call_id) {
  json::object params;
  params["state"] = "pending";
  auto pending = client.call("listApprovals", params, kPatience);
  if (!pending) return {};
  for (const json::value& item : array_at(*pending, "approvals")) {
    if (item.is_object() && text_at(item.get_object(), "callId") == call_id) {
      return text_at(item.get_object(), "approvalId");
    }
  }
  return {};
}

void tell_what_it_waits_for(Invocation& invocation, Client& client,
                            const std::string& call_id) {
  json::object params;
  params["callId"] = call_id;
  auto found = client.call("getCall", params, kPatience);
  if (!found) return;
  if (text_at(object_at(*found, "call"), "state") != "waitingForApproval") {
    return;
  }
  const std::string approval = approval_of(client, call_id);
  invocation.console.note("Waiting for approval: answer in `toolhost inbox`" +
                          (approval.empty()
                               ? std::string(".")
                               : " or with `toolhost approve " + approval +
                                     "`, in another terminal."));
}

// The result; ^C and --timeout cancel the call and still wait for its end.
Result<json::object> wait_for_result(Invocation& invocation, Client& client,
                                     Client::RequestId id,
                                     const std::string& call_id) {
  SignalFd signals;
  client.interrupt_with(signals.fd());
  const Milliseconds limit =
      invocation.globals.timeout.value_or(Client::kForever);
  auto reply = client.wait(id, std::min(limit, kPatience));
  if (!reply && limit > kPatience &&
      client_fault(reply.error()) == ClientFault::timed_out) {
    tell_what_it_waits_for(invocation, client, call_id);
    reply =
        client.wait(id, limit == Client::kForever ? limit : limit - kPatience);
  }
  if (reply) return reply;
  const ClientFault fault = client_fault(reply.error());
  if (fault != ClientFault::timed_out && fault != ClientFault::interrupted) {
    return reply;
  }
  invocation.console.note(fault == ClientFault::interrupted
                              ? "Cancelling; once more to leave at once."
                              : "No result in time; cancelling.");
  signals.take();
  json::object params;
  params["callId"] = call_id;
  params["reason"] = fault == ClientFault::interrupted
                         ? "interrupted at the terminal"
                         : "no result within --timeout";
  auto cancelled = client.call("cancel", params, kCancelLimit);
  if (!cancelled) return cancelled.error();
  return client.wait(id, kCancelLimit);
}

int run_call(Invocation& invocation) {
  auto params = call_params(invocation);
  if (!params) return fail(invocation, params.error());
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  auto arguments = tool_arguments(invocation, *client);
  if (!arguments) return fail(invocation, arguments.error());
  (*params)["arguments"] = std::move(*arguments);
  const std::string call_id = random_id("call_");
  (*params)["callId"] = call_id;
  auto id = client->send("execute", *params);
  if (!id) return fail(invocation, id.error());
  auto result = wait_for_result(invocation, *client, *id, call_id);
  if (!result) return fail(invocation, result.error());
  if (invocation.arguments.has("--dry-run")) {
    return print_gates(invocation, *result);
  }
  if (invocation.arguments.has("--detach") && !invocation.globals.json &&
      !bool_at(*result, "isError")) {
    invocation.console.line(text_at(*result, "callId"));
    return kOk;
  }
  return print_result(invocation, *result);
}

}  // namespace

extern const Command kCall;
const Command kCall{
    .name = "call",
    .summary = "Run a tool and print its result",
    .arguments = kArguments,
    .options = kOptions,
    .takes_tool_flags = true,
    .run = run_call,
};

}  // namespace toolhost::cli
