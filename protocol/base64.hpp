// Base64 (RFC 4648), by libnettle: with padding as results carry bytes, and the
// URL alphabet without padding as cursors do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolhost {

std::string base64(std::string_view bytes);
// nullopt when it is none.
std::optional<std::string> from_base64(std::string_view text);

std::string base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace toolhost
