// toolhost deny: refuse an approval, with a word for the agent.
#include "daemon/cli/approval_find.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"ID", "The approval, or the beginning of its id", true, false,
     Completes::approval},
};

constexpr OptionSpec kOptions[] = {
    {"--comment", "TEXT", "Told to the agent: what to do instead"},
    {"--option", "OPTION", "An option of the approval that refuses"},
};

int run_deny(Invocation& invocation) {
  DialOptions options;
  options.roles = {"approver"};
  auto client = dial(invocation.globals, options);
  if (!client) return fail(invocation, client.error());
  auto approval = find_approval(*client, invocation.globals,
                                invocation.arguments.get("ID"));
  if (!approval) return fail(invocation, approval.error());
  json::object params;
  params["approvalId"] = approval->id;
  const std::string wanted = invocation.arguments.get("--option");
  if (wanted.empty()) {
    params["decision"] = "deny";
  } else {
    const ShownOption* option = approval->option(wanted);
    if (!option || !option->rejects()) {
      return fail(invocation,
                  make_error(Code::option_not_found,
                             approval->id + " has no option " + wanted +
                                 " that refuses.",
                             "Without --option it is refused once."));
    }
    params["optionId"] = wanted;
    params["approvalDigest"] = approval->digest;
  }
  if (invocation.arguments.has("--comment")) {
    params["comment"] = invocation.arguments.get("--comment");
  }
  auto result =
      client->call("approve", params, request_limit(invocation.globals));
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
  } else {
    invocation.console.line("Denied: " + approval->title);
  }
  return kOk;
}

}  // namespace

extern const Command kDeny;
const Command kDeny{
    .name = "deny",
    .summary = "Refuse an approval",
    .arguments = kArguments,
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_deny,
};

}  // namespace toolhost::cli
