// Asks: are the arguments what the schema asks for?
// Refuses: invalidArguments, all faults at once, worded for a model.
// Adds: arguments (unwrapped, aliases renamed, defaults filled in), their
// digest.
// Why here: after the hooks, before anything looks into an argument; from here
// on they are final.
#include "gates/envelope.hpp"
#include "gates/gates.hpp"
#include "protocol/digest.hpp"

namespace toolhost::gates {
namespace {

CallError not_valid(const Call& call, const std::vector<SchemaFault>& faults) {
  std::string message =
      "The arguments of \"" + call.tool_name + "\" do not fit: ";
  json::array list;
  bool first = true;
  for (const SchemaFault& fault : faults) {
    if (!std::exchange(first, false)) message += "; ";
    message += (fault.path.empty() ? "" : fault.path + " ") + fault.message;
    json::object row;
    row["path"] = fault.path;
    row["message"] = fault.message;
    list.push_back(std::move(row));
  }
  message += '.';
  CallError error = make_call_error(
      CallErrorKind::invalid_arguments, std::move(message),
      "Correct these and call again; describeTool has the schema.");
  error.details["faults"] = std::move(list);
  return error;
}

}  // namespace

Refusal arguments(Call& call) {
  std::vector<std::string> notes;
  const json::object& schema = call.tool->tool.input_schema;
  // The raw arguments stay: a restored call is judged from them again.
  const json::object& given =
      call.hooked_arguments ? *call.hooked_arguments : call.raw_arguments;
  call.arguments = unwrap_arguments(given, schema, notes);
  if (auto cut = cut_arguments(call.arguments, schema)) return cut;
  apply_aliases(call.arguments, schema);
  // As given first: a default in place of a misspelt name would hide which one
  // was meant. A required member may have a default, though.
  const auto faults = call.tool->schema->validate(call.arguments);
  call.tool->schema->add_defaults(call.arguments);
  if (!faults.empty() && !call.tool->schema->validate(call.arguments).empty()) {
    return not_valid(call, faults);
  }
  call.arguments_digest = json_digest(call.arguments);
  return std::nullopt;
}

}  // namespace toolhost::gates
