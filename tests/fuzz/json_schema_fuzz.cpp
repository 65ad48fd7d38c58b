// The input is a schema, a line feed, and an instance. Nothing may crash, hang
// or leave the limits, and the same question has the same answer.
#include <algorithm>
#include <string>

#include "protocol/json_schema.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using toolhost::JsonSchema;
using toolhost::fuzz::require;

std::optional<boost::json::value> parsed(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = 300;
  boost::system::error_code error;
  auto value = boost::json::parse(text, error, {}, options);
  if (error) return std::nullopt;
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data,
                                      std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), size);
  const auto source = parsed(input.substr(0, end));
  if (!source) return 0;
  const auto schema = JsonSchema::compile(*source);
  if (!schema) {
    require(!schema.error().message.empty(), "a refusal without a reason");
    return 0;
  }
  auto instance = parsed(input.substr(std::min(end + 1, size)));
  if (!instance) instance = source;
  const auto faults = (*schema)->validate(*instance);
  require(faults.size() <= JsonSchema::kMaxFaults, "too many faults");
  const auto again = (*schema)->validate(*instance);
  require(faults.size() == again.size(), "another answer");
  for (std::size_t i = 0; i < faults.size(); ++i) {
    require(!faults[i].message.empty(), "a fault without a message");
    require(toolhost::is_utf8(faults[i].message), "a message that is no UTF-8");
    require(faults[i].message.size() < 4000, "a message that is too long");
  }
  if (instance->is_object()) {
    (*schema)->add_defaults(instance->get_object());
  }
  return 0;
}
