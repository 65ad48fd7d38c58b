// The two ways to put bytes into a file; atomic_write.cpp chooses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/error.hpp"
#include "providers/support/system_calls.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

// pwrite until everything is written; false leaves the reason in errno. A
// write of no bytes is taken for a full disk, never repeated for ever.
bool write_fully(const SystemCalls& calls, int fd, std::string_view bytes);

// A file being written beside its final name: without a name where the file
// system can do that, hidden and random otherwise. Whatever happens, its
// destructor leaves no name behind.
class TemporaryFile {
 public:
  TemporaryFile(const SystemCalls& calls, int directory)
      : calls_(calls), directory_(directory) {}
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile();

  // `mode` is subject to the umask (and to a default ACL). All return false
  // with the reason in errno.
  bool create(mode_t mode);
  bool fill(std::string_view bytes);  // written, size checked, synced
  // Takes a name that must be free (EEXIST).
  bool publish_new(const std::string& name);
  // Takes the name of what is there. prepare_replace() gives the file a name
  // of its own, so that only the rename itself is left.
  bool prepare_replace();
  bool replace(const std::string& name);

  int fd() const { return fd_.get(); }

 private:
  bool create_named(mode_t mode);
  bool link_as(const std::string& name);

  const SystemCalls& calls_;
  int directory_;
  UniqueFd fd_;
  std::string name_;  // empty: it has none
};

// Writes into the open file: reserves room, overwrites, cuts to length, syncs.
// On an error the old bytes (at most kMaxRestored) are put back; the result
// says what failed and whether the file is as it was.
inline constexpr std::size_t kMaxRestored = 16U << 20;
std::optional<std::string> overwrite(const SystemCalls& calls, int fd,
                                     std::string_view bytes);

}  // namespace toolhost
