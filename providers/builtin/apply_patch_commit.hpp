// Changing several files, all of them or none.
//
// Every new content is written and synced beside its place first, so that a
// full disk or a missing permission is met while nothing has changed. Then the
// files take their names one after the other; what they replace keeps a hidden
// second name until all is done, and takes its old name back on an error: the
// same file, without a byte to be written. (Where the file system has no hard
// links, and for files that can only be written in place, the old bytes are
// written back.) A kill or power cut between two names leaves the first files
// new and the others old, and the hidden names (.toolhost-*.old) behind.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/support/atomic_write.hpp"

namespace toolhost::builtin {

struct FileCommit {
  ResolvedPath path;
  // What has to be there; `calls` is used for everything.
  WriteOptions expected;
  // The new content; nullopt: the file is removed.
  std::optional<std::string_view> bytes;
  // The content that is there, for putting it back; nullopt: not known.
  std::optional<std::string_view> old_bytes;
  // The file whose mode and owner a new file gets (it is moved); may be null.
  const ResolvedPath* like = nullptr;
};

// One report for each file, in order. An error says that nothing was changed,
// or which files could not be put back and where their old content is.
Outcome<std::vector<WriteReport>> commit_files(
    const Workspace& workspace, const std::vector<FileCommit>& files);

}  // namespace toolhost::builtin
