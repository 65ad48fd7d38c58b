// Where the sources are that this test was built from.
#pragma once

#include <filesystem>

namespace toolhost::testing {

// Absolute. Not from __FILE__: a compiler cache makes that relative.
std::filesystem::path source_tree();

}  // namespace toolhost::testing
