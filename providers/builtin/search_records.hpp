// RecordReader: ripgrep's plain output as records, while it arrives.
//
// The format is chosen so that nothing in it is ambiguous, whatever is in
// names and lines: the path ends with a NUL, then digits, then the text up to
// the line end. It is smaller and faster than --json, and --max-columns works
// in it, so a line of megabytes is never sent.
//
//   path NUL line ":" column ":" offset ":" text LF     a match
//   path NUL line "-" offset "-" text LF                a context line
//   path NUL                                            names
//   path NUL number LF                                  counts
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace toolhost::builtin {

// Views live until the callback returns. The path has lost its "./".
struct SearchRecord {
  std::string_view path;
  bool match = false;
  std::uint64_t line = 0;    // from 1; the number in a count
  std::uint64_t column = 0;  // bytes, from 1
  std::uint64_t offset = 0;  // of the line in the (decoded) file
  std::string_view text;     // without the line end
  bool cut = false;          // the line goes on
};

class RecordReader {
 public:
  enum class Format { lines, names, counts };
  // A record over this is cut: previews end after a number of characters, and
  // one character may be made of any number of bytes.
  static constexpr std::size_t kMaxRecordBytes = 256 * 1024;

  // `max_columns` is what ripgrep was given. `named` is the one file that is
  // searched, if it is one ("./a.c").
  RecordReader(Format format, std::size_t max_columns, std::string named,
               std::function<void(const SearchRecord&)> receive);

  void feed(std::string_view bytes);
  // False after output that is not of this format.
  bool valid() const { return valid_; }
  // Files in which the search ended at a NUL byte.
  std::uint64_t binary_files() const { return binary_; }

 private:
  // How much of the front was used; 0: more bytes are needed.
  std::size_t take(std::string_view bytes);
  std::size_t take_line(std::string_view bytes, std::size_t path_end);
  std::size_t take_remark(std::string_view bytes);
  bool decode(std::string_view head, SearchRecord& record) const;
  void give(SearchRecord& record, std::string_view path);

  Format format_;
  std::size_t max_columns_;
  std::string path_;  // of the last record, as ripgrep wrote it
  std::function<void(const SearchRecord&)> receive_;
  std::string pending_;
  bool discard_ = false;  // the rest of a record that was too long
  bool valid_ = true;
  std::uint64_t binary_ = 0;
};

}  // namespace toolhost::builtin
