// What write and edit share: the file as it is, what a person is shown of the
// change, and the check that what was approved is what is changed.
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

// Accesses, ask, target, subject and title of a change of one file.
// `base` is the file's fstat result, null when it is to be created.
Resolution describe_change(const ResolvedPath& path, const struct stat* base,
                           Diff diff, std::string note, std::string_view verb);

// The options that make write_atomically() refuse everything but the file that
// was resolved and approved; pathBlocked when `path` is no longer that file.
Outcome<WriteOptions> approved_options(const ExecutionContext& context,
                                       const ResolvedPath& path);

// path, relativePath, bytesWritten, inPlace, revision and the report's notes.
json::object change_facts(const ResolvedPath& path, std::size_t bytes,
                          const WriteReport& report);
// "; written in place, because it has 2 hard links"; empty: nothing special.
std::string change_remark(const WriteReport& report);

}  // namespace toolhost::builtin
