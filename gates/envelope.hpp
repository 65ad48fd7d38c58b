// Envelope: what models and transports wrap around the arguments of a call.
//
// Pure functions, used once before the schema is checked. Only shapes that
// the tool's schema cannot mean are touched: a property that the schema
// declares is never taken for a wrapper, for transport metadata or for an
// alias. Values are never converted; the schema reports them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "protocol/error.hpp"

namespace toolhost {

// A string over this is not parsed as arguments.
inline constexpr std::size_t kMaxEnvelopeBytes = 512 * 1024;

// Takes `{"__raw": "{…}"}` and one of arguments, args, input, parameters,
// params, payload off, repeatedly, where nothing but transport metadata stands
// beside it. `notes` gets one sentence per layer. What does not fit comes back
// as it was.
json::object unwrap_arguments(json::object raw, const json::object& schema,
                              std::vector<std::string>& notes);

// Renames what models are used to (file_path, old_string, cmd, any spelling in
// snake_case or camelCase) to what the schema declares, in nested objects,
// too. Only where the target is declared and absent, the source is not
// declared, and there is one candidate. One sentence per renamed property.
std::vector<std::string> apply_aliases(json::object& arguments,
                                       const json::object& schema);

// Arguments that arrived as text and were not JSON (a `__raw` that is left):
// the refusal, worded for a model. Nothing of the text is repeated.
std::optional<CallError> cut_arguments(const json::object& arguments,
                                       const json::object& schema);

}  // namespace toolhost
