// toolhost output: the whole output of a call, also what its result left out.
#include <cstdlib>

#include "daemon/cli/call_id.hpp"
#include "protocol/base64.hpp"

namespace toolhost::cli {
namespace {

constexpr std::int64_t kPage = 1 << 20;

constexpr ArgumentSpec kArguments[] = {
    {"ID", "A call, or an artifact (art_…)", true, false, Completes::call},
};

constexpr OptionSpec kOptions[] = {
    {"--offset", "BYTES", "Start here"},
};

void print_piece(Console& console, const json::object& page) {
  if (page.contains("base64")) {
    const auto bytes = from_base64(text_at(page, "base64"));
    // Bytes that are no text go to a terminal as what they are: escaped.
    if (bytes && !console.traits().terminal_out) return console.bytes(*bytes);
    if (bytes) return console.print(*bytes);
    return;
  }
  console.print(text_at(page, "text"));
}

int copy_all(Invocation& invocation, Client& client, json::object params) {
  std::int64_t offset = int_at(params, "offset").value_or(0);
  for (;;) {
    params["offset"] = offset;
    params["maxBytes"] = kPage;
    auto page =
        client.call("readOutput", params, request_limit(invocation.globals));
    if (!page) return fail(invocation, page.error());
    if (invocation.globals.json) {
      invocation.console.json(*page);
      return kOk;
    }
    print_piece(invocation.console, *page);
    const auto next = int_at(*page, "nextOffset").value_or(offset);
    // Not at the end and nothing new: the call still runs.
    if (bool_at(*page, "eof") || next <= offset) return kOk;
    offset = next;
  }
}

int run_output(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  json::object params;
  const std::string typed = arguments.get("ID");
  if (typed.starts_with("art_")) {
    params["artifactId"] = typed;
  } else {
    auto id = find_call_id(*client, invocation.globals, typed);
    if (!id) return fail(invocation, id.error());
    params["callId"] = *id;
  }
  if (arguments.has("--offset")) {
    const long long offset = std::atoll(arguments.get("--offset").c_str());
    if (offset < 0) return usage(invocation, "--offset takes a number.");
    params["offset"] = offset;
  }
  return copy_all(invocation, *client, std::move(params));
}

}  // namespace

extern const Command kOutput;
const Command kOutput{
    .name = "output",
    .summary = "Print the whole output of a call",
    .arguments = kArguments,
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_output,
};

}  // namespace toolhost::cli
