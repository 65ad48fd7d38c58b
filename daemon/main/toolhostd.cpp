// toolhostd: parses flags, builds the parts in order, runs, tears down in
// reverse.

#include <CLI/CLI.hpp>
#include <iostream>

#include "config/load.hpp"
#include "daemon/daemon.hpp"
#include "daemon/run.hpp"
#include "providers/support/log.hpp"

namespace {

using namespace toolhost;

struct Flags {
  std::string config;
  std::string socket;
  std::string log_level;
  bool check_config = false;
  bool foreground = false;
};

int fail(const Error& error, int code) {
  std::cerr << "toolhostd: " << error.message << '\n';
  if (!error.hint.empty()) std::cerr << "  " << error.hint << '\n';
  return code;
}

// Exit codes of sysexits.h: what a unit file and a script can tell apart.
constexpr int kUnavailable = 69;
constexpr int kConfigError = 78;

int serve(const Flags& flags) {
  auto paths = config::find_paths(flags.socket, flags.config);
  if (!paths) return fail(paths.error(), kConfigError);
  auto loaded = config::load_config(*paths);
  if (!loaded) return fail(loaded.error(), kConfigError);
  if (flags.check_config) {
    std::cout << paths->config_file << ": ok\n";
    return 0;
  }
  auto settings = std::make_shared<config::Config>(std::move(*loaded));
  if (!flags.log_level.empty()) settings->log.level = flags.log_level;
  open_log(settings->log.level, settings->log.file);

  asio::io_context loop(1);
  const Result<void> served = run_daemon(loop, *paths, settings);
  return served ? 0 : fail(served.error(), kUnavailable);
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"The daemon that agents and frontends share."};
  app.add_option("--config", flags.config, "Configuration file (JSONC).");
  app.add_option("--socket", flags.socket, "Path of the control socket.");
  app.add_option("--log-level", flags.log_level,
                 "trace, debug, info, warn or error.");
  app.add_flag("--check-config", flags.check_config,
               "Read the configuration, say what is wrong, and end.");
  app.add_flag("--foreground", flags.foreground,
               "Accepted for scripts; it never forks.");
  app.set_version_flag("--version", std::string(kVersion));
  CLI11_PARSE(app, argc, argv);
  return serve(flags);
}
