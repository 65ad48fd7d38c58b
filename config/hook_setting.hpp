// Reading one entry of `hooks`, and writing it again.
#pragma once

#include <optional>

#include "config/settings.hpp"

namespace toolhost::config {

// Checks one entry; `hook` is unchanged on a fault.
std::optional<SettingFault> read_hook(const json::value& item, Hook& hook);
// The entry as it could stand in the file, defaults written out.
json::object write_hook(const Hook& hook);

}  // namespace toolhost::config
