#include "daemon/run.hpp"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "daemon/daemon.hpp"
#include "daemon/lock_file.hpp"
#include "daemon/restore_calls.hpp"
#include "daemon/systemd.hpp"
#include "gates/scrub/scrub.hpp"
#include "providers/builtin/bash_background.hpp"
#include "providers/support/log.hpp"
#include "providers/support/log_filter.hpp"

namespace toolhost {
namespace {

// What the process as a whole needs, before any thread or file.
void prepare_process() {
  // Writing to a closed pipe is an error code, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that hits the limit of its size.
  std::signal(SIGXFSZ, SIG_IGN);
  // Everything we make is for this user only.
  umask(0077);
  // Orphans of our children stay our descendants.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // Few threads: one arena returns memory to the system and keeps it small.
  mallopt(M_ARENA_MAX, 2);
}

Result<void> make_private_folder(const std::string& path) {
  std::error_code ec;
  std::filesystem::create_directories(path, ec);
  if (ec) {
    return make_error(Code::internal,
                      "cannot create the folder " + path + ": " + ec.message(),
                      "Check XDG_STATE_HOME and who owns its parent.");
  }
  struct stat info;
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != geteuid()) {
    return make_error(Code::internal, path + " is not a folder of this user.",
                      "Remove it, or set XDG_STATE_HOME elsewhere.");
  }
  if ((info.st_mode & 077) != 0 && chmod(path.c_str(), 0700) != 0) {
    return make_error(Code::internal,
                      path + " can be read by others and cannot be changed.",
                      "chmod 700 " + path);
  }
  return {};
}

Task<void> watch_signals(Daemon& daemon, asio::signal_set& signals) {
  for (;;) {
    const auto [error, number] =
        co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
    if (error) co_return;
    if (number == SIGHUP) {
      systemd::notify_reloading();
      const auto reloaded = daemon.reload();
      systemd::notify_ready();
      if (!reloaded) log_error("reload: " + reloaded.error().message);
      continue;
    }
    daemon.stop_grace = daemon.config->drain_grace;
    // A second signal does not wait for calls that still run.
    if (!daemon.stop_requested.set("a signal"))
      daemon.calls.cancel_all("The daemon is stopping.");
  }
}

Task<void> feed_watchdog(Daemon& daemon, asio::steady_timer& timer) {
  const auto interval = systemd::watchdog_interval();
  if (!interval) co_return;
  while (!daemon.stopping) {
    systemd::notify_watchdog();
    timer.expires_after(*interval);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

// Stop accepting → drain → withdraw → cancel → stop providers → flush.
Task<void> shut_down(Daemon& daemon) {
  daemon.stopping = true;
  systemd::notify_stopping();
  log_info("stopping because of " + daemon.stop_requested.value());
  daemon.server.stop_listening();
  Event event;
  event.topic = Topic::server;
  event.method = "server/stopping";
  event.body["graceMs"] = daemon.stop_grace.count();
  event.body["restart"] = false;
  // Everybody hears it, subscribed or not.
  for (const auto& connection : daemon.server.connections()) {
    if (connection->initialized) daemon.events.tell(*connection, event);
  }
  daemon.approvals.withdraw_all("The daemon is stopping.");
  co_await daemon.calls.drain(daemon.clock.steady() + daemon.stop_grace);
  daemon.calls.cancel_all("The daemon is stopping.");
  co_await daemon.calls.join();
  co_await daemon.hooks.stop();
  co_await daemon.server.close_all(Milliseconds(1000));
  co_await builtin::end_all_children();
  co_await daemon.registry.stop_all();
  co_await daemon.workers.join();
  const Result<void> flushed = co_await daemon.journal->flush();
  if (!flushed) log_error("the journal: " + flushed.error().message);
}

Task<void> live(Daemon& daemon, Result<void>& outcome) {
  asio::signal_set signals(daemon.loop, SIGTERM, SIGINT, SIGHUP);
  asio::steady_timer watchdog(daemon.loop);
  TaskGroup background(daemon.loop, "main");
  outcome = daemon.add_providers();
  if (outcome) outcome = daemon.server.listen(daemon.paths);
  if (!outcome) co_return;
  co_await daemon.registry.start_all();
  // What is so from the start is what changes are told against.
  daemon.catalogue_watch.check();
  restore_calls(daemon);
  background.spawn(watch_signals(daemon, signals));
  background.spawn(feed_watchdog(daemon, watchdog));
  daemon.server.accept();
  systemd::notify_ready();
  log_info("ready version=" + std::string(kVersion) +
           " socket=" + daemon.paths.control_socket);
  for (const std::string& warning : daemon.warnings()) log_warn(warning);
  background.spawn(daemon.approvals.judge_restored());
  co_await daemon.stop_requested.wait();
  co_await shut_down(daemon);
  signals.cancel();
  watchdog.cancel();
  co_await background.join();
}

}  // namespace

Result<void> run_daemon(asio::io_context& loop, const config::Paths& paths,
                        config::ConfigPtr config) {
  prepare_process();
  add_secret_values(secret_values(environ));
  set_log_filter([](std::string_view line) {
    return scrubbed(line, Scrub::names_and_shapes);
  });
  // The lock first: a second start must touch nothing of the first.
  if (auto made = prepare_private_folder(paths.runtime_dir); !made) {
    return made.error();
  }
  auto lock = take_lock(paths.lock_file);
  if (!lock) return lock.error();
  if (auto made = make_private_folder(paths.state_dir); !made) {
    return made.error();
  }
  auto journal =
      Journal::open(loop, paths.state_dir + "/journal.db", config->journal);
  if (!journal) return journal.error();
  if (auto made = make_private_folder(paths.cache_dir); !made) {
    return made.error();
  }
  auto artifacts =
      Artifacts::open(paths.cache_dir + "/artifacts", config->artifacts);
  if (!artifacts) return artifacts.error();

  Daemon daemon(loop, paths, std::move(config), std::move(*journal),
                std::move(*artifacts), sandbox_probe());
  daemon.server.keep_lock(std::move(*lock));
  Result<void> outcome;
  asio::co_spawn(loop, live(daemon, outcome), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  loop.run();
  return outcome;
}

}  // namespace toolhost
