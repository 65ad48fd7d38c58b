// Secrets out of JSON: every string by itself, so that what remains is JSON.
#pragma once

#include <boost/json.hpp>

#include "gates/scrub/scrub.hpp"

namespace toolhost {

namespace json = boost::json;

// With names: the whole text of a member that is called like a secret.
void scrub(json::value& value, Scrub what);
void scrub(json::object& object, Scrub what);

}  // namespace toolhost
