#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "providers/support/sandbox_plan.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxReadable = 4096;

class Carver {
 public:
  explicit Carver(const std::vector<std::string>& hidden) : hidden_(hidden) {}

  // False when there are too many.
  bool visit(const std::string& folder) {
    std::error_code error;
    for (fs::directory_iterator at(folder.empty() ? "/" : folder, error), end;
         !error && at != end; at.increment(error)) {
      const std::string path = folder + "/" + at->path().filename().string();
      std::error_code ignored;
      // A link is allowed by where it leads.
      if (at->is_symlink(ignored) || is_hidden(path)) continue;
      if (holds_hidden(path)) {
        if (!visit(path)) return false;
        continue;
      }
      if (found_.size() == kMaxReadable) return false;
      found_.push_back(path);
    }
    return true;
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  bool is_hidden(const std::string& path) const {
    return std::find(hidden_.begin(), hidden_.end(), path) != hidden_.end();
  }
  bool holds_hidden(const std::string& path) const {
    return std::any_of(hidden_.begin(), hidden_.end(), [&](const auto& one) {
      return one.starts_with(path + "/");
    });
  }

  const std::vector<std::string>& hidden_;
  std::vector<std::string> found_;
};

}  // namespace

Result<std::vector<std::string>> readable_around(
    const std::vector<std::string>& hidden) {
  Carver carver(hidden);
  if (!carver.visit("")) {
    return make_error(Code::internal,
                      "Cannot confine the command: the folders beside what "
                      "has to be hidden hold too many files.",
                      "Run it without a sandbox, which asks.");
  }
  return carver.take();
}

}  // namespace toolhost
