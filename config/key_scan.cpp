#include "config/key_scan.hpp"

#include <boost/json.hpp>
#include <utility>

namespace toolhost::config {
namespace {

constexpr auto kEnd = std::string_view::npos;

}  // namespace

KeyScan::KeyScan(std::string_view text, Visit visit)
    : text_(text), visit_(std::move(visit)) {}

// path_ has one entry per open level (the key or item that is being read) and
// none for the outermost value.
void KeyScan::run() {
  for (;;) {
    skip_space_and_comments();
    if (at_ >= text_.size()) return;
    const char c = peek();
    if (c == '}' || c == ']') {
      close();
      continue;
    }
    if (c == ',') {
      comma();
      continue;
    }
    if (!levels_.empty() && levels_.back().expects_key) {
      if (!take_key()) return;
      continue;
    }
    if (!levels_.empty() && !levels_.back().object && !take_item()) return;
    if (c == '{' || c == '[') {
      open(c == '{');
    } else if (c == '"') {
      take_string();
    } else {
      at_ = text_.find_first_of(",]}/ \t\r\n", at_ + 1);
    }
  }
}

void KeyScan::skip_space_and_comments() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (std::string_view(" \t\r\n:").find(rest.front()) != kEnd) {
      ++at_;
    } else if (rest.starts_with("//")) {
      at_ = text_.find('\n', at_);
    } else if (rest.starts_with("/*")) {
      const auto end = text_.find("*/", at_ + 2);
      at_ = end == kEnd ? kEnd : end + 2;
    } else {
      return;
    }
  }
}

// The decoded text of the literal at at_, which is behind it afterwards.
std::string KeyScan::take_string() {
  const std::size_t begin = at_++;
  bool escaped = false;
  while (at_ < text_.size() && text_[at_] != '"') {
    escaped = escaped || text_[at_] == '\\';
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  if (at_ >= text_.size()) return {};
  ++at_;
  const std::string_view literal = text_.substr(begin, at_ - begin);
  if (!escaped) return std::string(literal.substr(1, literal.size() - 2));
  boost::json::error_code error;
  const auto value = boost::json::parse(literal, error);
  return value.is_string() ? std::string(value.get_string())
                           : std::string(literal);
}

bool KeyScan::take_key() {
  const std::size_t begin = at_;
  if (peek() != '"') {
    at_ = text_.size();
    return false;
  }
  Level& level = levels_.back();
  path_.back() = take_string();
  level.expects_key = false;
  const bool repeated = !level.keys.insert(path_.back()).second;
  return visit_({path_, begin, repeated});
}

bool KeyScan::take_item() {
  path_.back() = std::to_string(levels_.back().items);
  return visit_({path_, at_, false});
}

void KeyScan::open(bool object) {
  ++at_;
  Level level;
  level.object = object;
  level.expects_key = object;
  levels_.push_back(std::move(level));
  path_.emplace_back();
}

void KeyScan::close() {
  ++at_;
  if (levels_.empty()) return;
  levels_.pop_back();
  path_.pop_back();
}

void KeyScan::comma() {
  ++at_;
  if (levels_.empty()) return;
  Level& level = levels_.back();
  level.expects_key = level.object;
  ++level.items;
}

}  // namespace toolhost::config
