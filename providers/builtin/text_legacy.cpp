#include "providers/builtin/text_legacy.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "protocol/text.hpp"
#include "providers/builtin/text_utf16.hpp"

namespace toolhost::builtin {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

// 0x80 to 0x9F of windows-1252; zero: not assigned.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
    0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool is_c1(unsigned byte) { return byte >= 0x80 && byte < 0xA0; }

std::optional<std::string> decode_western(std::string_view bytes,
                                          bool windows) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    char32_t code = byte_at(bytes, at);
    if (is_c1(static_cast<unsigned>(code)) && windows) {
      code = kWindows1252[code - 0x80];
      if (code == 0) return std::nullopt;
    }
    append_utf8(out, code);
  }
  return out;
}

std::optional<std::string> encode_western(std::string_view text, bool windows) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return std::nullopt;
    char32_t code = code_point(text.substr(0, length));
    text.remove_prefix(length);
    const bool same = code < 0x80 || (code >= 0xA0 && code < 0x100) ||
                      (code < 0x100 && !windows);
    if (!same) {
      if (!windows) return std::nullopt;
      const auto* found =
          code < 0x100 ? kWindows1252.end()
                       : std::find(kWindows1252.begin(), kWindows1252.end(),
                                   static_cast<char16_t>(code));
      if (code > 0xFFFF || found == kWindows1252.end()) return std::nullopt;
      code = 0x80 + static_cast<char32_t>(found - kWindows1252.begin());
    }
    out += static_cast<char>(static_cast<unsigned char>(code));
  }
  return out;
}

// The conversion of libc, closed in the end; strict: no transliteration.
std::optional<std::string> convert(std::string_view in, const char* to,
                                   const char* from) {
  const iconv_t handle = iconv_open(to, from);
  // Some installations come without the tables; then nothing is recognised.
  if (handle == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  std::string out(in.size() * 2 + 16, '\0');
  // iconv() reads through a pointer to plain char for historical reasons.
  char* source = const_cast<char*>(in.data());
  std::size_t left = in.size();
  char* target = out.data();
  std::size_t room = out.size();
  bool whole = true;
  while (left > 0) {
    if (iconv(handle, &source, &left, &target, &room) != std::size_t(-1)) break;
    if (errno != E2BIG) {
      whole = false;
      break;
    }
    const auto used = static_cast<std::size_t>(target - out.data());
    out.resize(out.size() * 2);
    target = out.data() + used;
    room = out.size() - used;
  }
  out.resize(static_cast<std::size_t>(target - out.data()));
  iconv_close(handle);
  if (!whole || left > 0) return std::nullopt;
  return out;
}

const char* charset(Encoding encoding) {
  return encoding == Encoding::gbk ? "GBK" : "GB18030";
}

bool survives(std::string_view text, Encoding encoding) {
  const auto decoded = decode_legacy(text, encoding);
  if (!decoded) return false;
  const auto again = encode_legacy(*decoded, encoding);
  return again && *again == text;
}

// Valid sequences of several bytes against bytes that belong to none.
bool damaged_utf8(std::string_view text) {
  std::size_t valid = 0;
  std::size_t bad = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length > 1) ++valid;
    if (length == 0) ++bad;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return valid >= bad;
}

bool is_letter(unsigned byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

// What tells Chinese text from other text whose bytes pair up by accident.
struct GbkShape {
  bool pairs_up = true;  // every high byte leads or follows as GBK has it
  bool four_bytes = false;
  std::size_t pairs = 0;
  std::size_t common = 0;  // of GB 2312: nearly all of real text is
  std::size_t late = 0;    // characters that Korean text has no bytes for
  std::size_t kana = 0;    // what Japanese text is full of
  std::size_t runs = 0;
  std::size_t embedded = 0;  // one pair within a word: an accent, or two
};

void count_pair(GbkShape& shape, unsigned lead, unsigned trail) {
  ++shape.pairs;
  if (trail < 0xA1) return;
  if ((lead >= 0xA1 && lead <= 0xA3) || (lead >= 0xB0 && lead <= 0xF7)) {
    ++shape.common;
  }
  if (lead >= 0xC9) ++shape.late;
  if (lead == 0xA4 || lead == 0xA5) ++shape.kana;
}

GbkShape gbk_shape(std::string_view text) {
  GbkShape out;
  std::size_t at = 0;
  while (at < text.size()) {
    if (byte_at(text, at) < 0x80) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (byte_at(text, at) >= 0x80) {
      const unsigned lead = byte_at(text, at);
      const unsigned trail = byte_at(text, at + 1);
      const bool four = trail >= 0x30 && trail <= 0x39;
      const bool two = trail >= 0x40 && trail != 0x7F && trail != 0xFF;
      if (lead < 0x81 || lead == 0xFF || (!four && !two)) {
        out.pairs_up = false;
        return out;
      }
      out.four_bytes = out.four_bytes || four;
      if (two) count_pair(out, lead, trail);
      at += four ? 4 : 2;
    }
    ++out.runs;
    const bool inside = begin > 0 && is_letter(byte_at(text, begin - 1)) &&
                        is_letter(byte_at(text, at));
    if (inside && at - begin == 2) ++out.embedded;
  }
  return out;
}

bool looks_chinese(const GbkShape& shape) {
  constexpr std::size_t kEnoughToJudge = 8;
  if (!shape.pairs_up || shape.pairs == 0) return false;
  if (shape.common * 10 < shape.pairs * 9 && !shape.four_bytes) return false;
  if (shape.pairs >= kEnoughToJudge && shape.late == 0) return false;
  if (shape.kana * 5 > shape.pairs) return false;
  return shape.embedded * 2 <= shape.runs;
}

// Accents stand alone or in twos; long rows of high bytes are other scripts.
bool looks_western(std::string_view text) {
  constexpr std::size_t kLongRow = 3;
  std::size_t all = 0;
  std::size_t in_rows = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (byte_at(text, at) >= 0x80) ++at;
    const std::size_t row = at - begin;
    all += row;
    if (row >= kLongRow) in_rows += row;
    if (row == 0) ++at;
  }
  return in_rows * 2 <= all;
}

}  // namespace

std::optional<std::string> decode_legacy(std::string_view bytes,
                                         Encoding encoding) {
  if (encoding == Encoding::latin1) return decode_western(bytes, false);
  if (encoding == Encoding::windows1252) return decode_western(bytes, true);
  return convert(bytes, "UTF-8", charset(encoding));
}

std::optional<std::string> encode_legacy(std::string_view text,
                                         Encoding encoding) {
  if (encoding == Encoding::latin1) return encode_western(text, false);
  if (encoding == Encoding::windows1252) return encode_western(text, true);
  return convert(text, charset(encoding), "UTF-8");
}

Encoding guess_legacy(std::string_view text) {
  if (damaged_utf8(text)) return Encoding::utf8;
  const GbkShape shape = gbk_shape(text);
  if (looks_chinese(shape)) {
    const Encoding chinese =
        shape.four_bytes ? Encoding::gb18030 : Encoding::gbk;
    if (survives(text, chinese)) return chinese;
  }
  if (!looks_western(text)) return Encoding::unknown;
  const bool c1 = std::any_of(text.begin(), text.end(), [](char c) {
    return is_c1(static_cast<unsigned char>(c));
  });
  const Encoding western = c1 ? Encoding::windows1252 : Encoding::latin1;
  return survives(text, western) ? western : Encoding::unknown;
}

}  // namespace toolhost::builtin
