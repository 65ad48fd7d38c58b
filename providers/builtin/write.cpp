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
         "at all. Mode, owner, links and encoding of an existing file are "
         "kept. To change a part of a file, use edit.";
}

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The content as the file that is there has its text: a mark stays, UTF-16 and
// legacy encodings stay. A file that cannot be looked at gets UTF-8.
Outcome<std::string> encoded(const ResolvedPath& path, std::string content,
                             const ExistingFile& before) {
  if (bom_length(before.encoding) > 0 && content.starts_with(kByteOrderMark)) {
    content.erase(0, kByteOrderMark.size());
  }
  // The whole text is replaced, so unknown bytes need no care.
  return encode_change(path, before, content, false);
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
    const auto bytes = encoded(*path, content, *file);
    if (!bytes) return bytes.error();
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

// Of a file too large to be loaded, the mark at least is kept.
ExistingFile what_is_there(const Job& job) {
  ExistingFile out;
  if (!job.path.exists) return out;
  auto file = load_file(job.workspace, job.path);
  if (file) {
    if (!file->binary) return std::move(*file);
    return out;
  }
  const auto handle = open_regular(job.workspace, job.path);
  if (!handle) return out;
  std::array<char, 4> head;
  const ssize_t got = read_at(handle->fd.get(), head.data(), head.size(), 0);
  if (got <= 0) return out;
  out.encoding = detect_encoding({head.data(), static_cast<std::size_t>(got)});
  return out;
}

ToolOutput write_file(const Job& job) {
  const ExistingFile before = what_is_there(job);
  const Encoding encoding = before.encoding;
  const auto content_bytes = encoded(job.path, job.content, before);
  if (!content_bytes) return ToolOutput::failure(content_bytes.error());
  const std::string& bytes = *content_bytes;
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
  auto options = approved_options(context.targets, *path);
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
