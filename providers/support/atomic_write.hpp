// Writing a file so that it is wholly old or wholly new.
//
// The new bytes go to an unnamed file in the same directory (O_TMPFILE; a
// random hidden name where the file system lacks that), are synced, get the
// mode, owner, ACL and xattrs of the old file, and take its name by rename.
//
// Where that would lose something (other hard links, an owner or ACL that we
// may not set, a directory that we may not write, a mount point) the bytes are
// written into the file itself: room is reserved first and the old bytes are
// put back on an error, but a kill or power cut in the middle leaves a mix.
// The report says so. A link is never replaced: the path is physical.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "providers/support/system_calls.hpp"
#include "providers/support/workspace.hpp"

namespace toolhost {

struct WriteOptions {
  // The name must not be taken.
  bool create_only = false;
  // What must be there now; zero and empty: anything.
  dev_t device = 0;
  ino_t inode = 0;
  std::string revision;
  const SystemCalls* calls = &kSystemCalls;
};

struct WriteReport {
  bool created = false;
  bool in_place = false;
  std::string reason;   // why in place: "it has 2 hard links"
  std::string warning;  // written, but its directory could not be synced
  std::string revision;
  struct stat status {};
};

// Missing directories are created below the root. Errors: pathBlocked when
// what is there is not what was expected, toolFailed for the system's.
Outcome<WriteReport> write_atomically(const Workspace& workspace,
                                      const ResolvedPath& path,
                                      std::string_view bytes,
                                      const WriteOptions& options);

}  // namespace toolhost
