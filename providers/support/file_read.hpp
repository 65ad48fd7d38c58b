// Opening regular files for reading, and what identifies a version of one.
#pragma once

#include <string>

#include "providers/support/workspace.hpp"

namespace toolhost {

struct OpenFile {
  UniqueFd fd;
  struct stat status {};
};

// "size:mtime_ns:inode": another string means that the file was changed.
std::string revision_of(const struct stat& status);

// Opens without blocking, whatever lies there, and refuses everything but a
// regular file with a message that names the type (details.fileType).
Outcome<OpenFile> open_regular(const Workspace& workspace,
                               const ResolvedPath& path);

// Reads from the start to the end of the file, `limit` bytes at most: a file
// that is longer, or grows past it, is an error that names the limit. Sizes
// told by stat are only hints (0 in /proc, 4096 in /sys).
Outcome<std::string> read_whole(const OpenFile& file, const ResolvedPath& path,
                                std::size_t limit);

// One pread that retries EINTR; -1 and errno as the system says.
ssize_t read_at(int fd, char* buffer, std::size_t size, std::uint64_t offset);

// "README.md cannot be read: Input/output error."
CallError read_error(const ResolvedPath& path, int number);

}  // namespace toolhost
