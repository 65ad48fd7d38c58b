// ls: the entries of one directory, without following links.
#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "protocol/text.hpp"
#include "providers/builtin/file_argument.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "properties": {
    "path": {
      "type": "string", "default": ".", "minLength": 1,
      "description": "The directory: relative to the workspace, or absolute."
    },
    "limit": {
      "type": "integer", "default": 500, "minimum": 1, "maximum": 5000,
      "description": "How many entries to return at most."
    }
  },
  "additionalProperties": false
})json";

constexpr std::size_t kDefaultLimit = 500;
// Directories of fewer entries are listed on the loop.
constexpr std::size_t kInlineEntries = 128;
// Names held in memory at most; beyond, the listing is of the first ones that
// the file system gives, and says so.
constexpr std::size_t kMostNames = 200'000;

struct Job {
  Workspace workspace;
  ResolvedPath path;
  std::size_t limit = kDefaultLimit;
  std::shared_ptr<const std::atomic<bool>> stop;
};

std::string description(const config::Config&) {
  return "Lists one directory, sorted by name, hidden entries included: "
         "directories end with \"/\", links show where they point. Use glob "
         "to find files in a whole tree.";
}

Outcome<Resolution> resolve(const json::object& arguments,
                            const ToolContext& context) {
  auto path = path_argument(arguments, context);
  if (!path) return path.error();
  Resolution out;
  out.accesses.emplace().push_back(
      {Access::Kind::file, Access::Operation::read, path->physical, false});
  out.asks.push_back({"read", path->shown, ""});
  out.subject["type"] = "tool";
  out.title = "List " + display_text(path->shown);
  return out;
}

CallError cannot_list(const Job& job, int number) {
  if (number == ENOTDIR) {
    return make_call_error(
        CallErrorKind::tool_failed,
        display_text(job.path.shown) + " is not a directory.",
        "Use read for files.");
  }
  return make_call_error(CallErrorKind::tool_failed,
                         display_text(job.path.shown) + " cannot be listed: " +
                             std::strerror(number) + ".");
}

struct Names {
  std::vector<std::string> names;
  bool all = true;
};

// At most `most` names; closes the descriptor.
Outcome<Names> read_names(const Job& job, UniqueFd fd, std::size_t most) {
  DIR* stream = fdopendir(fd.get());
  if (!stream) return cannot_list(job, errno);
  fd.release();
  Names out;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(stream);
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (out.names.size() == most || job.stop->load()) {
      out.all = false;
      break;
    }
    out.names.emplace_back(name);
  }
  const int error = out.all ? errno : 0;
  closedir(stream);
  if (error != 0) return cannot_list(job, error);
  return out;
}

std::string_view kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "directory";
  if (S_ISLNK(mode)) return "symlink";
  return "other";
}

// Where the link points, and whether anything is there that may be opened.
std::string describe_link(const Job& job, int directory,
                          const std::string& name, json::object& entry) {
  std::array<char, 4096> buffer;
  const ssize_t size =
      readlinkat(directory, name.c_str(), buffer.data(), buffer.size());
  if (size < 0) return {};
  const std::string target = display_text(
      std::string_view(buffer.data(), static_cast<std::size_t>(size)));
  entry["target"] = target;
  const auto leads = job.workspace.resolve(job.path.physical + "/" + name);
  if (!leads) {
    entry["outside"] = true;
    return " -> " + target + " (outside the workspace or a loop)";
  }
  entry["dangling"] = !leads->exists;
  return " -> " + target + (leads->exists ? "" : " (dangling)");
}

void append_entry(const Job& job, int directory, const std::string& name,
                  std::string& text, json::array& entries) {
  struct stat st {};
  json::object entry;
  std::string line = display_text(name);
  entry["name"] = line;
  if (!is_utf8(name)) entry["lossy"] = true;
  if (fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) {
    // Gone since the names were read, or hidden from us: still a name.
    entry["kind"] = "unknown";
  } else {
    entry["kind"] = kind_of(st.st_mode);
    entry["size"] = st.st_size;
    entry["mtime"] = static_cast<std::int64_t>(st.st_mtim.tv_sec);
    if (S_ISDIR(st.st_mode)) line += '/';
    if (S_ISLNK(st.st_mode)) line += describe_link(job, directory, name, entry);
    const bool special =
        !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode);
    if (special) {
      line += " (" + std::string(file_type_name(st.st_mode)).substr(2) + ")";
    }
  }
  text += line + "\n";
  entries.push_back(std::move(entry));
}

ToolOutput listing(const Job& job, int directory, Names found) {
  std::sort(found.names.begin(), found.names.end());
  const std::size_t shown = std::min(job.limit, found.names.size());
  const std::size_t more = found.names.size() - shown;
  std::string text;
  json::array entries;
  for (std::size_t i = 0; i < shown && !job.stop->load(); ++i) {
    append_entry(job, directory, found.names[i], text, entries);
  }
  json::object out;
  out["path"] = to_utf8(job.path.physical);
  out["relativePath"] = to_utf8(job.path.shown);
  out["entries"] = std::move(entries);
  out["truncated"] = more > 0 || !found.all;
  out["omitted"] = more;
  if (!found.all) out["incomplete"] = true;

  ToolOutput output = ToolOutput::text(std::move(text));
  std::string note;
  if (found.names.empty()) note = "[The directory is empty.]";
  if (more > 0) {
    note = "[" + std::to_string(more) + (found.all ? "" : " or more") +
           " more entries; raise limit or use glob.]";
  }
  if (!note.empty()) output.content.push_back(Content::text(std::move(note)));
  output.structured = std::move(out);
  output.truncated = more > 0 || !found.all;
  return output;
}

// nullopt: more than `most` entries, and not asked to live with that.
std::optional<ToolOutput> list(const Job& job, std::size_t most, bool last) {
  if (!S_ISDIR(job.path.mode)) {
    return ToolOutput::failure(cannot_list(job, ENOTDIR));
  }
  auto fd = job.workspace.open(job.path, O_RDONLY | O_DIRECTORY);
  if (!fd) return ToolOutput::failure(fd.error());
  UniqueFd stream(openat(fd->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!stream) return ToolOutput::failure(cannot_list(job, errno));
  auto names = read_names(job, std::move(stream), most);
  if (!names) return ToolOutput::failure(names.error());
  if (!names->all && !last) return std::nullopt;
  return listing(job, fd->get(), std::move(*names));
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  auto path = path_argument(arguments, context.tool);
  if (!path) co_return ToolOutput::failure(path.error());
  if (!path->exists) {
    co_return ToolOutput::failure(missing_file(context.tool.workspace, *path));
  }
  auto job = std::make_shared<Job>();
  job->workspace = context.tool.workspace;
  job->path = std::move(*path);
  const auto limit = integer_argument(arguments, "limit");
  if (limit && *limit > 0) job->limit = static_cast<std::size_t>(*limit);
  job->stop = context.stop.flag();
  if (auto quick = list(*job, kInlineEntries, false)) {
    co_return std::move(*quick);
  }
  std::function<ToolOutput()> work = [job] {
    return *list(*job, kMostNames, true);
  };
  co_return co_await context.blocking.run<ToolOutput>(std::move(work));
}

}  // namespace

constinit const ToolDefinition ls_tool{
    .name = "ls",
    .title = "List directory",
    .description = description,
    .schema = kSchema,
    .example = R"({"path": "."})",
    .annotations = {.read_only = true,
                    .destructive = false,
                    .idempotent = true,
                    .open_world = false},
    .policy = ToolPolicy::automatic,
    .kind = ToolKind::tool_call,
    .pure_read = true,
    .resolve = resolve,
    .run = run,
};

}  // namespace toolhost::builtin
