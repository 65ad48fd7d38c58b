// Secrets that are known by their name: `password=…`, "api_key": "…", headers.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "gates/scrub/finder.hpp"
#include "gates/scrub/scrub.hpp"

namespace toolhost {
namespace scrubbing {
namespace {

constexpr std::size_t kLongestName = 64;
// Shorter values are switches and counters.
constexpr std::size_t kShortest = 6;

// Also at the end of a part: PGPASSWORD.
constexpr std::string_view kSecretParts[] = {
    "password",   "passwd",      "passphrase", "secret",
    "credential", "credentials", "apikey"};
constexpr std::string_view kSecretPairs[] = {"apikey", "privatekey",
                                             "accesskey", "secretkey"};
// What says that a token is a number of tokens, or a name of one.
constexpr std::string_view kHarmlessParts[] = {
    "max",    "min",    "count",  "limit",   "budget", "usage",
    "used",   "total",  "num",    "type",    "name",   "path",
    "file",   "url",    "uri",    "id",      "input",  "cached",
    "output", "length", "policy", "expires", "expiry"};

// Values that say where a secret is, not what it is.
constexpr std::string_view kPlaceholders[] = {
    "null",      "none",       "true",        "false", "undefined",
    "[redacted", "os.environ", "process.env", "env(",  "getenv",
    "string",    "required",   "optional"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool ends_secret(std::string_view part) {
  return std::any_of(
      std::begin(kSecretParts), std::end(kSecretParts),
      [&](std::string_view word) { return part.ends_with(word); });
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool is_placeholder(std::string_view value) {
  if (value.find_first_of("$<{%") == 0) return true;
  // A call or an index is code.
  if (value.find('(') != std::string_view::npos) return true;
  const std::string low = lowered(value);
  return std::any_of(
      std::begin(kPlaceholders), std::end(kPlaceholders),
      [&](std::string_view word) { return low.starts_with(word); });
}

// "a secret: GitHub" is prose.
bool is_prose(std::string_view value) {
  return value.size() < 16 &&
         std::none_of(value.begin(), value.end(),
                      [](char c) { return !is_upper(c) && !is_lower(c); });
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// A quote, alone or escaped as inside of a JSON string.
std::size_t skip_quote(std::string_view text, std::size_t at) {
  if (at + 1 < text.size() && text[at] == '\\' && is_quote(text[at + 1])) {
    return at + 2;
  }
  return at < text.size() && is_quote(text[at]) ? at + 1 : at;
}

std::size_t end_of_value(std::string_view text, std::size_t begin,
                         std::string_view quote) {
  if (!quote.empty()) {
    const std::size_t end = text.find(quote, begin);
    const std::size_t line = text.find('\n', begin);
    return std::min(std::min(end, line), text.size());
  }
  const std::size_t end = text.find_first_of(" \t\r\n,;&\"'`\\)]}<>|", begin);
  return std::min(end, text.size());
}

// The value behind name, separator and quotes; nullopt: none is given.
std::optional<Found> value_after(std::string_view text, std::size_t at) {
  at = skip_blanks(text, skip_quote(text, at));
  if (at >= text.size() || (text[at] != '=' && text[at] != ':')) {
    return std::nullopt;
  }
  const bool colon = text[at] == ':';
  ++at;
  if (at < text.size() && (text[at] == '=' || text[at] == ':')) {
    return std::nullopt;  // a comparison, a scope
  }
  if (at < text.size() && text[at] == '>') ++at;
  at = skip_blanks(text, at);
  const std::size_t begin = skip_quote(text, at);
  const std::size_t end =
      end_of_value(text, begin, text.substr(at, begin - at));
  const std::string_view value = text.substr(begin, end - begin);
  if (value.size() < kShortest || is_placeholder(value)) return std::nullopt;
  if (colon && begin == at && is_prose(value)) return std::nullopt;
  return Found{begin, end, "secret"};
}

std::optional<Found> named(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < kLongestName && is_word(text[begin - 1])) {
    --begin;
  }
  std::size_t end = at;
  while (end < text.size() && end - at < kLongestName && is_word(text[end])) {
    ++end;
  }
  if (!is_secret_name(text.substr(begin, end - begin))) return std::nullopt;
  return value_after(text, end);
}

// The rest of the line behind `Authorization:`, `Cookie:` and the like.
std::optional<Found> header(std::string_view text, std::size_t at) {
  std::size_t colon = at;
  while (colon < text.size() && is_word(text[colon])) ++colon;
  colon = skip_quote(text, colon);
  if (colon >= text.size() || text[colon] != ':') return std::nullopt;
  std::size_t begin = skip_blanks(text, colon + 1);
  begin = skip_quote(text, begin);
  const std::size_t end =
      std::min(text.find_first_of("\r\n\"'\\", begin), text.size());
  if (end - begin < kShortest ||
      is_placeholder(text.substr(begin, end - begin))) {
    return std::nullopt;
  }
  return Found{begin, end, "header"};
}

// Pieces of names whose first two letters are not met in every word.
constexpr Anchor kAnchors[] = {
    {"sword", true, named},         {"sswd", true, named},
    {"phrase", true, named},        {"cret", true, named},
    {"dential", true, named},       {"_key", true, named},
    {"-key", true, named},          {"ikey", true, named},
    {"ekey", true, named},          {"skey", true, named},
    {"tkey", true, named},          {"oken", true, named},
    {"uthorization", true, header}, {"x-api-key", true, header},
    {"cookie", true, header},
};

}  // namespace

std::span<const Anchor> name_anchors() { return kAnchors; }

}  // namespace scrubbing

// The parts of a name: at "_", "-" and where a small letter meets a capital.
bool is_secret_name(std::string_view name) {
  using namespace scrubbing;
  bool secret = false;
  std::string part;
  std::string before;
  const auto end_part = [&] {
    if (part.empty()) return false;
    if (contains(kHarmlessParts, part)) return true;
    secret = secret || part == "token" || ends_secret(part) ||
             contains(kSecretPairs, before + part);
    before = std::exchange(part, {});
    return false;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool hump = i > 0 && is_upper(c) && is_lower(name[i - 1]);
    if ((hump || !is_alnum(c)) && end_part()) return false;
    if (is_alnum(c)) part += lower(c);
  }
  return !end_part() && secret;
}

}  // namespace toolhost
