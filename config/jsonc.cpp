#include "config/jsonc.hpp"

#include <algorithm>

#include "config/key_scan.hpp"
#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

// Deeper than any configuration; bounds the parser's stack.
constexpr std::size_t kMaxDepth = 32;
constexpr std::string_view kBom = "\xef\xbb\xbf";

Error invalid(std::string_view text, std::size_t offset,
              const std::string& file, const std::string& what,
              std::string hint) {
  const Position at = position_at(text, offset);
  Error error = make_error(Code::config_invalid, place(file, at) + ": " + what,
                           std::move(hint));
  error.details["file"] = file;
  error.details["line"] = at.line;
  error.details["column"] = at.column;
  return error;
}

// The line's text from the fault on, for people without the file at hand.
std::string near(std::string_view text, std::size_t offset) {
  std::string_view rest = text.substr(std::min(offset, text.size()));
  rest = rest.substr(0, std::min(rest.find('\n'), rest.size()));
  if (rest.empty()) return " at the end of the line";
  return " near \"" + display_text(utf8_prefix(to_utf8(rest), 40)) + "\"";
}

Error syntax(std::string_view text, std::size_t offset, const std::string& file,
             const json::error_code& ec) {
  if (ec == json::error::incomplete) {
    return invalid(text, text.size(), file,
                   "the text ends before the JSON is complete",
                   "An empty configuration is {}.");
  }
  return invalid(text, offset, file, ec.message() + near(text, offset),
                 "JSON with // comments and trailing commas is expected.");
}

std::optional<Error> repeated_key(std::string_view text,
                                  const std::string& file) {
  std::optional<Error> error;
  KeyScan scan(text, [&](const KeyScan::Seen& seen) {
    if (!seen.repeated) return true;
    error =
        invalid(text, seen.offset, file,
                "the key \"" + display_text(utf8_prefix(seen.path.back(), 80)) +
                    "\" is written twice in one object",
                "Merge the two; one of them would be ignored.");
    return false;
  });
  scan.run();
  return error;
}

}  // namespace

Position position_at(std::string_view text, std::size_t offset) {
  Position out;
  for (const char c : text.substr(0, std::min(offset, text.size()))) {
    if (c == '\n') {
      ++out.line;
      out.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) {
      ++out.column;
    }
  }
  return out;
}

std::string place(const std::string& file, Position position) {
  return file + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

Result<json::value> parse_jsonc(std::string_view text,
                                const std::string& file) {
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  json::parse_options options;
  options.max_depth = kMaxDepth;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  json::parser parser({}, options);
  json::error_code ec;
  // Boost 1.81 answers a wild count when a leading comment does not end.
  const std::size_t used =
      std::min(parser.write_some(text.data(), text.size(), ec), text.size());
  if (ec) return syntax(text, used, file, ec);
  if (used < text.size()) {
    return invalid(
        text, used, file,
        "there is more behind the end of the JSON" + near(text, used),
        "One value is expected; is a brace closed too early?");
  }
  if (auto error = repeated_key(text, file)) return *std::move(error);
  return parser.release();
}

Position find_key(std::string_view text, const std::vector<std::string>& path) {
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  std::size_t best = text.find('{');
  std::size_t depth = 0;
  KeyScan scan(text, [&](const KeyScan::Seen& seen) {
    const std::size_t length = seen.path.size();
    if (length > depth && length <= path.size() &&
        std::equal(seen.path.begin(), seen.path.end(), path.begin())) {
      best = seen.offset;
      depth = length;
    }
    return depth < path.size();
  });
  scan.run();
  return position_at(text, best);
}

}  // namespace toolhost::config
