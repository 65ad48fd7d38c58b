#include "providers/builtin/base64.hpp"

#include <cstdint>

namespace toolhost::builtin {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U;
    };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    *to++ = kDigits[group >> 18];
    *to++ = kDigits[group >> 12 & 63];
    if (left > 1) *to = kDigits[group >> 6 & 63];
    ++to;
    if (left > 2) *to = kDigits[group & 63];
    ++to;
  }
  return out;
}

}  // namespace toolhost::builtin
