// One page of a text file: some of its lines, read with bounded memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "providers/builtin/line_window.hpp"
#include "providers/builtin/text_encoding.hpp"
#include "providers/support/file_read.hpp"

namespace toolhost::builtin {

// Lines are counted to the end only this far; beyond, totalLines is unknown.
inline constexpr std::uint64_t kScanBytes = 64ULL << 20;
// UTF-16 files, files without a size (/proc), and files with bytes that are not
// UTF-8 (whose encoding the whole of them tells) are held whole; of longer
// ones such bytes are shown as U+FFFD.
inline constexpr std::size_t kWholeBytes = 16U << 20;

struct PageRequest {
  std::int64_t offset = 1;  // first line, or lines from the end if negative
  std::optional<std::uint64_t> limit;
};

struct Page {
  std::string text;  // UTF-8, lines end with "\n"
  // Unknown (nullopt) in the tail of a file over kScanBytes.
  std::optional<std::uint64_t> start_line;
  std::uint64_t lines = 0;
  std::optional<std::uint64_t> total_lines;
  bool more = false;
  std::string_view truncated_by;  // limit, lines, bytes; empty: not truncated
  Encoding encoding = Encoding::utf8;
  std::size_t replaced = 0;       // bytes shown as U+FFFD
  std::string_view line_endings;  // of the page: lf, crlf, mixed, none
  std::vector<LineWindow::Cut> cuts;
};

// `head` is the beginning of the file (all of it if it is shorter). Ends early
// with `cancelled` when `stop` is set, and with toolFailed when a line far
// down a huge file is not reached in time.
Outcome<Page> read_page(const OpenFile& file, const ResolvedPath& path,
                        std::string_view head, const PageRequest& request,
                        const config::ReadTool& limits,
                        const std::atomic<bool>& stop);

// The same of a text that is in memory, valid UTF-8 or not.
Outcome<Page> read_text_page(std::string_view text, const ResolvedPath& path,
                             const PageRequest& request,
                             const config::ReadTool& limits,
                             const std::atomic<bool>& stop);

// A buffer of this thread for file contents: no page is touched twice.
inline constexpr std::size_t kChunkBytes = 128 * 1024;
char* chunk_buffer();

}  // namespace toolhost::builtin
