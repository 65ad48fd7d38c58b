// What a file is, told by its first bytes: an image, or some other binary.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace toolhost::builtin {

struct ImageHeader {
  std::string_view mime_type;
  // Zero when the header does not say (cut or broken).
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// PNG, JPEG, GIF and WebP; nothing is decoded.
std::optional<ImageHeader> image_header(std::string_view head);

// "an ELF program", "a PDF document", …; empty: not recognised.
std::string_view binary_signature(std::string_view head);

}  // namespace toolhost::builtin
