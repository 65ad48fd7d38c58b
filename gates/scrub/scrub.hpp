// Secrets out of text, before it leaves the daemon: results, events, the audit
// trail, the log.
//
// What is found is replaced by "[REDACTED:<type>]". Tokens are known by their
// shape (table in scrub_shapes.cpp) wherever they are; what follows a name like
// `password=` is a secret by its name (scrub_names.cpp), which would also hit
// ordinary source code: so files that are read are looked at for shapes alone.
// One pass over the text, about a nanosecond a byte where nothing is found.
// A token that is cut in two (by the end of a piece of output) is not seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolhost {

enum class Scrub { shapes, names_and_shapes };

// The text without secrets; the same text when there are none.
std::string scrubbed(std::string_view text, Scrub what);
// The same in place. False, and nothing was copied, when there were none.
bool scrub(std::string& text, Scrub what);

// Is a value with this name a secret? "DB_PASSWORD", "api-key", "accessToken";
// not "max_tokens".
bool is_secret_name(std::string_view name);

// Values that are secrets whatever they look like (of our own environment).
// Once, before anything is scrubbed. Values under eight bytes are not taken:
// they would be found everywhere.
void add_secret_values(const std::vector<std::string>& values);
// The values of those variables whose names say that they are secret.
std::vector<std::string> secret_values(char** environment);

}  // namespace toolhost
