#include "gates/hooks/hook_files.hpp"

#include <filesystem>

namespace toolhost {
namespace {

namespace fs = std::filesystem;

// What separates words in a shell, quotes included: better one word too many
// than one that is overlooked.
constexpr std::string_view kSeparators = " \t\r\n'\"`;|&()<>{}$=,";

bool is_file(const std::string& word, const std::string& folder,
             const fs::path& file) {
  const fs::path path(word);
  std::error_code failed;
  const fs::path physical =
      fs::weakly_canonical(fs::path(folder) / path, failed);
  return !failed && physical == file;
}

bool names(const std::string& text, const std::string& folder,
           const fs::path& file) {
  if (is_file(text, folder, file)) return true;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kSeparators, at)) != std::string::npos) {
    const std::size_t end = text.find_first_of(kSeparators, at);
    if (is_file(text.substr(at, end - at), folder, file)) return true;
    if (end == std::string::npos) break;
    at = end;
  }
  return false;
}

}  // namespace

std::string hook_that_runs(const std::string& file,
                           const config::Config& config,
                           const std::string& workspace) {
  for (const config::Hook& hook : config.hooks) {
    const std::string& folder = hook.cwd.empty() ? workspace : hook.cwd;
    for (const std::string& text : hook.command) {
      if (names(text, folder, file)) return hook.name;
    }
  }
  return {};
}

}  // namespace toolhost
