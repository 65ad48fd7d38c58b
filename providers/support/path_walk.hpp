// Where a path leads: folding by text, and following links on disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost {

// The longest path, before and after links are followed (PATH_MAX).
inline constexpr std::size_t kMaxPathBytes = 4096;
// Links followed in one path, as the kernel does (MAXSYMLINKS).
inline constexpr int kMaxLinkHops = 40;

// Appends the components of `path` to `base` (absolute, folded): "." and empty
// ones go away, ".." takes the one before it; nothing leads above "/".
std::string fold_path(std::string base, std::string_view path);

// Follows every link of `lexical` (absolute, folded). Components that do not
// exist are kept as they are, and so is where a dangling link points.
struct PhysicalPath {
  std::string path;
  bool exists = false;
};
Outcome<PhysicalPath> follow_links(const std::string& lexical);

}  // namespace toolhost
