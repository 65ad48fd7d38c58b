#include "providers/builtin/search_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

CallError missing(const ResolvedPath& path) {
  return make_call_error(
      CallErrorKind::tool_failed,
      "There is no " + display_text(path.given) + " (looked for " +
          display_text(path.physical) + ").",
      "Use ls or glob on a parent folder to find the right path.");
}

}  // namespace

std::string SearchTarget::shown(std::string_view found) const {
  return prefix + std::string(found);
}

Outcome<SearchTarget> open_target(const Workspace& workspace,
                                  const std::string& path,
                                  const std::string& cwd) {
  auto resolved = workspace.resolve(path, cwd);
  if (!resolved) return resolved.error();
  SearchTarget out;
  out.path = std::move(*resolved);
  if (!out.path.exists) return missing(out.path);
  auto opened = workspace.open(out.path, O_PATH);
  if (!opened) return opened.error();
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) {
    return make_call_error(CallErrorKind::tool_failed,
                           "Cannot look at " + display_text(out.path.shown) +
                               ": " + std::strerror(errno) + ".");
  }
  const std::string& shown = out.path.shown;
  if (S_ISDIR(status.st_mode)) {
    out.folder = std::move(*opened);
    if (shown != "." && !shown.empty()) {
      out.prefix = shown.ends_with('/') ? shown : shown + "/";
    }
    return out;
  }
  if (!S_ISREG(status.st_mode)) {
    return make_call_error(CallErrorKind::tool_failed,
                           display_text(shown) + " is " +
                               std::string(file_type_name(status.st_mode)) +
                               "; only files and folders can be searched.");
  }
  auto parent = workspace.open_parent(out.path, false, out.file);
  if (!parent) return parent.error();
  out.folder = std::move(*parent);
  const std::size_t slash = shown.rfind('/');
  if (slash != std::string::npos) out.prefix = shown.substr(0, slash + 1);
  return out;
}

void narrow(SearchTarget& target, const Workspace& workspace,
            const std::string& folder) {
  if (folder.empty() || !target.file.empty()) return;
  const std::string wanted =
      target.path.physical + (target.path.physical == "/" ? "" : "/") + folder;
  auto resolved = workspace.resolve(wanted);
  if (!resolved || !resolved->exists || resolved->physical != wanted) return;
  auto opened = workspace.open(*resolved, O_PATH | O_DIRECTORY);
  if (!opened) return;
  target.folder = std::move(*opened);
  target.below = folder + "/";
  target.prefix += target.below;
}

}  // namespace toolhost::builtin
