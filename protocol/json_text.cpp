#include "protocol/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "protocol/text.hpp"

namespace toolhost {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Length of the leading run that needs no escaping: printable ASCII without
// quote and backslash.
std::size_t plain_run(std::string_view text) {
  std::size_t at = 0;
#if defined(__SSE2__)
  const __m128i space = _mm_set1_epi8(0x20);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i slash = _mm_set1_epi8('\\');
  while (at + 16 <= text.size()) {
    const __m128i block =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // Signed compare: bytes >= 0x80 count as less than a space, too.
    const __m128i bad =
        _mm_or_si128(_mm_cmplt_epi8(block, space),
                     _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                                  _mm_cmpeq_epi8(block, slash)));
    const int mask = _mm_movemask_epi8(bad);
    if (mask != 0) {
      return at + static_cast<std::size_t>(
                      __builtin_ctz(static_cast<unsigned>(mask)));
    }
    at += 16;
  }
#endif
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
    ++at;
  }
  return at;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), end.ptr);
}

template <class Int>
void append_int(std::string& out, Int number) {
  std::array<char, 24> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), end.ptr);
}

void append_value(std::string& out, const json::value& value, bool sorted);

void append_member(std::string& out, const json::key_value_pair& member,
                   bool sorted) {
  append_json_string(out, member.key());
  out += ':';
  append_value(out, member.value(), sorted);
}

void append_object(std::string& out, const json::object& object, bool sorted) {
  out += '{';
  bool first = true;
  if (sorted) {
    std::vector<const json::key_value_pair*> members;
    members.reserve(object.size());
    for (const auto& member : object) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](auto* a, auto* b) { return a->key() < b->key(); });
    for (const auto* member : members) {
      if (!std::exchange(first, false)) out += ',';
      append_member(out, *member, sorted);
    }
  } else {
    for (const auto& member : object) {
      if (!std::exchange(first, false)) out += ',';
      append_member(out, member, sorted);
    }
  }
  out += '}';
}

void append_value(std::string& out, const json::value& value, bool sorted) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::int64:
      return append_int(out, value.get_int64());
    case json::kind::uint64:
      return append_int(out, value.get_uint64());
    case json::kind::double_:
      return append_double(out, value.get_double());
    case json::kind::string:
      append_json_string(out, value.get_string());
      return;
    case json::kind::array: {
      out += '[';
      bool first = true;
      for (const json::value& item : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        append_value(out, item, sorted);
      }
      out += ']';
      return;
    }
    case json::kind::object:
      return append_object(out, value.get_object(), sorted);
  }
}

}  // namespace

std::size_t append_json_string(std::string& out, std::string_view text) {
  std::size_t replaced = 0;
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_run(text);
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      append_escaped(out, text.front());
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++replaced;
      text.remove_prefix(1);
    } else {
      out.append(text.data(), length);
      text.remove_prefix(length);
    }
  }
  out += '"';
  return replaced;
}

void append_json(std::string& out, const json::value& value) {
  append_value(out, value, false);
}

void append_json(std::string& out, const json::object& object) {
  append_object(out, object, false);
}

std::string json_text(const json::value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string json_text(const json::object& object) {
  std::string out;
  append_json(out, object);
  return out;
}

std::string canonical_json(const json::value& value) {
  std::string out;
  append_value(out, value, true);
  return out;
}

}  // namespace toolhost
