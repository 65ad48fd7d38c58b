#include "providers/builtin/read_output.hpp"

#include "protocol/base64.hpp"
#include "protocol/text.hpp"
#include "providers/builtin/file_signature.hpp"

namespace toolhost::builtin {
namespace {

// What a viewer needs for more is a decompression bomb.
constexpr std::uint64_t kMostPixels = 64'000'000;

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
  if (page.encoding == Encoding::unknown) {
    out += "[" + std::to_string(page.replaced) +
           " bytes are in an encoding that is not known, and are shown as "
           "U+FFFD; edit keeps them as they are.]";
  } else if (page.replaced > 0) {
    out += "[" + std::to_string(page.replaced) + " bytes are not valid " +
           std::string(name(page.encoding)) +
           " and are shown as U+FFFD; edit keeps them as they are.]";
  }
  if (is_legacy(page.encoding)) {
    out += "[The file is encoded in " + std::string(name(page.encoding)) +
           ", as far as one can tell; edit and write keep that.]";
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

}  // namespace

json::object read_facts(const ReadJob& job) {
  json::object out;
  out.reserve(20);  // all that text_output adds, without a rehash
  out["path"] = to_utf8(job.path.physical);
  out["relativePath"] = to_utf8(job.path.shown);
  out["byteSize"] = job.file.status.st_size;
  out["revision"] = revision_of(job.file.status);
  return out;
}

ToolOutput text_output(const ReadJob& job, Page page) {
  json::object out = read_facts(job);
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

ToolOutput converted_output(const ReadJob& job,
                            const ConvertedText& converted) {
  auto page = read_text_page(converted.text, job.path, job.request, job.limits,
                             *job.stop);
  if (!page) return ToolOutput::failure(page.error());
  ToolOutput output = text_output(job, std::move(*page));
  json::object& facts = *output.structured;
  facts["kind"] = converted.kind;
  facts[converted.parts_name] = converted.parts;
  // The note about lines stays; this one says what the lines are made of.
  output.content.push_back(Content::text(converted.about));
  return output;
}

ToolOutput image_output(const ReadJob& job, const ImageHeader& image,
                        std::string_view head) {
  const auto size = static_cast<std::uint64_t>(job.file.status.st_size);
  json::object out = read_facts(job);
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

CallError binary_file(const ReadJob& job, std::string_view head) {
  std::string_view what = binary_signature(head);
  if (what.empty()) what = "binary data";
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(job.path.shown) + " is not a text file: it is " +
          std::string(what) + " of " + std::to_string(job.file.status.st_size) +
          " bytes.",
      "Use a command that understands the format.");
  error.details = read_facts(job);
  error.details["detected"] = what;
  return error;
}

CallError other_revision(const ReadJob& job) {
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(job.path.shown) + " changed since it was read.",
      "Read it again from the start, without expectedRevision.");
  error.details["expectedRevision"] = job.expected_revision;
  error.details["revision"] = revision_of(job.file.status);
  return error;
}

}  // namespace toolhost::builtin
