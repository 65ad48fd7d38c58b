#include "tests/support/source_tree.hpp"

namespace toolhost::testing {

std::filesystem::path source_tree() { return TOOLHOST_SOURCE_DIR; }

}  // namespace toolhost::testing
