// toolhost rpc: one raw request, for scripts and bug reports.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"METHOD", "listTools, rpc.discover, …"},
    {"PARAMS", "A JSON object; - reads it from standard input", false},
};

int run_rpc(Invocation& invocation) {
  std::string text = invocation.arguments.get("PARAMS");
  if (text == "-") {
    text = invocation.console.read_all(kDefaultMaxFrame).value_or("");
  }
  json::object params;
  if (!text.empty()) {
    boost::system::error_code ec;
    json::value value = json::parse(text, ec);
    if (ec || !value.is_object()) {
      return usage(invocation, "PARAMS has to be one JSON object" +
                                   (ec ? ": " + ec.message() : std::string()) +
                                   ".");
    }
    params = std::move(value.get_object());
  }
  auto path = socket_path(invocation.globals);
  if (!path) return fail(invocation, path.error());
  auto client = Client::connect(*path);
  if (!client) return fail(invocation, client.error());
  const std::string method = invocation.arguments.get("METHOD");
  if (method != "initialize") {
    ClientIdentity identity;
    identity.version = std::string(kVersion);
    auto hello =
        client->initialize(identity, request_limit(invocation.globals));
    // The frozen core answers whatever the version.
    if (!hello && hello.error().code != Code::unsupported_version) {
      return fail(invocation, hello.error());
    }
  }
  auto result = client->call(
      method, params, invocation.globals.timeout.value_or(Client::kForever));
  if (!result) return fail(invocation, result.error());
  invocation.console.json(*result);
  // A script that executes this way wants the outcome, too.
  return method == "execute" ? exit_code_of_result(*result) : kOk;
}

}  // namespace

extern const Command kRpc;
const Command kRpc{
    .name = "rpc",
    .summary = "Send one raw request and print its result",
    .arguments = kArguments,
    .options = {},
    .takes_tool_flags = false,
    .run = run_rpc,
};

}  // namespace toolhost::cli
