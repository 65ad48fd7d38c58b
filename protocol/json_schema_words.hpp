// The wording of faults: short, bounded, made for a model to act on.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json_schema_program.hpp"

namespace toolhost::schema {

// A JSON string literal of the text, cut after 60 bytes.
std::string literal(std::string_view text);

// A scalar as JSON, or "an array", "an object".
std::string short_value(const json::value& value);

// "a string", "an integer or null".
std::string type_words(Types types);

// "a, b or c".
std::string either(const std::vector<std::string>& words);

// `"a", "b", "c"`, cut after some twenty entries.
std::string name_list(const std::vector<std::string>& names);

// "3 characters", "1 item".
std::string counted(std::size_t count, std::string_view singular,
                    std::string_view plural);

// "must have at least 3 characters, not 2".
std::string wrong_count(std::size_t got, std::size_t least, std::size_t most,
                        std::string_view singular, std::string_view plural);

// "must be a string, not a number".
std::string wrong_type(Types types, const json::value& got);

// ` (a string: Absolute path of the file)`, or empty if nothing is known.
std::string about_property(const Node& node);

// Steps of finding the nearest of `candidates` names, in budget units.
std::size_t search_cost(std::string_view wanted, std::size_t candidates);

// `unknown property "pth"; did you mean "path"? Known: …`.
std::string unknown_property(std::string_view name, const ObjectRules& rules,
                             const json::object& object);

// `must be one of "a", "b", not "c"`.
std::string wrong_choice(const std::vector<const json::value*>& choices,
                         const json::value& got);

// "must be at least 1, not 0"; nullptr bounds do not count. Empty if it fits.
std::string wrong_number(const NumberRules& rules, const json::value& got);

// What `not` forbids, in words.
std::string forbidden(const Node& negated, const json::value& got);

}  // namespace toolhost::schema
