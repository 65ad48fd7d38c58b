// Reading the members of a JSON object, with the member's path in every error.
//
//   Fields in(params, "params");
//   auto name = in.required_string("name");
//   auto limit = in.optional_int("limit", 1, 1000);
//   if (auto error = in.error()) return *error;
//
// The first fault is kept; later reads return defaults, so that a decoder is a
// list of reads and one check. Unknown members are ignored (protocol rule).
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/error.hpp"

namespace toolhost {

class Fields {
 public:
  // `object` has to outlive the reader; `path` names it in messages.
  Fields(const json::object& object, std::string path);

  std::string required_string(std::string_view name);
  std::optional<std::string> optional_string(std::string_view name);
  std::optional<bool> optional_bool(std::string_view name);
  std::optional<std::int64_t> optional_int(std::string_view name,
                                           std::int64_t low, std::int64_t high);
  // null when absent; a member of another type is a fault.
  const json::object* optional_object(std::string_view name);
  const json::array* optional_array(std::string_view name);
  // Absent and null are nullopt; otherwise every item has to be a string.
  std::optional<std::vector<std::string>> optional_strings(
      std::string_view name);
  // One of `allowed`, or a fault that lists them.
  std::optional<std::string> optional_choice(
      std::string_view name, std::span<const std::string_view> allowed);

  // Records a fault of the caller's own; the first one wins.
  void fail(std::string_view name, std::string what);
  const std::optional<Error>& error() const { return error_; }

 private:
  const json::value* find(std::string_view name) const;
  void wrong_type(std::string_view name, std::string_view expected,
                  const json::value& got);

  const json::object& object_;
  std::string path_;
  std::optional<Error> error_;
};

// "a string", "a number", … for messages.
std::string_view type_name(const json::value& value);

}  // namespace toolhost
