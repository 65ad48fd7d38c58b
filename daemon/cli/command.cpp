#include "daemon/cli/command.hpp"

#include <utility>

namespace toolhost::cli {

void Arguments::add(std::string_view name, std::string value) {
  values_[std::string(name)].push_back(std::move(value));
}

bool Arguments::has(std::string_view name) const {
  return values_.contains(name);
}

std::string Arguments::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

int fail(Invocation& invocation, const Error& error) {
  const ExitCode code = exit_code(error);
  if (invocation.globals.json) {
    json::object shown = to_json(error);
    const ClientFault fault = client_fault(error);
    if (fault != ClientFault::none) {
      shown["data"].as_object()["kind"] = name(fault);
    }
    json::object out;
    out["error"] = std::move(shown);
    out["exitCode"] = static_cast<int>(code);
    invocation.console.json(out);
  } else {
    invocation.console.note("toolhost: " + error.message);
    if (!error.hint.empty()) invocation.console.note("  " + error.hint);
  }
  return code;
}

int usage(Invocation& invocation, std::string message, std::string hint) {
  return fail(invocation, make_error(Code::invalid_params, std::move(message),
                                     std::move(hint)));
}

}  // namespace toolhost::cli
