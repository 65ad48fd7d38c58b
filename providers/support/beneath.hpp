// Opening a path below a descriptor without following any link.
//
// `path` is relative and has no "." or ".." components ("." alone names the
// descriptor itself). A component that is a symbolic link, also the last one,
// makes the open fail with ELOOP; nothing outside the descriptor can be
// reached, however fast somebody renames.
#pragma once

#include <sys/types.h>

#include <string>

#include "providers/support/unique_fd.hpp"

namespace toolhost {

// openat2(2), or open_stepwise() where the kernel or a seccomp filter does not
// have it. O_CLOEXEC is added. An empty result leaves the reason in errno.
UniqueFd open_beneath(int directory, const std::string& path, int flags,
                      mode_t mode = 0);

// The same with one openat(2) for each component; for kernels before 5.6.
UniqueFd open_stepwise(int directory, const std::string& path, int flags,
                       mode_t mode = 0);

// Opens the directory `path` below `directory` (O_PATH); missing components
// are created with mode 0777 and the umask.
UniqueFd make_directories(int directory, const std::string& path);

}  // namespace toolhost
