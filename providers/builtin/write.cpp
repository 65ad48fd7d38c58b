// write: a whole file, new or replaced.
#include "protocol/text.hpp"
#include "providers/builtin/file_argument.hpp"
#include "providers/builtin/file_change.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "properties": {
    "path": {
      "type": "string", "minLength": 1,
      "description": "The file: relative to the workspace, or absolute. Missing folders are created."
    },
    "content": {
      "type": "string",
      "description": "The whole new content, written as it is; may be empty."
    }
  },
  "required": ["path", "content"],
  "additionalProperties": false
})json";

std::string description(const config::Config&) {
  return "Creates a file or replaces the whole content of one, at once or not "
         "at all. Mode, owner, links and byte order mark of an existing file "
         "are kept. To change a part of a file, use edit.";
}

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The content in the encoding that the file has: a mark stays, UTF-16 stays.
std::string encoded(std::string content, Encoding encoding) {
  if (encoding != Encoding::utf8 && content.starts_with(kByteOrderMark)) {
    content.erase(0, kByteOrderMark.size());
  }
  auto bytes = encode(content, encoding);
  // Arguments are JSON, so the content is UTF-8 and this cannot fail; if it
  // does, plain UTF-8 is what the caller sent.
  return bytes ? std::move(*bytes) : content;
}

CallError not_a_file(const ResolvedPath& path) {
  return make_call_error(CallErrorKind::tool_failed,
                         display_text(path.shown) + " is " +
                             std::string(file_type_name(path.mode)) +
                             ", not a regular file; it cannot be written.",
                         "Give the path of a file.");
}

Outcome<Resolution> resolve(const json::object& arguments,
                            const ToolContext& context) {
  auto path = path_argument(arguments, context);
  if (!path) return path.error();
  if (path->exists && !S_ISREG(path->mode)) return not_a_file(*path);
  const std::string content = string_argument(arguments, "content");
  DiffOptions options;
  options.path = path->shown;
  if (!path->exists) {
    options.created = true;
    return describe_change(*path, nullptr, unified_diff("", content, options),
                           "", "Create");
  }
  auto file = load_file(context.workspace, *path);
  if (file && !file->binary) {
    return describe_change(*path, &file->status,
                           unified_diff(file->text, content, options), "",
                           "Write");
  }
  // Too large, not readable or binary: the person sees the new content, and
  // why the old one is missing.
  auto handle = context.workspace.open(*path, O_PATH);
  struct stat status {};
  if (!handle || fstat(handle->get(), &status) != 0) {
    return make_call_error(
        CallErrorKind::path_blocked,
        display_text(path->shown) + " changed while it was being looked at.",
        "Repeat the call.");
  }
  const std::string note =
      file ? "The old content is binary (" + std::to_string(status.st_size) +
                 " bytes) and not shown."
           : "The old content is not shown: " + file.error().message;
  Diff diff = unified_diff("", content, options);
  diff.complete = false;
  return describe_change(*path, &status, std::move(diff), note, "Replace");
}

// Everything that the worker thread needs.
struct Job {
  Workspace workspace;
  ResolvedPath path;
  WriteOptions options;
  std::string content;
};

Encoding encoding_of(const Job& job) {
  if (!job.path.exists) return Encoding::utf8;
  const auto file = open_regular(job.workspace, job.path);
  if (!file) return Encoding::utf8;
  std::array<char, 4> head;
  const ssize_t got = read_at(file->fd.get(), head.data(), head.size(), 0);
  if (got <= 0) return Encoding::utf8;
  return detect_encoding({head.data(), static_cast<std::size_t>(got)});
}

ToolOutput write_file(const Job& job) {
  const Encoding encoding = encoding_of(job);
  const std::string bytes = encoded(job.content, encoding);
  auto report = write_atomically(job.workspace, job.path, bytes, job.options);
  if (!report) return ToolOutput::failure(report.error());
  ToolOutput output = ToolOutput::text(
      (report->created ? "Created " : "Wrote ") + display_text(job.path.shown) +
      " (" + std::to_string(bytes.size()) + " bytes" + change_remark(*report) +
      ").");
  output.structured = change_facts(job.path, bytes.size(), *report);
  (*output.structured)["created"] = report->created;
  (*output.structured)["encoding"] = name(encoding);
  return output;
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  auto path = path_argument(arguments, context.tool);
  if (!path) co_return ToolOutput::failure(path.error());
  auto options = approved_options(context, *path);
  if (!options) co_return ToolOutput::failure(options.error());
  auto job = std::make_shared<Job>();
  job->workspace = context.tool.workspace;
  job->path = std::move(*path);
  job->options = std::move(*options);
  job->content = string_argument(arguments, "content");
  std::function<ToolOutput()> work = [job] { return write_file(*job); };
  co_return co_await context.blocking.run<ToolOutput>(std::move(work));
}

}  // namespace

constinit const ToolDefinition write_tool{
    .name = "write",
    .title = "Write file",
    .description = description,
    .schema = kSchema,
    .example = R"({"path": "notes/today.md", "content": "# Today\n"})",
    .annotations = {.read_only = false,
                    .destructive = true,
                    .idempotent = true,
                    .open_world = false},
    .policy = ToolPolicy::on_request,
    .kind = ToolKind::file_change,
    .resolve = resolve,
    .run = run,
};

}  // namespace toolhost::builtin
