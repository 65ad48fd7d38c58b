// Base64 (RFC 4648, with padding), as images travel in results.
#pragma once

#include <string>
#include <string_view>

namespace toolhost::builtin {

std::string base64(std::string_view bytes);

}  // namespace toolhost::builtin
