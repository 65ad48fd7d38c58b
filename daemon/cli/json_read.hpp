// Reading what the daemon sent, leniently: a member that is missing or of
// another type reads as empty, because a newer daemon may say more or less.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace toolhost::cli {

namespace json = boost::json;

// The raw text, not yet safe to show. Numbers and booleans are printed.
std::string text_at(const json::object& object, std::string_view key);
// The first of the keys that is there.
std::string text_at(const json::object& object,
                    std::initializer_list<std::string_view> keys);
std::optional<std::int64_t> int_at(const json::object& object,
                                   std::string_view key);
bool bool_at(const json::object& object, std::string_view key,
             bool otherwise = false);
// An empty one when there is none.
const json::object& object_at(const json::object& object, std::string_view key);
const json::array& array_at(const json::object& object, std::string_view key);

// Indented JSON for a person; strings stay escaped as on the wire.
std::string pretty_json(const json::value& value, int indent = 0);

}  // namespace toolhost::cli
