#include "providers/builtin/search_matches.hpp"

#include <utility>

#include "protocol/text.hpp"

namespace toolhost::builtin {

bool MatchCollector::judge(std::string_view path) {
  if (known_ && path == path_) return accepted_;
  finish();
  known_ = true;
  in_file_ = 0;
  last_match_ = 0;
  path_ = path;
  accepted_ = !shape_.filter || shape_.filter->matches(shape_.folder + path_);
  return accepted_;
}

void MatchCollector::receive(const SearchRecord& record) {
  if (!judge(record.path)) return;
  if (record.match) {
    match(record);
  } else if (shape_.context > 0) {
    context(record);
  }
}

void MatchCollector::receive_file(const SearchRecord& record) {
  if (!judge(record.path)) return;
  count(record.line);
  SearchEntry entry;
  entry.key.path = path_;
  // The key is the path alone: the number may change between two pages.
  if (!page_.wants(entry.key)) return;
  if (record.line > 0) entry.text = std::to_string(record.line);
  page_.add(std::move(entry));
}

void MatchCollector::count(std::uint64_t lines) {
  if (in_file_ == 0) ++files_;
  matches_ += lines;
  in_file_ += lines == 0 ? 1 : lines;  // a name alone is a file, too
  if (in_file_ >= shape_.max_lines_per_file) capped_ = true;
}

void MatchCollector::match(const SearchRecord& record) {
  if (open_) page_.add(std::move(*open_));
  open_.reset();
  count(1);
  last_match_ = record.line;
  SearchEntry entry;
  entry.key.path = path_;
  entry.key.line = record.line;
  if (page_.wants(entry.key)) {
    entry.column = record.column;
    entry.offset = record.offset;
    const auto text = utf8_prefix(record.text, shape_.max_line_bytes);
    entry.cut = record.cut || text.size() < record.text.size();
    entry.text = text;
    for (ContextLine& line : before_) {
      if (line.line + shape_.context < record.line) continue;
      entry.before.push_back(std::move(line));
    }
    open_ = std::move(entry);
  }
  before_.clear();
}

void MatchCollector::context(const SearchRecord& record) {
  ContextLine line;
  line.line = record.line;
  const auto text = utf8_prefix(record.text, shape_.max_line_bytes);
  line.text = text;
  if (record.cut || text.size() < record.text.size()) line.text += "…";
  if (open_ && record.line <= last_match_ + shape_.context) {
    open_->after.push_back(line);
  }
  if (before_.size() >= shape_.context) before_.erase(before_.begin());
  before_.push_back(std::move(line));
}

void MatchCollector::finish() {
  if (open_) page_.add(std::move(*open_));
  open_.reset();
  before_.clear();
  known_ = false;
}

}  // namespace toolhost::builtin
