#include "config/settings.hpp"

#include <algorithm>
#include <array>

#include "config/text_faults.hpp"

namespace toolhost::config {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kGiB = 1024 * kMiB;
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

constexpr std::array<std::string_view, 3> kPresets{"ask-first", "sandboxed",
                                                   "full-access"};
constexpr std::array<std::string_view, 2> kImplicit{"deny", "defaults"};
constexpr std::array<std::string_view, 2> kSandboxed{"ask", "run"};
constexpr std::array<std::string_view, 2> kSelfApproval{"deny", "allow"};
constexpr std::array<std::string_view, 2> kSync{"normal", "full"};
constexpr std::array<std::string_view, 3> kDiagnostics{"off", "quick", "full"};
constexpr std::array<std::string_view, 3> kSecrets{"off", "warn", "ask"};
constexpr std::array<std::string_view, 5> kLevels{"trace", "debug", "info",
                                                  "warn", "error"};

template <auto... Members>
auto& reach(Config& config) {
  return (config.*....*Members);
}

template <auto... Members>
Setting row(std::string_view key, std::string_view meaning, Reload reload) {
  Setting out;
  out.key = key;
  out.meaning = meaning;
  out.slot = &reach<Members...>;
  out.reload = reload;
  return out;
}

// Numbers, and lists of at most `high` items.
template <auto... Members>
Setting bounded(std::string_view key, std::string_view meaning,
                std::int64_t low, std::int64_t high,
                Reload reload = Reload::at_once) {
  Setting out = row<Members...>(key, meaning, reload);
  out.low = low;
  out.high = high;
  return out;
}

template <auto... Members>
Setting choice(std::string_view key, std::string_view meaning, Words words,
               Reload reload = Reload::at_once) {
  Setting out = row<Members...>(key, meaning, reload);
  out.words = words;
  return out;
}

Setting checked(Setting setting, std::string (*fault)(std::string_view)) {
  setting.text_fault = fault;
  return setting;
}

using C = Config;
using enum Reload;

std::vector<Setting> limits() {
  constexpr auto in = &C::limits;
  using L = Limits;
  return {
      bounded<in, &L::frame_bytes>(
          "limits.frameBytes",
          "The longest message on a socket, in both directions.", 64 * kKiB,
          256 * kMiB, new_connections),
      bounded<in, &L::requests_in_flight>(
          "limits.requestsInFlight",
          "Requests of one connection that may be unanswered at a time.", 1,
          4096, new_connections),
      bounded<in, &L::running_calls>("limits.runningCalls",
                                     "Calls that may run at a time, in all.", 1,
                                     4096),
      bounded<in, &L::connections>("limits.connections",
                                   "Open connections, in all.", 1, 16384),
      bounded<in, &L::connections_per_process>(
          "limits.connectionsPerProcess", "Open connections of one process.", 1,
          16384),
      bounded<in, &L::outbox_frames>(
          "limits.outboxFrames",
          "Messages that wait for one slow reader before its events are cut.",
          16, 65536, new_connections),
      bounded<in, &L::outbox_bytes>(
          "limits.outboxBytes",
          "Bytes that wait for one slow reader before its events are cut.",
          64 * kKiB, 256 * kMiB, new_connections),
      bounded<in, &L::ring_events>(
          "limits.ringEvents",
          "Events that are kept for clients that come back.", 16, 1'000'000,
          restart),
      bounded<in, &L::ring_bytes>(
          "limits.ringBytes",
          "Bytes of events that are kept for clients that come back.",
          64 * kKiB, kGiB, restart),
      bounded<in, &L::sessions>("limits.sessions", "Open sessions, in all.", 1,
                                65536),
  };
}

std::vector<Setting> approvals() {
  constexpr auto in = &C::approvals;
  using A = Approvals;
  return {
      bounded<in, &A::timeout>(
          "approvals.timeoutMs",
          "How long an approval waits while somebody who can answer is "
          "connected.",
          1000, 30 * kDay),
      bounded<in, &A::unattended_timeout>(
          "approvals.unattendedTimeoutMs",
          "How long an approval waits while nobody who can answer is "
          "connected.",
          0, 30 * kDay),
      bounded<in, &A::disconnect_grace>(
          "approvals.disconnectGraceMs",
          "How long the call of a caller that disconnected, and that has an "
          "idempotency key, is kept for it.",
          0, kHour),
      bounded<in, &A::max_pending>("approvals.maxPending",
                                   "Approvals that may be pending, in all.", 1,
                                   10'000),
      bounded<in, &A::max_pending_per_session>(
          "approvals.maxPendingPerSession",
          "Approvals that may be pending in one session.", 1, 10'000),
      choice<in, &A::self_approval>(
          "approvals.selfApproval",
          "Whether a connection may answer its own calls; only for a person "
          "who works with one GUI that also executes.",
          kSelfApproval),
  };
}

std::vector<Setting> sessions() {
  constexpr auto in = &C::sessions;
  using S = Sessions;
  return {
      choice<in, &S::sandbox>("sessions.sandboxMode",
                              "What the calls of a session may touch.",
                              sandbox_mode_names(), new_sessions),
      choice<in, &S::approvals>("sessions.approvalPolicy",
                                "When a person is asked.",
                                approval_policy_names(), new_sessions),
      choice<in, &S::mode>("sessions.mode",
                           "What a session is for; `ask` and `plan` change "
                           "nothing on disk.",
                           session_mode_names(), new_sessions),
      choice<in, &S::implicit>(
          "sessions.implicit",
          "What a caller without a session gets: one with these defaults, or "
          "none.",
          kImplicit, new_sessions),
      choice<in, &S::run_sandboxed>(
          "sessions.sandboxedCommands",
          "What a command does that stays inside an enforced sandbox and that "
          "no rule is about: asks a person, or runs.",
          kSandboxed),
  };
}

std::vector<Setting> small_tools() {
  constexpr auto in = &C::tools;
  constexpr auto read = &Tools::read;
  constexpr auto search = &Tools::search;
  using R = ReadTool;
  using S = SearchTool;
  return {
      checked(bounded<in, &Tools::disabled>(
                  "tools.disabled", "Names of tools that nobody gets.", 0, 256),
              tool_name_fault),
      checked(bounded<in, &Tools::disabled_providers>(
                  "tools.disabledProviders",
                  "Names of providers that are switched off.", 0, 64),
              provider_name_fault),
      bounded<in, &Tools::output_bytes>(
          "tools.outputBytes",
          "A result over this is kept in a file and shown in part.", 4 * kKiB,
          8 * kMiB),
      bounded<in, &Tools::cancel_grace>(
          "tools.cancelGraceMs",
          "How long a cancelled command has between SIGTERM and SIGKILL.", 0,
          kMinute),
      bounded<in, read, &R::max_bytes>("tools.read.maxBytes",
                                       "The most text of one `read`.", 4 * kKiB,
                                       8 * kMiB),
      bounded<in, read, &R::max_lines>("tools.read.maxLines",
                                       "The most lines of one `read`.", 10,
                                       1'000'000),
      bounded<in, read, &R::max_image_bytes>(
          "tools.read.maxImageBytes",
          "Image files over this are refused by `read`.", 0, 64 * kMiB),
      bounded<in, search, &S::default_matches>(
          "tools.search.defaultMatches",
          "Matches that `grep` and `glob` show when the call does not say.", 1,
          100'000),
      bounded<in, search, &S::max_matches>(
          "tools.search.maxMatches",
          "The most matches that a call may ask for.", 1, 100'000),
      bounded<in, search, &S::max_bytes>("tools.search.maxBytes",
                                         "The most text of one search.",
                                         4 * kKiB, 8 * kMiB),
      bounded<in, search, &S::max_line_bytes>(
          "tools.search.maxLineBytes",
          "Longer lines are cut where a search shows them.", 80, 64 * kKiB),
      bounded<in, search, &S::timeout>("tools.search.timeoutMs",
                                       "When a search is ended.", 100,
                                       10 * kMinute),
  };
}

std::vector<Setting> bash() {
  constexpr auto in = &C::tools;
  constexpr auto bash = &Tools::bash;
  using B = BashTool;
  return {
      bounded<in, bash, &B::default_timeout>(
          "tools.bash.defaultTimeoutMs",
          "When a command is ended if the call does not say.", 1000, kDay),
      bounded<in, bash, &B::max_timeout>("tools.bash.maxTimeoutMs",
                                         "The longest time that a call may "
                                         "ask for.",
                                         1000, kDay),
      bounded<in, bash, &B::head_bytes>(
          "tools.bash.headBytes",
          "How much of the beginning of long output is shown.", kKiB, 4 * kMiB),
      bounded<in, bash, &B::tail_bytes>("tools.bash.tailBytes",
                                        "How much of its end is shown.", kKiB,
                                        4 * kMiB),
      bounded<in, bash, &B::spill_bytes>(
          "tools.bash.spillBytes",
          "How much output of one command is kept in a file.", 0, 4 * kGiB),
      checked(bounded<in, bash, &B::environment>(
                  "tools.bash.environment",
                  "Names of variables that commands get beside the usual "
                  "ones (PATH, HOME, LANG and the like).",
                  0, 64),
              variable_name_fault),
  };
}

std::vector<Setting> rest() {
  return {
      bounded<&C::artifacts, &Artifacts::max_bytes>(
          "artifacts.maxBytes",
          "Disk space for kept output; the oldest goes first.", kMiB,
          1024 * kGiB),
      bounded<&C::artifacts, &Artifacts::max_count>(
          "artifacts.maxCount", "Files of kept output; the oldest goes first.",
          10, 1'000'000),
      bounded<&C::rules>("rules",
                         "Permission rules; the last that matches wins, but a "
                         "deny is never lifted by a remembered allow.",
                         0, 1000),
      bounded<&C::hooks>("hooks",
                         "Programs and workflows that are asked before a tool "
                         "runs, or told after it; in this order.",
                         0, 100),
      bounded<&C::mcp_servers>(
          "mcpServers",
          "Servers of the Model Context Protocol whose tools agents get; "
          "entries as other clients write them.",
          0, 64),
      choice<&C::builtin_hooks, &BuiltinHooks::diagnostics>(
          "builtinHooks.diagnostics",
          "After an edit: what the formatter and the syntax checker of the "
          "language say (`quick`), and the compiler's front end (`full`).",
          kDiagnostics),
      choice<&C::builtin_hooks, &BuiltinHooks::secrets>(
          "builtinHooks.secrets",
          "When an edit brings a key or a token into a file: warn the agent, "
          "or ask a person first.",
          kSecrets),
      checked(bounded<&C::trusted_workspaces>(
                  "trustedWorkspaces",
                  "Folders that callers may use without asking first.", 0, 256),
              workspace_fault),
      bounded<&C::allowed_uids>(
          "allowedUids", "Users beside our own that may connect (numeric ids).",
          0, 64),
      choice<&C::journal, &Journal::sync_full>(
          "journal.sync", "`normal` survives kill -9, `full` a power cut, too.",
          kSync, restart),
      bounded<&C::journal, &Journal::keep_calls>(
          "journal.keepCalls", "Finished calls that are kept for replay.", 100,
          1'000'000),
      bounded<&C::journal, &Journal::keep_for>(
          "journal.keepForMs", "How long finished calls are kept.", kMinute,
          365 * kDay),
      choice<&C::log, &Log::level>("log.level", "How much is logged.", kLevels),
      checked(bounded<&C::log, &Log::file>(
                  "log.file",
                  "The log file; empty is standard error (the journal of "
                  "systemd).",
                  0, 4096, restart),
              log_file_fault),
      bounded<&C::drain_grace>(
          "drainGraceMs",
          "How long running calls have when the daemon is told to stop.", 0,
          10 * kMinute),
  };
}

std::vector<Setting> all() {
  std::vector<Setting> out;
  out.push_back(choice<&C::preset>(
      "preset",
      "A starting point for sessions.sandboxMode and "
      "sessions.approvalPolicy; what is written there goes over it.",
      kPresets, new_sessions));
  for (auto* part :
       {&limits, &approvals, &sessions, &small_tools, &bash, &rest}) {
    const std::vector<Setting> rows = (*part)();
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

}  // namespace

std::string_view name(Reload reload) {
  switch (reload) {
    case at_once:
      return "at once";
    case new_connections:
      return "new connections";
    case new_sessions:
      return "new sessions";
    case restart:
      return "restart";
  }
  return "restart";
}

std::span<const Setting> settings() {
  static const std::vector<Setting> table = all();
  return table;
}

}  // namespace toolhost::config
