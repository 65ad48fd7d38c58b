// reloadConfig: reads the file again; a bad one changes nothing.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection&, const json::object&) {
  auto reloaded = daemon.reload();
  if (!reloaded) return reloaded.error();
  return json_text(*reloaded);
}

}  // namespace

const MethodDefinition reload_config_method{
    .name = "reloadConfig", .roles = kAdmin, .now = run};

}  // namespace toolhost
