#include "providers/builtin/search_records.hpp"

#include <array>
#include <utility>

namespace toolhost::builtin {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Takes digits and the separator behind them from the front.
bool take_number(std::string_view& text, std::uint64_t& number,
                 char& separator) {
  std::size_t digits = 0;
  number = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    number = number * 10 + static_cast<std::uint64_t>(text[digits] - '0');
    ++digits;
  }
  // 19 digits fit; no file has more lines.
  if (digits == 0 || digits > 19 || digits == text.size()) return false;
  separator = text[digits];
  text.remove_prefix(digits + 1);
  return true;
}

}  // namespace

RecordReader::RecordReader(Format format, std::size_t max_columns,
                           std::string named,
                           std::function<void(const SearchRecord&)> receive)
    : format_(format),
      max_columns_(max_columns),
      path_(std::move(named)),
      receive_(std::move(receive)) {}

void RecordReader::feed(std::string_view bytes) {
  pending_ += bytes;
  std::string_view rest = pending_;
  while (valid_ && !rest.empty()) {
    if (discard_) {
      const std::size_t end = rest.find('\n');
      rest.remove_prefix(end == kNone ? rest.size() : end + 1);
      discard_ = end == kNone;
      continue;
    }
    const std::size_t used = take(rest);
    if (used == 0) break;
    rest.remove_prefix(used);
  }
  if (!valid_) rest = {};
  pending_.erase(0, pending_.size() - rest.size());
}

std::size_t RecordReader::take(std::string_view bytes) {
  if (format_ != Format::names && !path_.empty() && bytes.starts_with(path_) &&
      bytes.size() > path_.size() && bytes[path_.size()] == ':') {
    const std::size_t used = take_remark(bytes);
    if (used != kNone) return used;
  }
  const std::size_t path_end = bytes.find('\0');
  if (path_end == kNone) {
    valid_ = bytes.size() <= kMaxRecordBytes;
    return 0;
  }
  if (format_ != Format::names) return take_line(bytes, path_end);
  SearchRecord record;
  give(record, bytes.substr(0, path_end));
  return path_end + 1;
}

// "path: binary file matches (…)" has no NUL. Only the path before can be
// meant: the records of one file are never apart. kNone: it is no remark.
std::size_t RecordReader::take_remark(std::string_view bytes) {
  constexpr std::array<std::string_view, 2> kRemarks{
      ": WARNING: stopped searching binary file", ": binary file matches"};
  const std::string_view rest = bytes.substr(path_.size());
  for (const std::string_view remark : kRemarks) {
    if (rest.size() < remark.size() && remark.starts_with(rest)) return 0;
    if (!rest.starts_with(remark)) continue;
    const std::size_t end = bytes.find('\n');
    if (end == kNone) return 0;
    ++binary_;
    return end + 1;
  }
  return kNone;
}

std::size_t RecordReader::take_line(std::string_view bytes,
                                    std::size_t path_end) {
  const std::size_t end = bytes.find('\n', path_end);
  const bool overlong = end == kNone && bytes.size() > kMaxRecordBytes;
  if (end == kNone && !overlong) return 0;
  const std::string_view body =
      bytes.substr(path_end + 1, end == kNone ? end : end - path_end - 1);
  SearchRecord record;
  record.cut = overlong;
  if (!decode(body, record)) {
    valid_ = false;
    return 0;
  }
  discard_ = overlong;
  give(record, bytes.substr(0, path_end));
  return overlong ? bytes.size() : end + 1;
}

bool RecordReader::decode(std::string_view body, SearchRecord& record) const {
  char separator = 0;
  if (format_ == Format::counts) {
    const std::string number = std::string(body) + '\n';
    std::string_view rest = number;
    return take_number(rest, record.line, separator) && rest.empty();
  }
  if (!take_number(body, record.line, separator)) return false;
  record.match = separator == ':';
  if (record.match && !take_number(body, record.column, separator)) {
    return false;
  }
  if (!take_number(body, record.offset, separator)) return false;
  // An unchanged line has at most max_columns_ bytes; a longer one is a
  // preview of at least that many, and a mark that has no other use.
  if (body.size() > max_columns_) {
    record.cut = true;
    const std::size_t mark = body.rfind(" [... ");
    if (mark != kNone && mark >= max_columns_) body = body.substr(0, mark);
  } else if (body.ends_with('\r')) {
    body.remove_suffix(1);
  }
  record.text = body;
  return true;
}

void RecordReader::give(SearchRecord& record, std::string_view path) {
  if (path_ != path) path_ = path;
  record.path = path_;
  if (record.path.starts_with("./")) record.path.remove_prefix(2);
  receive_(record);
}

}  // namespace toolhost::builtin
