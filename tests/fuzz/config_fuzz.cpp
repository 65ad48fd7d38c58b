// Any bytes are a configuration or an error that says where it stands.
#include <string>

#include "config/load.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = toolhost::config::parse_config(text, "config.jsonc");
  if (!config) {
    toolhost::fuzz::require(!config.error().message.empty(),
                            "a refusal without a reason");
  }
  return 0;
}
