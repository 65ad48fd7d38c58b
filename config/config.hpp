// Config: what the user wrote, with the defaults in place.
//
// The struct is the reference: CONFIG.md and default.jsonc are tested against
// it. Immutable once loaded; a reload makes a new one, and a turn keeps the
// one that it started with (only tightening reaches into a running turn).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/hook.hpp"
#include "config/mcp_server.hpp"
#include "protocol/clock.hpp"
#include "protocol/policy.hpp"

namespace toolhost::config {

struct Limits {
  std::size_t frame_bytes = 16U << 20;
  int requests_in_flight = 64;        // per connection
  int running_calls = 256;            // in all
  int connections = 1024;             // in all
  int connections_per_process = 256;  // per pid
  std::size_t outbox_frames = 2048;   // per connection
  std::size_t outbox_bytes = 4U << 20;
  std::size_t ring_events = 8192;  // events kept for replay
  std::size_t ring_bytes = 16U << 20;
  int sessions = 4096;  // open sessions in all
};

struct Approvals {
  Milliseconds timeout{30 * 60 * 1000};     // while an approver is connected
  Milliseconds unattended_timeout{60'000};  // while none is
  Milliseconds disconnect_grace{30'000};    // for a caller with a key
  int max_pending = 1000;
  int max_pending_per_session = 1000;
  // A connection may answer its own calls. Off: only for a person who works
  // with one GUI that also executes.
  bool self_approval = false;
};

struct Sessions {
  SandboxMode sandbox = SandboxMode::workspace_write;
  ApprovalPolicy approvals = ApprovalPolicy::on_request;
  SessionMode mode = SessionMode::code;
  // What a caller without a session gets: "defaults" or "deny".
  bool implicit = true;
  // A command that stays inside an enforced sandbox runs without a question:
  // "run" or "ask".
  bool run_sandboxed = false;
};

struct ReadTool {
  std::size_t max_bytes = 500 * 1024;
  int max_lines = 20'000;
  std::size_t max_image_bytes = 4U << 20;  // of the file; larger is refused
};

struct SearchTool {
  int default_matches = 250;
  int max_matches = 5000;
  std::size_t max_bytes = 256 * 1024;  // of one answer
  std::size_t max_line_bytes = 1000;   // of one shown line
  Milliseconds timeout{20'000};
};

struct BashTool {
  Milliseconds default_timeout{120'000};
  Milliseconds max_timeout{900'000};
  std::size_t head_bytes = 16 * 1024;    // kept of the beginning
  std::size_t tail_bytes = 32 * 1024;    // kept of the end
  std::size_t spill_bytes = 64U << 20;   // written to the artifact at most
  std::vector<std::string> environment;  // names passed on beside the defaults
};

struct Tools {
  std::vector<std::string> disabled;
  // Providers that are switched off, by name.
  std::vector<std::string> disabled_providers;
  ReadTool read;
  SearchTool search;
  BashTool bash;
  std::size_t output_bytes = 128 * 1024;  // a result over this is spilled
  Milliseconds cancel_grace{2000};
};

struct Artifacts {
  std::uint64_t max_bytes = 512ULL << 20;
  int max_count = 2000;
};

// A configured rule; see gates/rules.hpp for how it is judged.
struct Rule {
  std::string permission;  // "edit", "bash", "mcp__github__*", "*"
  std::string pattern;     // "*" crosses everything
  RuleAction action = RuleAction::ask;
};

// The hooks that the daemon brings along; gates/hooks/README.md.
struct BuiltinHooks {
  // After an edit: what the formatter and the checker of the language say.
  enum class Diagnostics { off, quick, full };
  Diagnostics diagnostics = Diagnostics::quick;
  // Text that looks like a key or a token and is about to get into a file.
  enum class Secrets { off, warn, ask };
  Secrets secrets = Secrets::warn;
};

struct Journal {
  // Commits survive kill -9; true makes them survive a power cut, too.
  bool sync_full = false;
  int keep_calls = 10'000;
  Milliseconds keep_for{24 * 3600 * 1000};
};

struct Log {
  std::string level = "info";  // trace debug info warn error
  std::string file;            // empty: standard error
};

struct Config {
  // "ask-first" or "full-access": where sessions began before what the file
  // says about them; status shows the second loudly.
  std::string preset = "ask-first";
  Limits limits;
  Approvals approvals;
  Sessions sessions;
  Tools tools;
  Artifacts artifacts;
  std::vector<Rule> rules;
  std::vector<Hook> hooks;             // in the order of the file
  std::vector<McpServer> mcp_servers;  // in the order of the file
  BuiltinHooks builtin_hooks;
  std::vector<std::string> trusted_workspaces;
  std::vector<std::uint32_t> allowed_uids;  // beside our own
  Journal journal;
  Log log;
  Milliseconds drain_grace{10'000};

  // Where it came from; empty for the built-in defaults.
  std::string file;
};

using ConfigPtr = std::shared_ptr<const Config>;

}  // namespace toolhost::config
