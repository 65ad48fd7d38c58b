// A frame is refused with a reply that is JSON, or it is understood and what
// was understood survives being written and read again.
#include <string>

#include "protocol/json_text.hpp"
#include "protocol/message.hpp"
#include "protocol/text.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using toolhost::fuzz::require;

void require_json(const std::string& text) {
  boost::system::error_code error;
  (void)boost::json::parse(text, error);
  require(!error && toolhost::is_utf8(text), "a reply that is no JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data,
                                      std::size_t size) {
  const std::string_view frame(reinterpret_cast<const char*>(data), size);
  require_json("[" +
               toolhost::json_text(boost::json::value(
                   boost::json::string_view(frame.data(), size))) +
               "]");
  const auto request = toolhost::parse_request(frame);
  if (!request) {
    require_json(
        toolhost::error_text(request.error().id, request.error().error));
    return 0;
  }
  const std::string id = request->is_notification() ? "1" : request->id;
  require_json(toolhost::reply_text(id, "{}"));
  const auto again = toolhost::parse_request(
      toolhost::request_text(id, request->method, request->params));
  require(again.has_value(), "a request that cannot be read again");
  require(again->id == id && again->method == request->method,
          "another id or method");
  require(toolhost::canonical_json(again->params) ==
              toolhost::canonical_json(request->params),
          "other params");
  return 0;
}
