// read: lines of a text file, or an image.
//
// Regular files only; nothing here can block or grow without bound, whatever
// the path names. The text comes first and unchanged (CRLF as LF); what there
// is to say about it stands in a second block.
#include <algorithm>
#include <cerrno>

#include "protocol/text.hpp"
#include "providers/builtin/base64.hpp"
#include "providers/builtin/byte_scan.hpp"
#include "providers/builtin/file_argument.hpp"
#include "providers/builtin/file_signature.hpp"
#include "providers/builtin/read_page.hpp"
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
// What a viewer needs for more is a decompression bomb.
constexpr std::uint64_t kMostPixels = 64'000'000;

// Everything that a worker thread needs; shared because std::function copies.
struct Job {
  OpenFile file;
  ResolvedPath path;
  PageRequest request;
  std::string expected_revision;
  config::ReadTool limits;
  std::shared_ptr<const std::atomic<bool>> stop;
};

std::string description(const config::Config& config) {
  const config::ReadTool& limits = config.tools.read;
  return "Reads a text file and returns its lines as they are, without line "
         "numbers: at most " +
         std::to_string(limits.max_lines) + " lines and " +
         std::to_string(limits.max_bytes / 1024) +
         " KiB at once. For more, repeat with offset set to nextOffset of the "
         "result. A negative offset reads the end of the file. PNG, JPEG, GIF "
         "and WebP files are returned as images. Directories are listed with "
         "ls.";
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

json::object facts(const Job& job) {
  json::object out;
  out.reserve(20);  // all that text_output adds, without a rehash
  out["path"] = to_utf8(job.path.physical);
  out["relativePath"] = to_utf8(job.path.shown);
  out["byteSize"] = job.file.status.st_size;
  out["revision"] = revision_of(job.file.status);
  return out;
}

template <class T>
json::value or_null(const std::optional<T>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

// What a model should know beside the lines themselves; empty: nothing.
std::string remark(const Page& page, const PageRequest& request) {
  std::string out;
  if (page.lines == 0) {
    const auto total = page.total_lines.value_or(0);
    return total == 0 ? "[The file is empty.]"
                      : "[The file has " + std::to_string(total) +
                            " lines; offset " + std::to_string(request.offset) +
                            " is behind "
                            "its end.]";
  }
  if (page.more || !page.truncated_by.empty()) {
    out += "[Lines ";
    if (page.start_line) {
      const std::uint64_t next = *page.start_line + page.lines;
      out += std::to_string(*page.start_line) + "-" + std::to_string(next - 1);
      if (page.total_lines) out += " of " + std::to_string(*page.total_lines);
      if (page.more) out += "; go on with offset " + std::to_string(next);
    } else {
      out += "near the end of the file";
    }
    out += ".]";
  }
  if (!page.cuts.empty()) {
    out += "[" + std::to_string(page.cuts.size()) + " lines are cut.]";
  }
  if (page.replaced > 0) {
    out += "[" + std::to_string(page.replaced) + " bytes are not valid " +
           std::string(name(page.encoding)) +
           " and are shown as U+FFFD; edit keeps them as they are.]";
  }
  return out;
}

json::array cut_lines(const Page& page) {
  json::array out;
  for (const LineWindow::Cut& cut : page.cuts) {
    json::object line;
    line["line"] = cut.line;
    line["bytes"] = cut.bytes;
    line["shownBytes"] = cut.shown;
    out.push_back(std::move(line));
  }
  return out;
}

ToolOutput text_output(const Job& job, Page page) {
  json::object out = facts(job);
  std::optional<std::uint64_t> end;
  if (page.start_line) end = *page.start_line + page.lines - 1;
  std::optional<std::uint64_t> next;
  if (page.more && end) next = *end + 1;
  out["startLine"] = or_null(page.start_line);
  out["endLine"] = or_null(end);
  out["totalLines"] = or_null(page.total_lines);
  out["truncated"] = page.more || !page.truncated_by.empty();
  out["nextOffset"] = or_null(next);
  out["truncatedBy"] = page.truncated_by.empty()
                           ? json::value(nullptr)
                           : json::value(page.truncated_by);
  out["encoding"] = name(page.encoding);
  out["lineEndings"] = page.line_endings;
  out["lossy"] = page.replaced > 0;
  if (page.replaced > 0) out["replacedBytes"] = page.replaced;
  if (!page.cuts.empty()) out["cutLines"] = cut_lines(page);

  ToolOutput output;
  std::string note = remark(page, job.request);
  output.content.push_back(Content::text(std::move(page.text)));
  if (!note.empty()) output.content.push_back(Content::text(std::move(note)));
  output.structured = std::move(out);
  output.truncated = page.more;
  output.total_bytes = static_cast<std::uint64_t>(job.file.status.st_size);
  output.paged = true;
  return output;
}

ToolOutput image_output(const Job& job, const ImageHeader& image,
                        std::string_view head) {
  const auto size = static_cast<std::uint64_t>(job.file.status.st_size);
  json::object out = facts(job);
  out["kind"] = "image";
  out["mimeType"] = image.mime_type;
  out["width"] = image.width;
  out["height"] = image.height;
  std::string line =
      std::string(image.mime_type) + ", " + std::to_string(image.width) + "x" +
      std::to_string(image.height) + ", " + std::to_string(size) + " bytes";
  std::string omitted;
  if (std::uint64_t{image.width} * image.height > kMostPixels) {
    omitted = "it has more than 64 megapixels";
  } else if (size > job.limits.max_image_bytes) {
    omitted = "it is larger than " +
              std::to_string(job.limits.max_image_bytes) + " bytes";
  }
  ToolOutput output;
  output.paged = true;
  output.total_bytes = size;
  if (omitted.empty()) {
    std::string encoded;
    if (size <= head.size()) {
      encoded = base64(head);
    } else {
      const auto bytes =
          read_whole(job.file, job.path, job.limits.max_image_bytes);
      if (!bytes) return ToolOutput::failure(bytes.error());
      encoded = base64(*bytes);
    }
    output.content.push_back(
        Content::image(std::string(image.mime_type), std::move(encoded)));
  } else {
    line += "; the image is not shown: " + omitted;
    out["omitted"] = omitted;
  }
  output.content.push_back(Content::text("[" + line + "]"));
  output.structured = std::move(out);
  return output;
}

CallError binary_file(const Job& job, std::string_view head) {
  std::string_view what = binary_signature(head);
  if (what.empty()) what = "binary data";
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(job.path.shown) + " is not a text file: it is " +
          std::string(what) + " of " + std::to_string(job.file.status.st_size) +
          " bytes.",
      "Use a command that understands the format.");
  error.details = facts(job);
  error.details["detected"] = what;
  return error;
}

CallError other_revision(const Job& job) {
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(job.path.shown) + " changed since it was read.",
      "Read it again from the start, without expectedRevision.");
  error.details["expectedRevision"] = job.expected_revision;
  error.details["revision"] = revision_of(job.file.status);
  return error;
}

ToolOutput read_file(const Job& job) {
  if (!job.expected_revision.empty() &&
      job.expected_revision != revision_of(job.file.status)) {
    return ToolOutput::failure(other_revision(job));
  }
  const ssize_t got =
      read_at(job.file.fd.get(), chunk_buffer(), kChunkBytes, 0);
  if (got < 0) return ToolOutput::failure(read_error(job.path, errno));
  const std::string_view head(chunk_buffer(), static_cast<std::size_t>(got));
  if (const auto image = image_header(head)) {
    return image_output(job, *image, head);
  }
  const Encoding encoding = detect_encoding(head);
  const bool narrow =
      encoding == Encoding::utf8 || encoding == Encoding::utf8_bom;
  if (head.starts_with("%PDF-") ||
      (narrow && classify(head.substr(0, kBinaryProbe)).nul)) {
    return ToolOutput::failure(binary_file(job, head));
  }
  auto page =
      read_page(job.file, job.path, head, job.request, job.limits, *job.stop);
  if (!page) return ToolOutput::failure(page.error());
  return text_output(job, std::move(*page));
}

Outcome<std::shared_ptr<Job>> prepare(const json::object& arguments,
                                      const ExecutionContext& context) {
  auto path = path_argument(arguments, context.tool);
  if (!path) return path.error();
  if (!path->exists) return missing_file(context.tool.workspace, *path);
  auto file = open_regular(context.tool.workspace, *path);
  if (!file) return file.error();
  auto job = std::make_shared<Job>();
  job->file = std::move(*file);
  job->path = std::move(*path);
  job->request.offset = integer_argument(arguments, "offset").value_or(1);
  if (const auto limit = integer_argument(arguments, "limit")) {
    job->request.limit =
        static_cast<std::uint64_t>(std::max<std::int64_t>(*limit, 1));
  }
  job->expected_revision = string_argument(arguments, "expectedRevision");
  job->limits = context.tool.config.tools.read;
  job->stop = context.stop.flag();
  return job;
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  auto job = prepare(arguments, context);
  if (!job) co_return ToolOutput::failure(job.error());
  if ((*job)->file.status.st_size <= kInlineBytes) {
    co_return read_file(**job);
  }
  std::function<ToolOutput()> work = [job = *job] { return read_file(*job); };
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
