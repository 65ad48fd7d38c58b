// glob: files by name, walked by ripgrep.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "protocol/fields.hpp"
#include "protocol/text.hpp"
#include "providers/builtin/search_report.hpp"
#include "providers/builtin/search_run.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "additionalProperties": false,
  "required": ["pattern"],
  "properties": {
    "pattern": {
      "type": "string", "minLength": 1, "maxLength": 4096,
      "description": "Glob: * and ? stay in one name, ** spans folders, [a-z] and {a,b} work. Without a slash it matches names in every folder (\"*.ts\"); with one it starts at path (\"src/**/*.ts\")."
    },
    "path": {
      "type": "string", "minLength": 1, "default": ".",
      "description": "Folder to look in."
    },
    "sort": {
      "type": "string", "enum": ["path", "modified"], "default": "path",
      "description": "path: folder by folder. modified: newest first."
    },
    "includeIgnored": {
      "type": "boolean", "default": false,
      "description": "Find what .gitignore, .ignore and .rgignore leave out, too."
    },
    "includeHidden": {
      "type": "boolean", "default": false,
      "description": "Find files and folders whose names begin with a dot, too (never .git). A pattern that writes the dot finds them anyway."
    },
    "limit": {
      "type": "integer", "minimum": 1,
      "description": "Most files on this page."
    },
    "cursor": {
      "type": "string",
      "description": "nextCursor of the page before; all other arguments stay the same."
    }
  }
})json";

// Compared by time at most; some 30 MB of names.
constexpr std::size_t kMaxDated = 200'000;
constexpr std::size_t kMaxDatedBytes = 32U << 20;

std::string describe(const config::Config& config) {
  const config::SearchTool& limits = config.tools.search;
  return "Find files by name. Returns files only (no folders, no links), one "
         "path per line, sorted by path or by time; a page has " +
         std::to_string(limits.default_matches) +
         " files unless limit says otherwise (at most " +
         std::to_string(limits.max_matches) +
         "), and nextCursor leads to the next one. Files that .gitignore "
         "excludes and hidden files are left out unless asked for, and the "
         "result says so; a pattern without wildcards finds its file in any "
         "case. Upper and lower case differ.";
}

bool by_time(const SearchPlan& plan) { return plan.mode == "modified"; }

Outcome<SearchPlan> plan_glob(const json::object& arguments,
                              const ToolContext& context,
                              const SearchTarget& target) {
  Fields in(arguments, "arguments");
  const std::string pattern = in.required_string("pattern");
  const std::string sort = in.optional_string("sort").value_or("path");
  if (in.error()) {
    return make_call_error(CallErrorKind::invalid_arguments,
                           in.error()->message, in.error()->hint);
  }
  if (pattern.starts_with('!')) {
    return make_call_error(CallErrorKind::invalid_arguments,
                           "The pattern " + pattern + " only excludes.",
                           "Give a pattern of what to find; write \\! for a "
                           "name that begins with it.");
  }
  auto plan = plan_search("glob", arguments, {pattern},
                          context.config.tools.search, target);
  if (!plan) return plan.error();
  plan->query.mode = RipgrepQuery::Mode::list;
  plan->query.pattern = pattern;
  plan->mode = sort;
  return plan;
}

// A name without wildcards is found even if rules leave it out.
void add_exact(const SearchPlan& plan, const SearchTarget& target,
               const Workspace& workspace, SearchFound& found) {
  const std::string exact = plan.filter.exact_path();
  if (exact.empty() || plan.cursor || !exact.starts_with(target.below)) return;
  const auto path = workspace.resolve(target.path.physical + "/" + exact);
  if (!path || !path->exists || !S_ISREG(path->mode)) return;
  SearchEntry entry;
  entry.key.path = exact.substr(target.below.size());
  const auto at = std::lower_bound(
      found.entries.begin(), found.entries.end(), entry,
      [](const SearchEntry& a, const SearchEntry& b) { return a.key < b.key; });
  if (at != found.entries.end() && at->key.path == entry.key.path) return;
  found.entries.insert(at, std::move(entry));
  ++found.files;
  ++found.matches;
}

std::int64_t modified(int folder, const std::string& path) {
  struct stat status {};
  if (::fstatat(folder, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return 0;  // removed meanwhile: the oldest
  }
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec;
}

// Newest first, and the page that the caller asked for. May block.
void sort_by_time(SearchFound& found, const SearchPlan& plan, int folder,
                  const std::atomic<bool>& stop) {
  std::optional<SearchKey> after;
  if (plan.cursor) after = plan.cursor->after;
  SearchPage page(std::move(after), plan.limit, plan.max_bytes);
  for (SearchEntry& entry : found.entries) {
    if (stop.load(std::memory_order_relaxed)) break;
    entry.key.rank = -modified(folder, entry.key.path);
    page.add(std::move(entry));
  }
  // What did not fit was never looked at: what is shown is the newest of the
  // first kMaxDated by path.
  if (found.more) found.minimum = true;
  found.entries = page.take(found.more);
}

std::string paths_text(const std::vector<SearchEntry>& entries,
                       const SearchTarget& target) {
  std::string out;
  for (const SearchEntry& entry : entries) {
    out += display_text(target.shown(entry.key.path)) + '\n';
  }
  return out;
}

Outcome<Resolution> resolve(const json::object& arguments,
                            const ToolContext& context) {
  Fields in(arguments, "arguments");
  const std::string pattern = in.required_string("pattern");
  const auto path = in.optional_string("path").value_or(".");
  const auto where = context.workspace.resolve(path, context.cwd);
  if (!where) return where.error();
  return resolve_search("glob", "Find files", pattern, *where);
}

CallError not_a_folder(const SearchTarget& target) {
  return make_call_error(CallErrorKind::invalid_arguments,
                         display_text(target.path.shown) + " is a file.",
                         "Give a folder as path; the file itself can be read.");
}

// All names are needed before the newest are known.
SearchPlan without_page(SearchPlan plan) {
  plan.limit = kMaxDated;
  plan.max_bytes = kMaxDatedBytes;
  plan.cursor.reset();
  return plan;
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  const json::value* named = arguments.if_contains("path");
  const std::string path(
      named && named->is_string() ? std::string(named->get_string()) : ".");
  const Workspace& workspace = context.tool.workspace;
  auto target = open_target(workspace, path, context.tool.cwd);
  if (!target) co_return ToolOutput::failure(target.error());
  if (!target->file.empty()) {
    co_return ToolOutput::failure(not_a_folder(*target));
  }
  auto plan = plan_glob(arguments, context.tool, *target);
  if (!plan) co_return ToolOutput::failure(plan.error());
  apply_filter(*plan, *target, workspace);

  SearchPlan walk = *plan;
  if (by_time(*plan)) walk = without_page(std::move(walk));
  auto found = co_await search(context, walk, *target);
  if (!found) co_return ToolOutput::failure(found.error());
  add_exact(*plan, *target, workspace, *found);
  if (by_time(*plan)) {
    const auto flag = context.stop.flag();
    const std::function<bool()> work = [&] {
      sort_by_time(*found, *plan, target->folder.get(), *flag);
      return true;
    };
    co_await context.blocking.run<bool>(work);
  }
  std::string body = paths_text(found->entries, *target);
  const SearchNouns nouns{"file", "files"};
  co_return report(*plan, *found, context, std::move(body), nouns);
}

}  // namespace

constinit const ToolDefinition glob_tool{
    .name = "glob",
    .title = "Find files by name",
    .description = describe,
    .schema = kSchema,
    .example = R"({"pattern": "src/**/*.cpp"})",
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
