// The command line on one page.
#include <array>

#include "daemon/cli/command.hpp"

namespace toolhost::cli {

extern const Command kApprovals;
extern const Command kApprove;
extern const Command kAudit;
extern const Command kCall;
extern const Command kCalls;
extern const Command kCancel;
extern const Command kCompletion;
extern const Command kDeny;
extern const Command kDoctor;
extern const Command kInbox;
extern const Command kMcp;
extern const Command kMcpServers;
extern const Command kOutput;
extern const Command kProviders;
extern const Command kReload;
extern const Command kRpc;
extern const Command kRules;
extern const Command kSessions;
extern const Command kSocketPath;
extern const Command kStatus;
extern const Command kStop;
extern const Command kTools;
extern const Command kVersionCommand;
extern const Command kWatch;

std::span<const Command* const> commands() {
  static constexpr std::array kCommands{
      &kApprovals, &kApprove,    &kAudit,          &kCall,       &kCalls,
      &kCancel,    &kCompletion, &kDeny,           &kDoctor,     &kInbox,
      &kMcp,       &kMcpServers, &kOutput,         &kProviders,  &kReload,
      &kRpc,       &kRules,      &kSessions,       &kSocketPath, &kStatus,
      &kStop,      &kTools,      &kVersionCommand, &kWatch,
  };
  return kCommands;
}

std::span<const OptionSpec> global_options() {
  static constexpr OptionSpec kOptions[] = {
      {"--caller", "", "Use the restricted socket that agents get"},
      {"--json", "", "Print one JSON object"},
      {"--no-input", "", "Never ask; print the command to run instead"},
      {"--socket", "PATH", "Socket of the daemon", Completes::file},
      {"--timeout", "TIME", "Wait at most so long: 500ms, 30s, 5m"},
  };
  return kOptions;
}

}  // namespace toolhost::cli
