// JSON → Program, or an error that names the keyword and where it stands.
#pragma once

#include "protocol/error.hpp"
#include "protocol/json_schema_program.hpp"

namespace toolhost::schema {

// Bounded by JsonSchema's limits and without recursion: hostile schemas cannot
// exhaust the stack.
Result<Program> compile(const json::value& schema);

}  // namespace toolhost::schema
