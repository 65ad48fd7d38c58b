#include "protocol/digest.hpp"

#include <nettle/sha2.h>

#include <array>

#include "protocol/json_text.hpp"

namespace toolhost {

std::string sha256_hex(std::string_view bytes) {
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, bytes.size(),
                reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state, digest.size(), digest.data());
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string json_digest(const boost::json::value& value) {
  return "sha256:" + sha256_hex(canonical_json(value));
}

}  // namespace toolhost
