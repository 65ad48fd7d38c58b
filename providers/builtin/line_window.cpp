#include "providers/builtin/line_window.hpp"

#include <string.h>

#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/byte_scan.hpp"

namespace toolhost::builtin {

LineWindow::LineWindow(Limits limits, std::size_t expected)
    : limits_(limits),
      // One less, so that a first line of this length fits with its newline.
      line_limit_(std::min(kMaxLineBytes, limits.bytes - 1)),
      phase_(limits.first_line > 1 ? Phase::skipping : Phase::collecting) {
  text_.reserve(std::min(expected, limits.bytes));
}

void LineWindow::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (phase_ == Phase::skipping) {
      bytes = skip(bytes);
    } else if (phase_ == Phase::collecting) {
      bytes = cutting_ ? pass_over(bytes) : collect(bytes);
    } else {
      more_ = true;
      line_ += count_newlines(bytes);
      in_line_ = bytes.back() != '\n';
      return;
    }
  }
}

std::string_view LineWindow::skip(std::string_view bytes) {
  const std::uint64_t wanted = limits_.first_line - line_;
  const std::size_t there = count_newlines(bytes);
  if (there < wanted) {
    line_ += there;
    in_line_ = bytes.back() != '\n';
    return {};
  }
  bytes.remove_prefix(after_newline(bytes, wanted));
  line_ = limits_.first_line;
  in_line_ = false;
  phase_ = Phase::collecting;
  return bytes;
}

// At least one byte of `bytes` is used up.
std::string_view LineWindow::collect(std::string_view bytes) {
  const std::size_t in_line = text_.size() - line_start_;
  if (in_line + bytes.size() <= line_limit_) return take(bytes, {});
  // Some line in here may be too long: go on line by line.
  const std::size_t room = line_limit_ - in_line;
  const std::size_t newline = bytes.substr(0, room + 1).find('\n');
  if (newline != std::string_view::npos) {
    // As many whole lines as are surely short enough.
    const std::string_view head = bytes.substr(0, line_limit_);
    const std::size_t last = std::max(head.rfind('\n') + 1, newline + 1);
    return take(bytes.substr(0, last), bytes.substr(last));
  }
  if (bytes.size() <= room) return take(bytes, {});
  if (text_.size() + room > limits_.bytes && lines_ > 0) {
    stop(End::bytes);
    return bytes;
  }
  text_ += bytes.substr(0, room);
  const std::string_view line = std::string_view(text_).substr(line_start_);
  text_.resize(text_.size() - utf8_incomplete_tail(line));
  Cut cut;
  cut.line = line_;
  cut.bytes = in_line + room;
  cut.shown = text_.size() - line_start_;
  cuts_.push_back(cut);
  cutting_ = in_line_ = true;
  return bytes.substr(room);
}

std::string_view LineWindow::pass_over(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  cuts_.back().bytes += std::min(newline, bytes.size());
  if (newline == std::string_view::npos) return {};
  close_cut(true);
  return bytes.substr(newline + 1);
}

void LineWindow::close_cut(bool newline) {
  cutting_ = false;
  text_ += "… [line " + std::to_string(cuts_.back().line) + " has " +
           std::to_string(cuts_.back().bytes) + " bytes; the first " +
           std::to_string(cuts_.back().shown) + " are shown]";
  if (!newline) return;
  text_ += '\n';
  append({}, 1);
}

// Takes what fits of `chunk`, in which no line is too long; returns what is
// left of it and of `rest` (which follows it in memory).
std::string_view LineWindow::take(std::string_view chunk,
                                  std::string_view rest) {
  const auto remaining = [&](std::size_t used) {
    return std::string_view(chunk.data() + used,
                            chunk.size() - used + rest.size());
  };
  std::string_view fits = chunk;
  const std::size_t left =
      limits_.bytes - std::min(limits_.bytes, text_.size());
  const bool over = chunk.size() > left;
  if (over) fits = chunk.substr(0, chunk.substr(0, left).rfind('\n') + 1);

  std::size_t newlines = count_newlines(fits);
  if (lines_ + newlines >= limits_.lines) {
    const std::size_t end = after_newline(fits, limits_.lines - lines_);
    append(fits.substr(0, end), limits_.lines - lines_);
    return remaining(end);
  }
  append(fits, newlines);
  if (over) stop(End::bytes);
  return remaining(fits.size());
}

void LineWindow::append(std::string_view lines, std::size_t newlines) {
  text_ += lines;
  lines_ += newlines;
  line_ += newlines;
  if (newlines > 0) {
    // Not rfind, which looks at one byte at a time: the last line may be long.
    const void* last = ::memrchr(text_.data(), '\n', text_.size());
    line_start_ = static_cast<std::size_t>(static_cast<const char*>(last) -
                                           text_.data()) +
                  1;
  }
  in_line_ = line_start_ < text_.size();
  if (lines_ == limits_.lines) stop(End::lines);
}

void LineWindow::stop(End end) {
  // The beginning of a line that does not fit goes away again.
  if (line_start_ < text_.size()) {
    text_.resize(line_start_);
    more_ = true;
  }
  end_ = end;
  phase_ = Phase::counting;
}

void LineWindow::finish(bool whole) {
  if (cutting_) {
    close_cut(false);
    ++lines_;
    if (!whole) end_ = End::bytes;
  } else if (phase_ == Phase::collecting && in_line_) {
    ++lines_;
  }
  more_ |= !whole;
  if (!more_) end_ = End::file;
  if (whole) total_ = line_ - 1 + (in_line_ ? 1 : 0);
}

}  // namespace toolhost::builtin
