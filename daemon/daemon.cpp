#include "daemon/daemon.hpp"

#include <unistd.h>

#include "config/diff.hpp"
#include "config/load.hpp"
#include "providers/builtin/provider.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// Folders whose files only a person changes.
std::vector<std::string> own_folders(const config::Paths& paths) {
  const auto parent = [](const std::string& file) {
    return std::filesystem::path(file).parent_path().string();
  };
  std::vector<std::string> out{parent(paths.config_file), paths.state_dir,
                               paths.cache_dir, paths.runtime_dir};
  for (std::string& folder : out) {
    std::error_code ec;
    const auto physical = std::filesystem::weakly_canonical(folder, ec);
    if (!ec) folder = physical.string();
  }
  return out;
}

}  // namespace

Daemon::Daemon(asio::io_context& io, config::Paths where,
               config::ConfigPtr settings, std::unique_ptr<Journal> ledger,
               std::unique_ptr<Artifacts> kept)
    : loop(io),
      paths(std::move(where)),
      config(std::move(settings)),
      events(clock, config->limits.ring_events, config->limits.ring_bytes),
      journal(std::move(ledger)),
      artifacts(std::move(kept)),
      turns(clock),
      rules(paths.rules_file, config->rules),
      catalogues(rules),
      session_store(paths.state_dir + "/sessions.json"),
      approvals(io, clock, *journal, rules, events, config->approvals),
      scheduler(io),
      registry(config),
      blocking(io),
      workers(io, "tools"),
      hooks(io, clock),
      parts{io,       clock,     registry,  sessions,           turns,
            rules,    approvals, scheduler, *journal,           *artifacts,
            blocking, events,    workers,   own_folders(paths), &hooks},
      pipeline(parts),
      calls(io, pipeline, clock),
      implicit_sessions(*this),
      server(*this),
      self(identify_process(getpid()).value_or(ProcessIdentity{})),
      started_at(rfc3339(clock.wall())),
      started(clock.steady()),
      stop_requested(io) {}

Daemon::~Daemon() = default;

void Daemon::save_sessions() {
  const Result<void> saved = session_store.save(sessions);
  if (!saved) {
    log_error("sessions will not survive a restart: " + saved.error().message);
  }
}

Result<void> Daemon::add_providers() {
  return registry.add(std::make_unique<builtin::BuiltinProvider>());
}

Result<json::object> Daemon::reload() {
  auto loaded = config::load_config(paths);
  if (!loaded) {
    log_warn("the configuration was refused, the old one stays: " +
             loaded.error().message);
    return loaded.error();
  }
  auto next = std::make_shared<const config::Config>(std::move(*loaded));
  json::array changed;
  for (const std::string& key : config::changed_keys(*config, *next)) {
    changed.emplace_back(key);
  }
  json::array restart;
  for (const std::string& key : config::needs_restart(*config, *next)) {
    restart.emplace_back(key);
  }
  if (auto set = registry.set_config(next); !set) return set.error();
  config = std::move(next);
  rules.set_configured(config->rules);
  rules.reload();
  catalogues.invalidate();
  approvals.set_settings(config->approvals);
  approvals.judge_again();
  json::object out;
  out["changed"] = std::move(changed);
  out["needsRestart"] = std::move(restart);
  json::array notes;
  for (const std::string& warning : warnings()) notes.emplace_back(warning);
  out["warnings"] = std::move(notes);
  Event event;
  event.topic = Topic::config;
  event.method = "config/reloaded";
  event.body = out;
  events.publish(std::move(event));
  log_info("the configuration was loaded again");
  return out;
}

std::vector<std::string> Daemon::warnings() const {
  std::vector<std::string> out;
  out.emplace_back(
      "Commands run unconfined: this version has no sandbox of the operating "
      "system, so every command asks.");
  const Policy usual{{},
                     config->sessions.mode,
                     config->sessions.sandbox,
                     config->sessions.approvals,
                     {},
                     {},
                     {},
                     {},
                     {}};
  if (usual.sandbox == SandboxMode::danger_full_access &&
      usual.approvals == ApprovalPolicy::automatic) {
    out.emplace_back(
        "FULL ACCESS: new sessions run everything without asking.");
  }
  if (const std::string trouble = journal->trouble(); !trouble.empty()) {
    out.push_back("The journal cannot be written: " + trouble);
  }
  if (!journal->set_aside().empty()) {
    out.push_back("The old journal was damaged and is kept as " +
                  journal->set_aside() + ".");
  }
  if (!rules.trouble().empty()) {
    out.push_back("Remembered rules do not count: " + rules.trouble());
  }
  return out;
}

}  // namespace toolhost
