// read: lines of a text file, an image, or the text of a PDF or notebook.
//
// Regular files only; nothing here can block or grow without bound, whatever
// the path names. The text comes first and unchanged (CRLF as LF); what there
// is to say about it stands in a second block.
#include <algorithm>
#include <cerrno>

#include "protocol/text.hpp"
#include "providers/builtin/byte_scan.hpp"
#include "providers/builtin/file_argument.hpp"
#include "providers/builtin/read_notebook.hpp"
#include "providers/builtin/read_output.hpp"
#include "providers/builtin/read_pdf.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "properties": {
    "path": {
      "type": "string", "minLength": 1,
      "description": "The file: relative to the workspace, or absolute."
    },
    "offset": {
      "type": "integer", "default": 1,
      "description": "First line to return, counted from 1. Negative: that many lines from the end of the file."
    },
    "limit": {
      "type": "integer", "minimum": 1,
      "description": "How many lines to return at most."
    },
    "raw": {
      "type": "boolean", "default": false,
      "description": "Return a Jupyter notebook as the JSON that it is, not as the text of its cells."
    },
    "expectedRevision": {
      "type": "string",
      "description": "The revision of an earlier page; fails if the file has changed since."
    }
  },
  "required": ["path"],
  "additionalProperties": false
})json";

// Smaller files are read on the loop: a hand-over costs more than the read.
constexpr off_t kInlineBytes = 256 * 1024;
// A NUL here makes a file binary, as git and grep judge it.
constexpr std::size_t kBinaryProbe = 8 * 1024;

std::string description(const config::Config& config) {
  const config::ReadTool& limits = config.tools.read;
  return "Reads a text file and returns its lines as they are, without line "
         "numbers: at most " +
         std::to_string(limits.max_lines) + " lines and " +
         std::to_string(limits.max_bytes / 1024) +
         " KiB at once. For more, repeat with offset set to nextOffset of the "
         "result. A negative offset reads the end of the file. PNG, JPEG, GIF "
         "and WebP files are returned as images, PDF files and Jupyter "
         "notebooks "
         "as text. Encodings other than UTF-8 are recognised and named. "
         "Directories are listed with ls.";
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
  out.title = "Read " + display_text(path->shown);
  return out;
}

ToolOutput read_file(const ReadJob& job) {
  const ssize_t got =
      read_at(job.file.fd.get(), chunk_buffer(), kChunkBytes, 0);
  if (got < 0) return ToolOutput::failure(read_error(job.path, errno));
  const std::string_view head(chunk_buffer(), static_cast<std::size_t>(got));
  if (const auto image = image_header(head)) {
    return image_output(job, *image, head);
  }
  if (!is_utf16(detect_encoding(head)) &&
      classify(head.substr(0, kBinaryProbe)).nul) {
    return ToolOutput::failure(binary_file(job, head));
  }
  if (!job.raw && is_notebook(job.path.physical)) {
    // What is no notebook after all is read as the text that it is.
    const auto bytes = read_whole(job.file, job.path, kWholeBytes);
    const auto cells = bytes ? notebook_text(*bytes) : std::nullopt;
    if (cells) return converted_output(job, *cells);
  }
  auto page =
      read_page(job.file, job.path, head, job.request, job.limits, *job.stop);
  if (!page) return ToolOutput::failure(page.error());
  return text_output(job, std::move(*page));
}

Outcome<std::shared_ptr<ReadJob>> prepare(const json::object& arguments,
                                          const ExecutionContext& context) {
  auto path = path_argument(arguments, context.tool);
  if (!path) return path.error();
  if (!path->exists) return missing_file(context.tool.workspace, *path);
  auto file = open_regular(context.tool.workspace, *path);
  if (!file) return file.error();
  auto job = std::make_shared<ReadJob>();
  job->file = std::move(*file);
  job->path = std::move(*path);
  job->request.offset = integer_argument(arguments, "offset").value_or(1);
  if (const auto limit = integer_argument(arguments, "limit")) {
    job->request.limit =
        static_cast<std::uint64_t>(std::max<std::int64_t>(*limit, 1));
  }
  job->expected_revision = string_argument(arguments, "expectedRevision");
  const json::value* raw = arguments.if_contains("raw");
  job->raw = raw && raw->is_bool() && raw->get_bool();
  job->limits = context.tool.config.tools.read;
  job->stop = context.stop.flag();
  return job;
}

bool is_pdf(const ReadJob& job) {
  std::array<char, 5> head;
  const ssize_t got = read_at(job.file.fd.get(), head.data(), head.size(), 0);
  return got == 5 && std::string_view(head.data(), head.size()) == "%PDF-";
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  auto prepared = prepare(arguments, context);
  if (!prepared) co_return ToolOutput::failure(prepared.error());
  const std::shared_ptr<ReadJob> job = *prepared;
  if (!job->expected_revision.empty() &&
      job->expected_revision != revision_of(job->file.status)) {
    co_return ToolOutput::failure(other_revision(*job));
  }
  if (is_pdf(*job)) co_return co_await read_pdf(job, context);
  if (job->file.status.st_size <= kInlineBytes) co_return read_file(*job);
  std::function<ToolOutput()> work = [job] { return read_file(*job); };
  co_return co_await context.blocking.run<ToolOutput>(std::move(work));
}

}  // namespace

constinit const ToolDefinition read_tool{
    .name = "read",
    .title = "Read file",
    .description = description,
    .schema = kSchema,
    .example = R"({"path": "README.md", "offset": 1, "limit": 200})",
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
