#include "providers/builtin/search_cursor.hpp"

#include <array>

#include "protocol/base64.hpp"
#include "protocol/digest.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::builtin {
namespace {

// A path of PATH_MAX, twice in base64, and the rest.
constexpr std::size_t kMaxCursorBytes = 16 * 1024;
// Enough to tell queries apart; a cursor gives no right to anything.
constexpr std::size_t kDigestCharacters = 24;

CallError refuse(std::string message) {
  return make_call_error(
      CallErrorKind::invalid_arguments, std::move(message),
      "Leave the cursor out to start at the first page; to go on, repeat the "
      "call unchanged with the nextCursor of its result.");
}

// The members of a cursor, checked one by one.
std::optional<SearchCursor> from_members(const json::object& in) {
  const json::value* rank = in.if_contains("r");
  const json::value* line = in.if_contains("l");
  const json::value* shown = in.if_contains("n");
  const json::value* path = in.if_contains("p");
  if (!rank || !line || !shown || !path || !rank->is_int64() ||
      !line->is_int64() || !shown->is_int64() || !path->is_string()) {
    return std::nullopt;
  }
  const auto bytes = from_base64url(path->get_string());
  if (!bytes || line->get_int64() < 0 || shown->get_int64() < 0) {
    return std::nullopt;
  }
  SearchCursor out;
  out.after.rank = rank->get_int64();
  out.after.path = *bytes;
  out.after.line = static_cast<std::uint64_t>(line->get_int64());
  out.shown = static_cast<std::uint64_t>(shown->get_int64());
  return out;
}

}  // namespace

int compare_paths(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (a[i] == b[i]) continue;
    const int left = a[i] == '/' ? 0 : static_cast<unsigned char>(a[i]);
    const int right = b[i] == '/' ? 0 : static_cast<unsigned char>(b[i]);
    return left < right ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

bool operator<(const SearchKey& a, const SearchKey& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  const int order = compare_paths(a.path, b.path);
  if (order != 0) return order < 0;
  return a.line < b.line;
}

std::string query_digest(std::string_view tool, std::string_view root,
                         const json::object& arguments) {
  json::object query = arguments;
  query.erase("cursor");
  query.erase("limit");
  json::array bound;
  bound.emplace_back(json::string(tool));
  bound.emplace_back(json::string(root));
  bound.emplace_back(std::move(query));
  return sha256_hex(canonical_json(bound)).substr(0, kDigestCharacters);
}

std::string encode_cursor(const SearchCursor& cursor,
                          const std::string& digest) {
  json::object out;
  out["v"] = 1;
  out["q"] = digest;
  out["r"] = cursor.after.rank;
  // Names need not be UTF-8; JSON has to be.
  out["p"] = base64url(cursor.after.path);
  out["l"] = static_cast<std::int64_t>(cursor.after.line);
  out["n"] = static_cast<std::int64_t>(cursor.shown);
  return base64url(json_text(out));
}

Outcome<SearchCursor> decode_cursor(std::string_view text,
                                    const std::string& digest) {
  if (text.size() > kMaxCursorBytes) {
    return refuse("The cursor is too long; it is none of ours.");
  }
  const auto bytes = from_base64url(text);
  boost::system::error_code failed;
  json::value value;
  if (bytes) value = json::parse(*bytes, failed);
  const json::object* in = value.if_object();
  const json::value* query = in ? in->if_contains("q") : nullptr;
  if (!bytes || failed || !query || !query->is_string()) {
    return refuse("The cursor cannot be read; it was changed or cut.");
  }
  if (query->get_string() != digest) {
    return refuse(
        "The cursor belongs to another query: pattern, path or options "
        "differ from those of the call that returned it.");
  }
  const auto cursor = from_members(*in);
  if (!cursor) {
    return refuse("The cursor cannot be read; it was changed or cut.");
  }
  return *cursor;
}

}  // namespace toolhost::builtin
