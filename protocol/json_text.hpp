// JSON text out of values and raw bytes, always valid UTF-8.
//
// Boost.JSON's serializer copies bad bytes and prints NaN; everything that
// leaves the daemon goes through here instead, so no file content, child
// output or error text can make an invalid frame.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace toolhost {

namespace json = boost::json;

// Appends `text` as a JSON string literal. Bytes that are not UTF-8 become
// U+FFFD; returns how many bytes were replaced.
std::size_t append_json_string(std::string& out, std::string_view text);

// Appends any value. NaN and infinities become null.
void append_json(std::string& out, const json::value& value);
void append_json(std::string& out, const json::object& object);

std::string json_text(const json::value& value);
std::string json_text(const json::object& object);

// Canonical form for digests: object keys sorted by code point, recursively.
std::string canonical_json(const json::value& value);

}  // namespace toolhost
