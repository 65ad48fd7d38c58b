#include "daemon/cli/columns.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

constexpr int kTab = 8;

// Bytes and columns of the character at the front.
struct Step {
  std::size_t bytes;
  int width;
};

Step step(std::string_view text) {
  const std::size_t bytes = utf8_sequence_length(text);
  if (bytes == 0) return {1, 1};
  if (bytes == 1) return {1, 1};
  utf8proc_int32_t code = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(bytes), &code);
  return {bytes, utf8proc_charwidth(code)};
}

}  // namespace

int columns(std::string_view text) {
  int total = 0;
  while (!text.empty()) {
    const Step at = step(text);
    total += at.width;
    text.remove_prefix(at.bytes);
  }
  return total;
}

std::string cut(std::string_view text, int width) {
  if (width <= 0) return {};
  if (columns(text) <= width) return std::string(text);
  std::string out;
  int used = 0;
  while (!text.empty()) {
    const Step at = step(text);
    if (used + at.width > width - 1) break;
    out.append(text.substr(0, at.bytes));
    used += at.width;
    text.remove_prefix(at.bytes);
  }
  return out + "…";
}

std::string pad(std::string_view text, int width) {
  std::string out = cut(text, width);
  const int used = columns(out);
  if (used < width) out.append(static_cast<std::size_t>(width - used), ' ');
  return out;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  // Room for one wide character, or nothing could be shown at all.
  width = std::max(width, 2);
  std::vector<std::string> out(1);
  int used = 0;
  int column = 0;  // of the whole line, for tabs
  const auto put = [&](std::string_view bytes, int taken) {
    if (used + taken > width) {
      out.emplace_back();
      used = 0;
    }
    out.back().append(bytes);
    used += taken;
    column += taken;
  };
  while (!text.empty()) {
    if (text.front() == '\t') {
      const int blanks = kTab - column % kTab;
      for (int i = 0; i < blanks; ++i) put(" ", 1);
      text.remove_prefix(1);
      continue;
    }
    const Step at = step(text);
    put(text.substr(0, at.bytes), at.width);
    text.remove_prefix(at.bytes);
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace toolhost::cli
