// What the tools that change files share: the file as it is, what a person is
// shown of the change, and the check that what was approved is what is changed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "providers/builtin/diff.hpp"
#include "providers/builtin/text_encoding.hpp"
#include "providers/execution.hpp"
#include "providers/support/atomic_write.hpp"
#include "providers/support/file_read.hpp"

namespace toolhost::builtin {

// Files over this are not edited, and not compared.
inline constexpr std::size_t kMaxChangedBytes = 16U << 20;

struct ExistingFile {
  std::string bytes;
  struct stat status {};
  Encoding encoding = Encoding::utf8;
  // The bytes as UTF-8 without a byte order mark.
  std::string text;
  // decode() and encode() give the same bytes back.
  bool lossless = true;
  bool binary = false;
};

// The whole file; regular and at most kMaxChangedBytes.
Outcome<ExistingFile> load_file(const Workspace& workspace,
                                const ResolvedPath& path);

// Why its text cannot be changed in place; nullopt: it can.
std::optional<CallError> not_editable(const ResolvedPath& path,
                                      const ExistingFile& file);

// `text` in the encoding of `before`. Refuses characters that the encoding
// lacks, and, when `adds_non_ascii`, any when the encoding is not known.
Outcome<std::string> encode_change(const ResolvedPath& path,
                                   const ExistingFile& before,
                                   std::string_view text, bool adds_non_ascii);
bool has_non_ascii(std::string_view text);

// One file of a change.
struct ChangeRow {
  const ResolvedPath& path;
  std::string_view operation;         // create, modify, delete
  const struct stat* base = nullptr;  // its fstat result; null: to be created
  Diff diff;
  std::string note;
  // The other path of a move, as shown; empty: none.
  std::string moved_from;
  std::string moved_to;
};

// Adds the access, ask, target and row of the subject of one file. The
// subject is {"type":"files","changes":[{path, relativePath, operation, diff,
// complete, omittedLines?, added, removed, note?, movedFrom?, movedTo?}]}.
void add_change(Resolution& out, ChangeRow row);

// All of a change of one file, with the title.
Resolution describe_change(const ResolvedPath& path, const struct stat* base,
                           Diff diff, std::string note, std::string_view verb);

// The options that make write_atomically() refuse everything but the file that
// was resolved and approved; pathBlocked when `path` is no longer that file.
Outcome<WriteOptions> approved_options(const std::vector<WriteTarget>& targets,
                                       const ResolvedPath& path);

// path, relativePath, bytesWritten, inPlace, revision and the report's notes.
json::object change_facts(const ResolvedPath& path, std::size_t bytes,
                          const WriteReport& report);
// "; written in place, because it has 2 hard links"; empty: nothing special.
std::string change_remark(const WriteReport& report);

}  // namespace toolhost::builtin
