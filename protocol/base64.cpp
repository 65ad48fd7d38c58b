#include "protocol/base64.hpp"

#include <nettle/base64.h>

#include <algorithm>

namespace toolhost {
namespace {

std::string encode(base64_encode_ctx& context, std::string_view bytes) {
  std::string out(
      BASE64_ENCODE_LENGTH(bytes.size()) + BASE64_ENCODE_FINAL_LENGTH, '\0');
  std::size_t size =
      base64_encode_update(&context, out.data(), bytes.size(),
                           reinterpret_cast<const std::uint8_t*>(bytes.data()));
  size += base64_encode_final(&context, out.data() + size);
  out.resize(size);
  return out;
}

std::optional<std::string> decode(base64_decode_ctx& context,
                                  std::string_view text) {
  // nettle skips white space; text that is cut or folded is not ours.
  if (std::any_of(text.begin(), text.end(),
                  [](unsigned char c) { return c <= ' '; })) {
    return std::nullopt;
  }
  std::string out(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t size = out.size();
  if (!base64_decode_update(&context, &size,
                            reinterpret_cast<std::uint8_t*>(out.data()),
                            text.size(), text.data()) ||
      !base64_decode_final(&context)) {
    return std::nullopt;
  }
  out.resize(size);
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  base64_encode_ctx context;
  base64_encode_init(&context);
  return encode(context, bytes);
}

std::optional<std::string> from_base64(std::string_view text) {
  base64_decode_ctx context;
  base64_decode_init(&context);
  return decode(context, text);
}

std::string base64url(std::string_view bytes) {
  base64_encode_ctx context;
  base64url_encode_init(&context);
  std::string out = encode(context, bytes);
  out.resize(out.size() -
             static_cast<std::size_t>(std::count(out.begin(), out.end(), '=')));
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.find('=') != std::string_view::npos) return std::nullopt;
  base64_decode_ctx context;
  base64url_decode_init(&context);
  std::string padded(text);
  padded.append((4 - text.size() % 4) % 4, '=');
  return decode(context, padded);
}

}  // namespace toolhost
