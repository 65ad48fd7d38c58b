// doctor: the checks of `toolhost doctor`, as the daemon sees the machine.
#include "daemon/daemon.hpp"
#include "daemon/doctor/check.hpp"
#include "daemon/connection.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

using Findings = std::vector<doctor::Finding>;

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const auto names = in.optional_strings("checks");
  if (in.error()) co_return request->fail(*in.error());
  doctor::CheckInput input;
  input.paths = daemon.paths;
  input.config = daemon.config;
  // Checks look at disks and sockets: not on the loop.
  std::function<Findings()> work = [input, names] {
    return doctor::run_checks(input,
                              names.value_or(std::vector<std::string>()));
  };
  const Findings findings = co_await daemon.blocking.run(std::move(work));
  json::array checks;
  for (const doctor::Finding& finding : findings) {
    checks.push_back(doctor::to_json(finding));
  }
  json::object out;
  out["checks"] = std::move(checks);
  request->reply(out);
}

}  // namespace

const MethodDefinition doctor_method{
    .name = "doctor", .roles = kObserver, .later = run};

}  // namespace toolhost
