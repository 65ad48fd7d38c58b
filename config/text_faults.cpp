#include "config/text_faults.hpp"

#include <algorithm>
#include <filesystem>

#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

// PATH_MAX; a longer one could never be opened.
constexpr std::size_t kLongestPath = 4095;

std::string absolute_path_fault(std::string_view text) {
  if (text.empty() || text.front() != '/') {
    return "must be an absolute path (it begins with \"/\"; \"~\" is not "
           "replaced)";
  }
  if (text.size() > kLongestPath) return "is longer than a path can be (4095)";
  if (text.find('\0') != std::string_view::npos) return "has a NUL in it";
  return {};
}

}  // namespace

std::string tool_name_fault(std::string_view text) {
  const bool legal = std::all_of(text.begin(), text.end(), [](char c) {
    return is_word_character(c) || c == '.' || c == '-';
  });
  if (!legal || text.empty() || text.size() > 128) {
    return "must be the name of a tool (letters, digits, \"_\", \".\", \"-\"; "
           "at most 128)";
  }
  return {};
}

std::string provider_name_fault(std::string_view text) {
  if (text.empty() || text.size() > 128 || display_text(text) != text) {
    return "must be the name of a provider (see `toolhost providers`; at most "
           "128 bytes)";
  }
  return {};
}

std::string variable_name_fault(std::string_view text) {
  const bool digit_first =
      !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (text.empty() || text.size() > 128 || digit_first ||
      !std::all_of(text.begin(), text.end(), is_word_character)) {
    return "must be the name of a variable (letters, digits, \"_\"; the value "
           "comes from the daemon's own environment)";
  }
  if (text.starts_with("TOOLHOST_")) {
    return "may not be given to commands: it leads to the daemon's own socket";
  }
  if (text.starts_with("LD_")) {
    return "may not be given to commands: it changes which code they load";
  }
  return {};
}

std::string workspace_fault(std::string_view text) {
  if (auto fault = absolute_path_fault(text); !fault.empty()) return fault;
  const auto normal = std::filesystem::path(text).lexically_normal();
  if (normal == "/" || normal == "//") {
    return "may not be the root folder: everything lies inside it";
  }
  return {};
}

std::string log_file_fault(std::string_view text) {
  return text.empty() ? std::string() : absolute_path_fault(text);
}

}  // namespace toolhost::config
