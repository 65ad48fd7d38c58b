// Words for where a confined start failed.
#pragma once

#include <string>

#include "protocol/error.hpp"
#include "providers/support/launch/message.hpp"

namespace toolhost {

// As it stands after "to": "make its namespaces".
std::string_view words_of(launch::Step step);

// The error of a start of `program`, which ran nothing. `plan` is what the
// launcher was given; empty without a sandbox.
Error start_failure(const std::string& program, const launch::Message& failed,
                    const std::string& plan);

}  // namespace toolhost
