// grep: lines of files that match a regular expression, by ripgrep.
#include <algorithm>
#include <utility>

#include "protocol/fields.hpp"
#include "protocol/text.hpp"
#include "providers/builtin/search_report.hpp"
#include "providers/builtin/search_run.hpp"
#include "providers/builtin/search_window.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "additionalProperties": false,
  "required": ["pattern"],
  "properties": {
    "pattern": {
      "type": "string", "minLength": 1, "maxLength": 8192,
      "description": "Regular expression in the syntax of Rust's regex crate (no look-around, no back-references), or plain text with literal: true."
    },
    "path": {
      "type": "string", "minLength": 1, "default": ".",
      "description": "Folder or single file to search. A file named here is always searched, even if it is ignored or hidden."
    },
    "glob": {
      "type": ["string", "array"], "items": {"type": "string", "minLength": 1}, "minLength": 1, "maxItems": 32,
      "description": "Only files that match, such as \"*.ts\" (any folder), \"src/**/*.{c,h}\" (from path), or a list. \"!dist\" excludes. Never brings back ignored files."
    },
    "type": {
      "type": "string", "pattern": "^[A-Za-z0-9]{1,32}$",
      "description": "Only files of this ripgrep type: cpp, py, js, ts, rust, go, java, md, json, ..."
    },
    "outputMode": {
      "type": "string", "enum": ["content", "files", "count"], "default": "content",
      "description": "content: matching lines with their numbers. files: names of files with a match. count: matching lines per file."
    },
    "ignoreCase": {
      "type": "boolean", "default": false,
      "description": "Treat upper and lower case as equal."
    },
    "literal": {
      "type": "boolean", "default": false,
      "description": "The pattern is plain text, not a regular expression."
    },
    "context": {
      "type": "integer", "minimum": 0, "maximum": 20, "default": 0,
      "description": "Lines to show before and after each match (content mode)."
    },
    "multiline": {
      "type": "boolean", "default": false,
      "description": "A match may span lines: \\n is allowed and the dot matches line ends."
    },
    "includeIgnored": {
      "type": "boolean", "default": false,
      "description": "Search what .gitignore, .ignore and .rgignore leave out, too."
    },
    "includeHidden": {
      "type": "boolean", "default": false,
      "description": "Search files and folders whose names begin with a dot, too (never .git)."
    },
    "limit": {
      "type": "integer", "minimum": 1,
      "description": "Most matches (or files) on this page."
    },
    "cursor": {
      "type": "string",
      "description": "nextCursor of the page before; all other arguments stay the same."
    }
  }
})json";

std::string describe(const config::Config& config) {
  const config::SearchTool& limits = config.tools.search;
  return "Search file contents with ripgrep. Results are sorted by path and "
         "line; a page has " +
         std::to_string(limits.default_matches) +
         " matches unless limit says otherwise (at most " +
         std::to_string(limits.max_matches) +
         "), and nextCursor leads to the next one. Files that .gitignore "
         "excludes, hidden files, binary files and links are not searched; "
         "the result says what was left out. Lines over " +
         std::to_string(limits.max_line_bytes) +
         " bytes are shown around the match with its column. Output: the path "
         "of each file, then its lines as number:text (matches) or "
         "number-text (context).";
}

Outcome<std::vector<std::string>> globs_of(const json::object& arguments) {
  std::vector<std::string> out;
  const json::value* glob = arguments.if_contains("glob");
  if (!glob || glob->is_null()) return out;
  if (glob->is_string()) {
    out.emplace_back(glob->get_string());
    return out;
  }
  Fields in(arguments, "arguments");
  auto list = in.optional_strings("glob");
  if (in.error()) {
    return make_call_error(CallErrorKind::invalid_arguments,
                           in.error()->message, in.error()->hint);
  }
  if (list) out = std::move(*list);
  return out;
}

RipgrepQuery::Mode mode_of(std::string_view word) {
  if (word == "files") return RipgrepQuery::Mode::names;
  if (word == "count") return RipgrepQuery::Mode::counts;
  return RipgrepQuery::Mode::lines;
}

Outcome<SearchPlan> plan_grep(const json::object& arguments,
                              const ToolContext& context,
                              const SearchTarget& target) {
  const auto globs = globs_of(arguments);
  if (!globs) return globs.error();
  auto plan = plan_search("grep", arguments, *globs,
                          context.config.tools.search, target);
  if (!plan) return plan.error();
  Fields in(arguments, "arguments");
  RipgrepQuery& query = plan->query;
  query.pattern = in.required_string("pattern");
  query.literal = in.optional_bool("literal").value_or(false);
  query.ignore_case = in.optional_bool("ignoreCase").value_or(false);
  query.multiline = in.optional_bool("multiline").value_or(false);
  query.type = in.optional_string("type").value_or("");
  plan->mode = in.optional_string("outputMode").value_or("content");
  query.mode = mode_of(plan->mode);
  const auto context_lines = in.optional_int("context", 0, 20);
  if (query.mode == RipgrepQuery::Mode::lines) {
    query.context = static_cast<std::uint64_t>(context_lines.value_or(0));
  }
  if (in.error()) {
    return make_call_error(CallErrorKind::invalid_arguments,
                           in.error()->message, in.error()->hint);
  }
  if (query.pattern.find('\0') != std::string::npos) {
    return make_call_error(CallErrorKind::invalid_arguments,
                           "The pattern has a NUL character.",
                           "Write \\x00 for it; files that have one are "
                           "binary and only searched when named as path.");
  }
  return plan;
}

void append_line(std::string& out, std::uint64_t line, char mark,
                 std::string_view text) {
  out += std::to_string(line);
  out += mark;
  out += text;
  out += '\n';
}

// Lines in order, each once; "--" where lines are missing in between.
class FileLines {
 public:
  FileLines(std::string& out, bool gaps) : out_(out), gaps_(gaps) {}

  // `next`: the line of the following match on the page, or 0.
  void add(const SearchEntry& entry, std::uint64_t next) {
    for (const ContextLine& line : entry.before) put(line.line, '-', line.text);
    put(entry.key.line, ':', entry.text);
    for (const ContextLine& line : entry.after) {
      if (next != 0 && line.line >= next) break;
      put(line.line, '-', line.text);
    }
  }

 private:
  void put(std::uint64_t line, char mark, std::string_view text) {
    if (line <= last_) return;
    if (gaps_ && last_ != 0 && line != last_ + 1) out_ += "--\n";
    append_line(out_, line, mark, text);
    last_ = line;
  }

  std::string& out_;
  bool gaps_;
  std::uint64_t last_ = 0;
};

std::string content_text(const std::vector<SearchEntry>& entries,
                         const SearchTarget& target, bool context) {
  std::string out;
  for (std::size_t i = 0; i < entries.size();) {
    const std::string& path = entries[i].key.path;
    if (!out.empty()) out += '\n';
    out += display_text(target.shown(path)) + '\n';
    FileLines lines(out, context);
    for (; i < entries.size() && entries[i].key.path == path; ++i) {
      const bool same =
          i + 1 < entries.size() && entries[i + 1].key.path == path;
      lines.add(entries[i], same ? entries[i + 1].key.line : 0);
    }
  }
  return out;
}

std::string files_text(const std::vector<SearchEntry>& entries,
                       const SearchTarget& target) {
  std::string out;
  for (const SearchEntry& entry : entries) {
    out += display_text(target.shown(entry.key.path));
    if (!entry.text.empty()) out += ':' + entry.text;
    out += '\n';
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
  return resolve_search("grep", "Search for", pattern, *where);
}

Task<void> widen(const ExecutionContext& context, SearchFound& found,
                 const SearchTarget& target, std::size_t max_bytes) {
  const bool cut =
      std::any_of(found.entries.begin(), found.entries.end(),
                  [](const SearchEntry& entry) { return entry.cut; });
  if (!cut) co_return;
  const std::function<bool()> work = [&found, &target, max_bytes] {
    show_around_matches(found.entries, target.folder.get(), max_bytes);
    return true;
  };
  co_await context.blocking.run<bool>(work);
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  const json::value* named = arguments.if_contains("path");
  const std::string path(
      named && named->is_string() ? std::string(named->get_string()) : ".");
  const Workspace& workspace = context.tool.workspace;
  auto target = open_target(workspace, path, context.tool.cwd);
  if (!target) co_return ToolOutput::failure(target.error());
  auto plan = plan_grep(arguments, context.tool, *target);
  if (!plan) co_return ToolOutput::failure(plan.error());
  apply_filter(*plan, *target, workspace);

  auto found = co_await search(context, *plan, *target);
  if (!found) co_return ToolOutput::failure(found.error());
  co_await widen(context, *found, *target, plan->query.max_line_bytes);
  const bool lines = plan->query.mode == RipgrepQuery::Mode::lines;
  std::string body =
      lines ? content_text(found->entries, *target, plan->query.context > 0)
            : files_text(found->entries, *target);
  SearchNouns nouns{"matching line", "matching lines"};
  if (plan->mode == "files") nouns = SearchNouns{"file", "files"};
  co_return report(*plan, *found, context, std::move(body), nouns);
}

}  // namespace

constinit const ToolDefinition grep_tool{
    .name = "grep",
    .title = "Search file contents",
    .description = describe,
    .schema = kSchema,
    .example = R"({"pattern": "fn main", "path": "src", "glob": "*.rs"})",
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
