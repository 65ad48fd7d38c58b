#include "providers/builtin/search_window.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "protocol/text.hpp"
#include "providers/support/beneath.hpp"

namespace toolhost::builtin {
namespace {

// Compared to be sure that the offset means the same place to us.
constexpr std::size_t kProbeBytes = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// A character cut at the start of a window has at most this much left.
constexpr std::size_t kMaxContinuation = 3;

std::string read_at(int file, std::uint64_t offset, std::size_t bytes) {
  std::string out(bytes, '\0');
  const ssize_t got =
      ::pread(file, out.data(), bytes, static_cast<off_t>(offset));
  out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return out;
}

// Where the line begins in the file. ripgrep does not count a byte order mark.
std::optional<std::uint64_t> line_start(int file, const SearchEntry& entry) {
  const std::string_view probe =
      std::string_view(entry.text).substr(0, kProbeBytes);
  if (read_at(file, entry.offset, probe.size()) == probe) return entry.offset;
  const std::uint64_t shifted = entry.offset + kByteOrderMark.size();
  if (read_at(file, 0, kByteOrderMark.size()) == kByteOrderMark &&
      read_at(file, shifted, probe.size()) == probe) {
    return shifted;
  }
  return std::nullopt;
}

std::string_view whole_characters(std::string_view text, bool cut_in_front,
                                  std::size_t max_bytes) {
  std::size_t skip = 0;
  while (cut_in_front && skip < kMaxContinuation && skip < text.size() &&
         (static_cast<unsigned char>(text[skip]) & 0xC0U) == 0x80U) {
    ++skip;
  }
  text.remove_prefix(skip);
  return utf8_prefix(text, max_bytes);
}

// The window, or nothing if the beginning of the line shows the match.
std::optional<std::string> around(int file, std::uint64_t start,
                                  const SearchEntry& entry,
                                  std::size_t max_bytes) {
  const std::uint64_t match = entry.column > 0 ? entry.column - 1 : 0;
  // A third before the match: what it belongs to comes before it.
  const std::uint64_t lead = max_bytes / 3;
  if (match <= lead) return std::nullopt;
  const std::uint64_t from = match - lead;
  // One character more tells whether the line goes on.
  const std::size_t wanted = max_bytes + kMaxContinuation + 1;
  const std::string bytes = read_at(file, start + from, wanted);
  std::string_view line = std::string_view(bytes);
  const std::size_t end = line.find('\n');
  line = line.substr(0, end);
  if (line.size() < lead) return std::nullopt;
  const std::string_view shown = whole_characters(line, true, max_bytes);
  const bool ends = end != std::string_view::npos || bytes.size() < wanted;
  const bool goes_on = !ends || shown.end() < line.end();
  return "…" + std::string(shown) + (goes_on ? "…" : "");
}

}  // namespace

void show_around_matches(std::vector<SearchEntry>& entries, int folder,
                         std::size_t max_bytes) {
  std::string open_path;
  UniqueFd file;
  for (SearchEntry& entry : entries) {
    if (!entry.cut) continue;
    if (!file || open_path != entry.key.path) {
      open_path = entry.key.path;
      file = open_beneath(folder, open_path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    }
    std::optional<std::string> window;
    if (file) {
      const auto start = line_start(file.get(), entry);
      if (start) window = around(file.get(), *start, entry, max_bytes);
    }
    entry.text = "[column " + std::to_string(entry.column) + "] " +
                 (window ? *window : entry.text + "…");
  }
}

}  // namespace toolhost::builtin
