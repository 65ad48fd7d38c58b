#include "providers/support/file_metadata.hpp"

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

namespace toolhost {
namespace {

constexpr std::string_view kAcl = "system.posix_acl_access";

// The kernel's limits: XATTR_LIST_MAX and XATTR_SIZE_MAX.
constexpr std::size_t kListBytes = 64 * 1024;
constexpr std::size_t kValueBytes = 64 * 1024;

bool list_names(int fd, std::vector<std::string>& names) {
  std::string list(kListBytes, '\0');
  const ssize_t size = flistxattr(fd, list.data(), list.size());
  if (size < 0) return errno == ENOTSUP;
  for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
    names.emplace_back(list.c_str() + at);
    at += names.back().size() + 1;
  }
  return true;
}

bool copy_one(int from, int to, const std::string& name) {
  std::string value(kValueBytes, '\0');
  const ssize_t size =
      fgetxattr(from, name.c_str(), value.data(), value.size());
  if (size < 0) return errno == ENODATA;
  const auto used = static_cast<std::size_t>(size);
  std::string present(kValueBytes, '\0');
  const ssize_t has =
      fgetxattr(to, name.c_str(), present.data(), present.size());
  // A label that the system sets on every new file is often the same.
  if (has == size && value.compare(0, used, present, 0, used) == 0) {
    return true;
  }
  return fsetxattr(to, name.c_str(), value.data(), used, 0) == 0;
}

std::string keep_owner(const struct stat& status, int to) {
  struct stat now {};
  if (fstat(to, &now) != 0) return "its owner";
  if (now.st_uid == status.st_uid && now.st_gid == status.st_gid) return {};
  if (fchown(to, status.st_uid, status.st_gid) != 0) return "its owner";
  return {};
}

}  // namespace

std::string copy_metadata(int from, const struct stat& status, int to,
                          const SystemCalls& calls) {
  // Owner first: a change of owner drops set-id bits and capabilities.
  if (auto lost = keep_owner(status, to); !lost.empty()) return lost;
  std::vector<std::string> names;
  if (!list_names(from, names)) return "its extended attributes";
  for (const std::string& name : names) {
    if (copy_one(from, to, name)) continue;
    return name == kAcl ? "its ACL" : "its attribute " + name;
  }
  // The folder's default ACL gave the new file one that the old one lacks.
  const bool has_acl =
      std::find(names.begin(), names.end(), kAcl) != names.end();
  if (!has_acl && fremovexattr(to, kAcl.data()) != 0 && errno != ENODATA &&
      errno != ENOTSUP) {
    return "its ACL";
  }
  if (calls.fchmod(to, status.st_mode & 07777) != 0) return "its mode";
  struct stat now {};
  const bool same = fstat(to, &now) == 0 && now.st_mode == status.st_mode;
  return same ? "" : "its mode";
}

}  // namespace toolhost
