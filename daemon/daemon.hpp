// Daemon: the parts, in the order in which they are made.
//
// One struct on the stack of main, passed down as a reference; destroyed in
// reverse after every TaskGroup was joined. No singletons.
#pragma once

#include <memory>
#include <string>

#include "config/config.hpp"
#include "config/paths.hpp"
#include "daemon/calls.hpp"
#include "daemon/catalogue_watch.hpp"
#include "daemon/event_stream.hpp"
#include "daemon/implicit_sessions.hpp"
#include "daemon/server.hpp"
#include "gates/catalogue.hpp"
#include "gates/hooks/hooks.hpp"
#include "gates/pipeline.hpp"
#include "gates/session_store.hpp"
#include "protocol/version.hpp"
#include "providers/support/sandbox_probe.hpp"

namespace toolhost {

struct Daemon {
  Daemon(asio::io_context& io, config::Paths where, config::ConfigPtr settings,
         std::unique_ptr<Journal> ledger, std::unique_ptr<Artifacts> kept,
         const SandboxProbe& machine);
  ~Daemon();

  asio::io_context& loop;
  const config::Paths paths;
  config::ConfigPtr config;
  Clock clock;
  EventStream events;
  std::unique_ptr<Journal> journal;
  std::unique_ptr<Artifacts> artifacts;
  Turns turns;
  RuleStore rules;
  Catalogues catalogues;
  CatalogueWatch catalogue_watch;
  Sessions sessions;
  SessionStore session_store;
  ApprovalQueue approvals;
  Scheduler scheduler;
  Registry registry;
  BlockingPool blocking;
  TaskGroup workers;
  Hooks hooks;
  Parts parts;
  Pipeline pipeline;
  Calls calls;
  ImplicitSessions implicit_sessions;
  Server server;

  // Our own process, as the ancestor of everything that we start.
  const ProcessIdentity self;
  const std::string started_at;
  const SteadyTime started;
  bool stopping = false;
  // Set by the method shutdown and by signals; main acts on it.
  OneShot<std::string> stop_requested;
  Milliseconds stop_grace{0};

  // After a session was opened, changed or closed.
  void save_sessions();
  // Registers every provider of this build.
  Result<void> add_providers();
  // Loads the file again; on an error the old configuration stays.
  Result<json::object> reload();
  // Sentences for status: a journal that cannot write, commands unconfined, …
  std::vector<std::string> warnings() const;
};

}  // namespace toolhost
