// SHA-256, over bytes and over the canonical form of JSON.
#pragma once

#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace toolhost {

// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

// "sha256:" + hex over canonical_json(value): key order never changes it.
std::string json_digest(const boost::json::value& value);

}  // namespace toolhost
