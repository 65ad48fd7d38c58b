// toolhost approve: shows the whole of what is asked, and allows exactly that.
#include "daemon/cli/approval_find.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"ID", "The approval, or the beginning of its id", true, false,
     Completes::approval},
};

constexpr OptionSpec kOptions[] = {
    {"--comment", "TEXT", "Kept with the decision"},
    {"--option", "OPTION", "An option that the approval lists (default: once)"},
    {"--yes", "", "Do not ask; needed without a terminal"},
};

void show(Invocation& invocation, const ShownApproval& approval) {
  if (invocation.globals.json) return;
  invocation.console.lines(subject_lines(approval));
  invocation.console.line("");
  invocation.console.lines(option_lines(approval));
}

// The option that was chosen and that allows.
Result<const ShownOption*> chosen(const ShownApproval& approval,
                                  const std::string& wanted) {
  const ShownOption* option =
      wanted.empty() ? approval.allow_once() : approval.option(wanted);
  std::string offered;
  for (const ShownOption& other : approval.options) {
    offered += (offered.empty() ? "" : ", ") + other.id;
  }
  if (!option) {
    return make_error(Code::option_not_found,
                      approval.id + " does not offer " +
                          (wanted.empty() ? "to be allowed once" : wanted) +
                          ".",
                      "It offers: " + offered + ".");
  }
  // A kind that this program does not know is no consent.
  if (!option->allows()) {
    return make_error(
        Code::option_not_found,
        option->id + " does not allow; its kind is " + option->kind + ".",
        "Use `toolhost deny " + approval.id + " --option " + option->id +
            "` to refuse.");
  }
  return option;
}

std::optional<Error> not_answerable(const ShownApproval& approval) {
  if (!approval.state.empty() && approval.state != "pending") {
    return make_error(
        Code::approval_already_resolved,
        approval.id + " is over: " + describe_end(approval.raw) + ".");
  }
  if (!approval.complete) {
    const std::string artifact = text_at(approval.raw, "argumentsArtifact");
    return make_error(Code::approval_forbidden,
                      approval.id +
                          " cannot be shown here as a whole, so it cannot be "
                          "allowed here.",
                      artifact.empty()
                          ? "A GUI may show it; `toolhost deny` refuses it."
                          : "`toolhost output " + artifact +
                                "` prints its arguments; `toolhost deny` "
                                "refuses it.");
  }
  if (approval.digest.empty()) {
    return make_error(Code::approval_stale,
                      approval.id +
                          " came without the digest of what it "
                          "shows.",
                      "The daemon is older than this program.");
  }
  return std::nullopt;
}

// False: the person said no, or cannot be asked.
Result<bool> confirmed(Invocation& invocation, const ShownApproval& approval,
                       const ShownOption& option) {
  if (invocation.arguments.has("--yes")) return true;
  if (!invocation.console.can_ask() || invocation.globals.json) {
    return make_error(Code::invalid_params,
                      "Nobody can be asked here, so nothing was allowed.",
                      "Run: toolhost approve " + approval.id + " --option " +
                          option.id + " --yes");
  }
  std::string question = option.label + "?";
  if (!option.rule.empty()) question += " Remembers: " + option.rule;
  const auto answer = invocation.console.ask(question + " [y/N] ");
  return answer && (*answer == "y" || *answer == "yes");
}

int run_approve(Invocation& invocation) {
  DialOptions options;
  options.roles = {"approver"};
  options.interactive =
      invocation.console.can_ask() && !invocation.arguments.has("--yes");
  auto client = dial(invocation.globals, options);
  if (!client) return fail(invocation, client.error());
  auto approval = find_approval(*client, invocation.globals,
                                invocation.arguments.get("ID"));
  if (!approval) return fail(invocation, approval.error());
  if (auto whole = fetch_whole(*client, invocation.globals, *approval);
      !whole) {
    return fail(invocation, whole.error());
  }
  if (auto error = not_answerable(*approval)) return fail(invocation, *error);
  show(invocation, *approval);
  auto option = chosen(*approval, invocation.arguments.get("--option"));
  if (!option) return fail(invocation, option.error());
  auto yes = confirmed(invocation, *approval, **option);
  if (!yes) return fail(invocation, yes.error());
  if (!*yes) {
    invocation.console.note("Not answered; it still waits.");
    return kCancelled;
  }
  json::object params;
  params["approvalId"] = approval->id;
  params["optionId"] = (*option)->id;
  // Of exactly what was shown: anything else is refused as stale.
  params["approvalDigest"] = approval->digest;
  if (invocation.arguments.has("--comment")) {
    params["comment"] = invocation.arguments.get("--comment");
  }
  auto result =
      client->call("approve", params, request_limit(invocation.globals));
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
  } else {
    invocation.console.line("Allowed: " + approval->title);
  }
  return kOk;
}

}  // namespace

extern const Command kApprove;
const Command kApprove{
    .name = "approve",
    .summary = "Show an approval and allow it",
    .arguments = kArguments,
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_approve,
};

}  // namespace toolhost::cli
