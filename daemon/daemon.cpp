#include "daemon/daemon.hpp"

#include <unistd.h>

#include <cstdlib>

#include "config/diff.hpp"
#include "config/load.hpp"
#include "providers/builtin/provider.hpp"
#include "providers/mcp/servers.hpp"
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

Confinement confinement_of(const config::Paths& paths,
                           const SandboxProbe& machine) {
  Confinement out;
  out.strength = machine.strength;
  out.landlock_abi = machine.landlock_abi;
  out.summary = machine.summary;
  out.own_folders = own_folders(paths);
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  out.home = variable("HOME");
  out.runtime_dir = variable("XDG_RUNTIME_DIR");
  out.tmp_root = paths.cache_dir + "/tmp";
  return out;
}

// What servers of others need of us.
mcp::Host mcp_host(Daemon& daemon) {
  mcp::Host host(daemon.loop);
  host.lists = mcp::ListCache(daemon.paths.cache_dir + "/mcp");
  host.drain_grace = daemon.config->drain_grace;
  return host;
}

}  // namespace

Daemon::Daemon(asio::io_context& io, config::Paths where,
               config::ConfigPtr settings, std::unique_ptr<Journal> ledger,
               std::unique_ptr<Artifacts> kept, const SandboxProbe& machine)
    : loop(io),
      paths(std::move(where)),
      config(std::move(settings)),
      events(clock, config->limits.ring_events, config->limits.ring_bytes),
      journal(std::move(ledger)),
      artifacts(std::move(kept)),
      turns(clock),
      rules(paths.rules_file, config->rules),
      catalogues(rules),
      catalogue_watch(*this),
      session_store(paths.state_dir + "/sessions.json"),
      approvals(io, clock, *journal, rules, events, config->approvals),
      scheduler(io),
      registry(config),
      blocking(io),
      workers(io, "tools"),
      hooks(io, clock),
      parts{io,        clock,
            registry,  sessions,
            turns,     rules,
            approvals, scheduler,
            *journal,  *artifacts,
            blocking,  events,
            workers,   own_folders(paths),
            &hooks,    confinement_of(paths, machine)},
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
  const Result<void> saved = session_store.save(sessions, rules);
  if (!saved) {
    log_error("sessions will not survive a restart: " + saved.error().message);
  }
}

Result<void> Daemon::add_providers() {
  registry.on_change = [this] {
    catalogue_watch.check();
    approvals.judge_again();
  };
  auto added = registry.add(std::make_unique<builtin::BuiltinProvider>());
  if (!added) return added;
  return mcp::set_servers(registry, mcp_host(*this), *config, false);
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
  const mcp::Host host = mcp_host(*this);
  if (auto set = mcp::set_servers(registry, host, *config, true); !set) {
    log_error("servers of others stay as they were: " + set.error().message);
  }
  rules.set_configured(config->rules);
  rules.reload();
  catalogue_watch.check();
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
  if (!parts.confinement.enforced()) {
    out.push_back("Every command asks: " + parts.confinement.summary);
  }
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
