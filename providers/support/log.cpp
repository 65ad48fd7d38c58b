#include "providers/support/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

#include "protocol/text.hpp"
#include "providers/support/log_filter.hpp"

namespace toolhost {
namespace {

std::atomic<LogFilter> filter{nullptr};

void write(spdlog::level::level_enum level, std::string_view line) {
  spdlog::logger* logger = spdlog::default_logger_raw();
  if (!logger || !logger->should_log(level)) return;
  if (const LogFilter clean = filter.load(std::memory_order_relaxed)) {
    logger->log(level, display_text(clean(line)));
  } else {
    logger->log(level, display_text(line));
  }
}

}  // namespace

void set_log_filter(LogFilter clean) { filter.store(clean); }

void open_log(std::string_view level, const std::string& file) {
  // A full disk must not end the daemon: spdlog reports and goes on.
  spdlog::set_error_handler([](const std::string&) {});
  std::shared_ptr<spdlog::logger> logger;
  if (!file.empty()) {
    try {
      logger = spdlog::basic_logger_mt("toolhost", file);
    } catch (const spdlog::spdlog_ex& error) {
      logger = spdlog::stderr_logger_mt("toolhost");
      logger->warn("the log file cannot be opened: {}", error.what());
    }
  } else {
    logger = spdlog::stderr_logger_mt("toolhost");
  }
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  logger->set_level(spdlog::level::from_str(std::string(level)));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

void log_error(std::string_view line) { write(spdlog::level::err, line); }
void log_warn(std::string_view line) { write(spdlog::level::warn, line); }
void log_info(std::string_view line) { write(spdlog::level::info, line); }
void log_debug(std::string_view line) { write(spdlog::level::debug, line); }

}  // namespace toolhost
