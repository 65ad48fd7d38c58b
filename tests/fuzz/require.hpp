// The one check of the fuzz targets: it says what broke and stops the run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace toolhost::fuzz {

inline void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()),
               what.data());
  std::abort();
}

}  // namespace toolhost::fuzz
