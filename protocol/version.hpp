// The version of this build: of the daemon, the command line and the client.
#pragma once

#include <string_view>

namespace toolhost {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace toolhost
