#include "providers/builtin/file_argument.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>

#include "protocol/fields.hpp"
#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

// Names looked at for suggestions: a folder of more is not searched whole.
constexpr std::size_t kMostNames = 2000;

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  UniqueFd fd(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* stream = fd ? fdopendir(fd.get()) : nullptr;
  if (!stream) return names;
  fd.release();  // the stream closes it
  while (names.size() < kMostNames) {
    const dirent* entry = readdir(stream);
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(stream);
  return names;
}

}  // namespace

Outcome<ResolvedPath> path_argument(const json::object& arguments,
                                    const ToolContext& context) {
  const json::value* path = arguments.if_contains("path");
  if (!path || !path->is_string()) {
    return context.workspace.resolve(".", context.cwd);
  }
  return context.workspace.resolve(path->get_string(), context.cwd);
}

CallError missing_file(const Workspace& workspace, const ResolvedPath& path) {
  CallError error = make_call_error(
      CallErrorKind::tool_failed, display_text(path.shown) + " does not exist.",
      "Use glob or ls to find the right name.");
  // The uppermost name on the way that is missing is the one that is wrong.
  ResolvedPath missing = path;
  std::string name;
  auto directory = workspace.open_parent(missing, false, name);
  while (!directory) {
    const std::size_t slash = missing.physical.rfind('/');
    auto above = workspace.resolve(missing.physical.substr(0, slash));
    if (!above || above->exists || above->beneath == ".") break;
    missing = std::move(*above);
    directory = workspace.open_parent(missing, false, name);
  }
  const bool folder_missing = missing.physical != path.physical;
  if (folder_missing) {
    error.hint = "Its folder " + display_text(missing.shown) +
                 " does not exist either; use ls or glob.";
  }
  if (!directory) return error;
  const auto similar = similar_names(name, names_in(directory->get()));
  if (similar.empty()) return error;
  const std::size_t slash = missing.shown.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "" : missing.shown.substr(0, slash + 1);
  error.hint = folder_missing ? "Its folder " + display_text(missing.shown) +
                                    " does not exist either. Similar names: "
                              : "Similar names there: ";
  json::array names;
  for (const std::string& one : similar) {
    if (!names.empty()) error.hint += ", ";
    error.hint += display_text(folder + one);
    names.emplace_back(to_utf8(folder + one));
  }
  error.hint += ".";
  error.details["similar"] = std::move(names);
  return error;
}

std::optional<std::int64_t> integer_argument(const json::object& arguments,
                                             std::string_view name) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  Fields fields(arguments, "arguments");
  return fields.optional_int(name, -kMost, kMost);
}

std::string string_argument(const json::object& arguments,
                            std::string_view name) {
  const json::value* value = arguments.if_contains(name);
  if (!value || !value->is_string()) return {};
  return std::string(value->get_string());
}

}  // namespace toolhost::builtin
