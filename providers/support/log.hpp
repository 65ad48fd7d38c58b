// Log lines: a lower-case sentence, then key=value. The call id is always in.
//
// error: somebody must act. warn: something was refused or lost. info: a
// person would like to know afterwards. debug: how it went. trace: bytes.
// Every line passes display_text, so no child's output forges another line.
#pragma once

#include <string>
#include <string_view>

namespace toolhost {

// `level` as in the config; an empty file is standard error. Never fails: a
// log file that cannot be opened is told once on standard error.
void open_log(std::string_view level, const std::string& file);

void log_error(std::string_view line);
void log_warn(std::string_view line);
void log_info(std::string_view line);
void log_debug(std::string_view line);

}  // namespace toolhost
