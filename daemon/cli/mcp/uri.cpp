// URIs: files that clients name, and kept output that we do.
#include <charconv>

#include "daemon/cli/json_read.hpp"
#include "daemon/cli/mcp/mapping.hpp"
#include "protocol/ids.hpp"

namespace toolhost::cli::mcp {
namespace {

constexpr std::string_view kOutput = "toolhost://output/";
constexpr std::string_view kOffset = "?offset=";
constexpr std::string_view kFile = "file://";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Empty when an escape is broken or names the byte 0.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return {};
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || high * 16 + low == 0) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

std::string path_of_file_uri(std::string_view uri) {
  if (!uri.starts_with(kFile)) return {};
  uri.remove_prefix(kFile.size());
  const std::size_t slash = uri.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view host = uri.substr(0, slash);
  // A folder of another machine is none of ours.
  if (!host.empty() && host != "localhost") return {};
  return percent_decoded(uri.substr(slash, uri.find_first_of("?#") - slash));
}

std::string output_uri(std::string_view artifact, std::int64_t offset) {
  std::string out = std::string(kOutput) + std::string(artifact);
  if (offset > 0) out += std::string(kOffset) + std::to_string(offset);
  return out;
}

std::optional<OutputUri> parse_output_uri(std::string_view uri) {
  if (!uri.starts_with(kOutput)) return std::nullopt;
  uri.remove_prefix(kOutput.size());
  OutputUri out;
  const std::size_t query = uri.find('?');
  out.artifact = uri.substr(0, query);
  if (!is_id(out.artifact, "art_")) return std::nullopt;
  if (query == std::string_view::npos) return out;
  uri.remove_prefix(query);
  if (!uri.starts_with(kOffset)) return std::nullopt;
  uri.remove_prefix(kOffset.size());
  const auto [end, error] =
      std::from_chars(uri.data(), uri.data() + uri.size(), out.offset);
  if (error != std::errc() || end != uri.data() + uri.size() ||
      out.offset < 0) {
    return std::nullopt;
  }
  return out;
}

json::object output_contents(const json::object& window, const OutputUri& asked,
                             const std::string& uri, const Era& era) {
  json::object contents;
  contents["uri"] = uri;
  if (const json::value* bytes = window.if_contains("base64")) {
    contents["mimeType"] = "application/octet-stream";
    contents["blob"] = *bytes;
  } else {
    contents["mimeType"] = "text/plain";
    contents["text"] = text_at(window, "text");
  }
  json::object out;
  out["contents"] = json::array{std::move(contents)};
  json::object note;
  if (const auto total = int_at(window, "totalBytes")) {
    note["toolhost/totalBytes"] = *total;
  }
  const auto next = int_at(window, "nextOffset");
  if (!bool_at(window, "eof", true) && next) {
    note["toolhost/nextUri"] = output_uri(asked.artifact, *next);
  }
  out["_meta"] = std::move(note);
  // Kept output grows while its call runs.
  return finished_list(std::move(out), 0, era);
}

}  // namespace toolhost::cli::mcp
