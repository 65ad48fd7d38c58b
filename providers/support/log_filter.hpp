// What every log line passes before it is written: the daemon takes secrets out
// there. Set once, before anything is logged that could hold one.
#pragma once

#include <string>
#include <string_view>

namespace toolhost {

using LogFilter = std::string (*)(std::string_view line);
void set_log_filter(LogFilter filter);

}  // namespace toolhost
