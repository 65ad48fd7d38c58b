#include "providers/builtin/read_page.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "protocol/text.hpp"
#include "providers/builtin/byte_scan.hpp"

namespace toolhost::builtin {
namespace {

// Looking for a line in the depth of a huge file ends here.
constexpr std::chrono::seconds kSeekTime{10};

// The bytes of a text without its byte order mark: in a file, or in memory.
class Source {
 public:
  Source(int fd, std::uint64_t start, std::uint64_t end, std::string_view head)
      : fd_(fd), start_(start), end_(end), head_(head) {}
  explicit Source(std::string_view memory)
      : end_(memory.size()), head_(memory) {}

  std::uint64_t size() const { return end_ - start_; }
  // Some bytes at `offset`, valid until the next call; empty at the end, and
  // with `error()` set when the system refuses.
  std::string_view at(std::uint64_t offset, std::size_t most) {
    offset += start_;
    if (offset >= end_) return {};
    const auto left = static_cast<std::size_t>(
        std::min<std::uint64_t>({most, end_ - offset, kChunkBytes}));
    if (offset + left <= head_.size()) {
      // The head may lie in the chunk buffer; it is read first and once.
      return head_.substr(static_cast<std::size_t>(offset), left);
    }
    if (fd_ < 0) return {};
    head_ = {};
    const ssize_t got = read_at(fd_, chunk_buffer(), left, offset);
    if (got < 0) error_ = errno;
    if (got <= 0) return {};
    return {chunk_buffer(), static_cast<std::size_t>(got)};
  }
  int error() const { return error_; }

 private:
  int fd_ = -1;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
  std::string_view head_;
  int error_ = 0;
};

class PageReader {
 public:
  PageReader(Source source, const ResolvedPath& path,
             const PageRequest& request, const config::ReadTool& limits,
             const std::atomic<bool>& stop)
      : source_(source),
        path_(path),
        request_(request),
        stop_(stop),
        bytes_(std::max<std::size_t>(limits.max_bytes, 1024)),
        most_lines_(static_cast<std::uint64_t>(std::max(limits.max_lines, 1))),
        started_(std::chrono::steady_clock::now()) {}

  Outcome<Page> run();

 private:
  std::optional<CallError> find_tail();
  std::optional<CallError> count_before();
  std::optional<CallError> interrupted() const;
  void fill(LineWindow& window);
  void describe(LineWindow& window);

  Source source_;
  const ResolvedPath& path_;
  const PageRequest& request_;
  const std::atomic<bool>& stop_;
  std::size_t bytes_;
  std::uint64_t most_lines_;
  std::chrono::steady_clock::time_point started_;

  std::uint64_t from_ = 0;  // where the window's first byte is
  std::optional<std::uint64_t> lines_before_ = 0;
  bool tail_cut_ = false;  // the tail was shortened to the byte limit
  Page page_;
};

std::optional<CallError> PageReader::interrupted() const {
  if (source_.error() != 0) return read_error(path_, source_.error());
  if (stop_.load(std::memory_order_relaxed)) {
    return make_call_error(CallErrorKind::cancelled, "The call was cancelled.");
  }
  if (std::chrono::steady_clock::now() - started_ > kSeekTime) {
    return make_call_error(CallErrorKind::tool_failed,
                           display_text(path_.shown) +
                               " is so large that the lines were not found "
                               "within 10 seconds.",
                           "Use grep, or a negative offset for its end.");
  }
  return std::nullopt;
}

// Walks back from the end to the beginning of the lines that are wanted.
std::optional<CallError> PageReader::find_tail() {
  const auto wanted = static_cast<std::uint64_t>(-request_.offset);
  // Without a limit the newest lines matter most: keep what fits.
  const std::uint64_t most_bytes =
      request_.limit ? kScanBytes : std::uint64_t{bytes_};
  std::uint64_t found = 0;
  std::uint64_t position = source_.size();
  from_ = position;
  while (position > 0) {
    const std::uint64_t begin =
        position > kChunkBytes ? position - kChunkBytes : 0;
    std::string_view chunk =
        source_.at(begin, static_cast<std::size_t>(position - begin));
    if (auto no = interrupted()) return no;
    if (chunk.size() < position - begin) break;  // it shrank
    // The newline at the very end closes the last line.
    if (position == source_.size() && chunk.back() == '\n') {
      chunk.remove_suffix(1);
    }
    for (std::size_t newline;
         (newline = chunk.rfind('\n')) != std::string_view::npos;
         chunk = chunk.substr(0, newline)) {
      const std::uint64_t line = begin + newline + 1;
      if (source_.size() - line > most_bytes && found > 0) {
        tail_cut_ = true;
        return std::nullopt;
      }
      from_ = line;
      if (++found == wanted) return std::nullopt;
    }
    position = begin;
    if (source_.size() - position > most_bytes + kChunkBytes && found > 0) {
      tail_cut_ = true;
      return std::nullopt;
    }
    if (source_.size() - position > kScanBytes) {
      from_ = position;  // one endless line: show what is near the end
      return std::nullopt;
    }
  }
  const bool fits = source_.size() <= most_bytes || found == 0;
  if (fits) from_ = 0;
  tail_cut_ = !fits;
  return std::nullopt;
}

std::optional<CallError> PageReader::count_before() {
  if (source_.size() > kScanBytes && from_ > 0) {
    lines_before_.reset();
    return std::nullopt;
  }
  std::uint64_t lines = 0;
  for (std::uint64_t at = 0; at < from_;) {
    const std::string_view chunk =
        source_.at(at, static_cast<std::size_t>(
                           std::min<std::uint64_t>(from_ - at, kChunkBytes)));
    if (auto no = interrupted()) return no;
    if (chunk.empty()) break;
    lines += count_newlines(chunk);
    at += chunk.size();
  }
  lines_before_ = lines;
  return std::nullopt;
}

Outcome<Page> PageReader::run() {
  LineWindow::Limits window_limits;
  window_limits.bytes = bytes_;
  window_limits.lines =
      std::min(request_.limit.value_or(most_lines_), most_lines_);
  if (request_.offset < 0) {
    if (auto no = find_tail()) return *no;
    if (auto no = count_before()) return *no;
  } else {
    window_limits.first_line =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(request_.offset));
  }
  const std::uint64_t expected = request_.limit ? 0 : source_.size() - from_;
  LineWindow window(window_limits, static_cast<std::size_t>(expected));
  bool whole = false;
  for (std::uint64_t at = from_;;) {
    const std::string_view chunk = source_.at(at, kChunkBytes);
    if (auto no = interrupted()) return *no;
    whole = chunk.empty();
    if (whole) break;
    window.feed(chunk);
    at += chunk.size();
    if (at >= kScanBytes && (window.full() || window.cutting())) break;
  }
  whole = whole || source_.size() == 0;
  window.finish(whole);
  if (lines_before_) {
    page_.start_line = *lines_before_ + window_limits.first_line;
    if (const auto total = window.total_lines()) {
      page_.total_lines = *lines_before_ + *total;
    }
  }
  describe(window);
  return std::move(page_);
}

void PageReader::describe(LineWindow& window) {
  page_.lines = window.lines();
  page_.more = window.more();
  page_.cuts = window.cuts();
  for (LineWindow::Cut& cut : page_.cuts) {
    cut.line += lines_before_.value_or(0);
  }
  if (window.end() == LineWindow::End::bytes || tail_cut_) {
    page_.truncated_by = "bytes";
  } else if (window.end() == LineWindow::End::lines) {
    page_.truncated_by =
        request_.limit && *request_.limit <= most_lines_ ? "limit" : "lines";
  }
  page_.text = std::move(window.text());
  const ByteClasses classes = classify(page_.text);
  page_.line_endings = "none";
  if (classes.carriage_return) {
    const std::size_t pairs = count_crlf(page_.text);
    const std::size_t lines = count_newlines(page_.text);
    if (lines > 0) {
      page_.line_endings = pairs == lines ? "crlf" : pairs > 0 ? "mixed" : "lf";
    }
    // A lone carriage return stays: it is not a line ending here.
    std::string& text = page_.text;
    std::size_t to = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const bool pair =
          text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
      if (!pair) text[to++] = text[at];
    }
    text.resize(to);
  } else if (page_.lines > 1 || page_.text.ends_with('\n')) {
    page_.line_endings = "lf";
  }
  if (classes.non_ascii && !is_utf8(page_.text)) {
    page_.text = to_utf8(page_.text, &page_.replaced);
  }
}

Outcome<Page> finished(Outcome<Page> page, Encoding encoding,
                       std::size_t replaced) {
  if (page) {
    page->encoding = encoding;
    page->replaced += replaced;
  }
  return page;
}

Outcome<Page> decoded_page(std::string_view bytes, Encoding encoding,
                           const ResolvedPath& path, const PageRequest& request,
                           const config::ReadTool& limits,
                           const std::atomic<bool>& stop) {
  std::size_t replaced = 0;
  const std::string text = decode(bytes, encoding, &replaced);
  return finished(PageReader(Source(text), path, request, limits, stop).run(),
                  encoding, replaced);
}

}  // namespace

char* chunk_buffer() {
  // Uninitialised on purpose: only what a read filled is looked at.
  thread_local const std::unique_ptr<char[]> buffer(new char[kChunkBytes]);
  return buffer.get();
}

Outcome<Page> read_page(const OpenFile& file, const ResolvedPath& path,
                        std::string_view head, const PageRequest& request,
                        const config::ReadTool& limits,
                        const std::atomic<bool>& stop) {
  const Encoding encoding = detect_encoding(head);
  const auto size = static_cast<std::uint64_t>(file.status.st_size);
  // A size of zero with content is a file of the kernel's.
  const bool unsized = size == 0 && !head.empty();
  if (is_utf16(encoding) || unsized) {
    auto bytes = read_whole(file, path, kWholeBytes);
    if (!bytes) return bytes.error();
    return decoded_page(*bytes, encoding, path, request, limits, stop);
  }
  // Told sizes may be too large (4096 in /sys): the head knows better.
  const std::uint64_t end = head.size() < kChunkBytes
                                ? std::min<std::uint64_t>(size, head.size())
                                : size;
  const Source source(file.fd.get(), bom_length(encoding), end, head);
  auto page = finished(PageReader(source, path, request, limits, stop).run(),
                       encoding, 0);
  if (!page || page->replaced == 0 || encoding != Encoding::utf8 ||
      size > kWholeBytes) {
    return page;
  }
  const auto bytes = read_whole(file, path, kWholeBytes);
  if (!bytes) return page;
  const Encoding whole = detect_whole(*bytes);
  if (is_legacy(whole)) {
    return decoded_page(*bytes, whole, path, request, limits, stop);
  }
  page->encoding = whole;
  return page;
}

Outcome<Page> read_text_page(std::string_view text, const ResolvedPath& path,
                             const PageRequest& request,
                             const config::ReadTool& limits,
                             const std::atomic<bool>& stop) {
  return PageReader(Source(text), path, request, limits, stop).run();
}

}  // namespace toolhost::builtin
