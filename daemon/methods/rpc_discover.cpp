#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {

// protocol/openrpc.json, made part of the binary by the build.
extern const std::string_view kOpenRpc;

namespace {

// In one line: a frame may not hold line feeds.
std::string one_line() {
  boost::system::error_code ec;
  const json::value document = json::parse(kOpenRpc, ec);
  return ec ? std::string("{}") : json_text(document);
}

Result<std::string> discover(Daemon&, Connection&, const json::object&) {
  static const std::string text = one_line();
  return text;
}

}  // namespace

const MethodDefinition rpc_discover_method{
    .name = "rpc.discover", .before_initialize = true, .now = discover};

}  // namespace toolhost
