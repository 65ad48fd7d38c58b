#include "providers/support/sandbox_cover.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace toolhost {

bool really_exists(const std::string& path) {
  struct stat facts = {};
  if (::lstat(path.c_str(), &facts) != 0) return false;
  if ((facts.st_mode & S_ISVTX) == 0) return true;
  if (S_ISSOCK(facts.st_mode)) return false;
  if (S_ISREG(facts.st_mode)) return facts.st_size > 2;
  std::error_code error;
  return !S_ISDIR(facts.st_mode) || !std::filesystem::is_empty(path, error) ||
         error;
}

}  // namespace toolhost
