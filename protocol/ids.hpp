// Opaque ids with a readable prefix: call_, appr_, rule_, sub_, conn_, sess_,
// art_. Random from the kernel; a reader must not parse them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolhost {

// `prefix` + 26 characters of [a-z2-7]: 130 bits.
std::string random_id(std::string_view prefix);

// True for prefix + 16..80 characters of [A-Za-z0-9_-].
bool is_id(std::string_view id, std::string_view prefix);

}  // namespace toolhost
