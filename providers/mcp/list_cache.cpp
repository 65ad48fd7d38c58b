#include "providers/mcp/list_cache.hpp"

#include <filesystem>

#include "protocol/digest.hpp"
#include "protocol/json_text.hpp"
#include "providers/mcp/wire.hpp"
#include "providers/support/log.hpp"
#include "providers/support/private_file.hpp"

namespace toolhost::mcp {
namespace {

// Another shape of the file is another name.
constexpr int kShape = 1;

}  // namespace

// Names of variables only: no digest of a secret leaves the process.
std::string ListCache::file_of(const config::McpServer& server) const {
  json::object who;
  who["shape"] = kShape;
  who["name"] = server.name;
  who["command"] = server.command;
  who["args"] = json::value_from(server.args);
  who["cwd"] = server.cwd;
  json::array names;
  for (const auto& variable : server.env) names.emplace_back(variable.first);
  who["env"] = std::move(names);
  constexpr std::size_t kPrefix = 7;  // "sha256:"
  return folder_ + "/" + json_digest(who).substr(kPrefix, 32) + ".json";
}

std::optional<json::array> ListCache::read(
    const config::McpServer& server) const {
  if (folder_.empty()) return std::nullopt;
  const auto text = read_private_file(file_of(server), kMaxBytes);
  if (!text || text->empty()) return std::nullopt;
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kMaxNesting;
  json::value value = json::parse(*text, error, {}, options);
  if (error || !value.is_array()) return std::nullopt;
  return std::move(value.get_array());
}

void ListCache::write(const config::McpServer& server,
                      const json::array& entries) const {
  if (folder_.empty()) return;
  const std::string text = json_text(json::value(entries));
  if (text.size() > kMaxBytes) return;
  std::error_code ec;
  std::filesystem::create_directories(folder_, ec);
  const auto written = replace_private_file(file_of(server), text);
  if (!written) {
    log_warn("a list of tools was not kept provider=mcp:" + server.name +
             " error=" + written.error().message);
  }
}

}  // namespace toolhost::mcp
