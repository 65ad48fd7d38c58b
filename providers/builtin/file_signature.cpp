#include "providers/builtin/file_signature.hpp"

#include <array>

namespace toolhost::builtin {
namespace {

using namespace std::string_view_literals;

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

std::uint32_t big(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | byte_at(bytes, at + i);
  }
  return value;
}

std::uint32_t little(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = value << 8 | byte_at(bytes, at + i - 1);
  }
  return value;
}

ImageHeader png(std::string_view head) {
  ImageHeader out{"image/png"};
  if (head.size() < 24 || head.substr(12, 4) != "IHDR") return out;
  out.width = big(head, 16, 4);
  out.height = big(head, 20, 4);
  return out;
}

ImageHeader gif(std::string_view head) {
  return {"image/gif", little(head, 6, 2), little(head, 8, 2)};
}

// SOF0-SOF15 hold the size, without DHT, JPG and DAC, which lie between them.
bool is_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
         marker != 0xCC;
}

ImageHeader jpeg(std::string_view head) {
  ImageHeader out{"image/jpeg"};
  std::size_t at = 2;
  while (at + 9 < head.size() && byte_at(head, at) == 0xFF) {
    const std::uint32_t marker = byte_at(head, at + 1);
    if (is_frame(marker)) {
      out.height = big(head, at + 5, 2);
      out.width = big(head, at + 7, 2);
      return out;
    }
    if (marker == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0xDA || marker == 0xD9) return out;
    at += 2 + big(head, at + 2, 2);
  }
  return out;
}

ImageHeader webp(std::string_view head) {
  ImageHeader out{"image/webp"};
  const std::string_view chunk = head.substr(12, 4);
  if (chunk == "VP8X" && head.size() >= 30) {
    out.width = little(head, 24, 3) + 1;
    out.height = little(head, 27, 3) + 1;
  } else if (chunk == "VP8L" && head.size() >= 25) {
    const std::uint32_t bits = little(head, 21, 4);
    out.width = (bits & 0x3FFF) + 1;
    out.height = (bits >> 14 & 0x3FFF) + 1;
  } else if (chunk == "VP8 " && head.size() >= 30) {
    out.width = little(head, 26, 2) & 0x3FFF;
    out.height = little(head, 28, 2) & 0x3FFF;
  }
  return out;
}

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
};

constexpr std::array kSignatures{
    Signature{0,
              "\x7f"
              "ELF",
              "an ELF program or library"},
    Signature{0, "%PDF-", "a PDF document"},
    Signature{0, "PK\x03\x04", "a zip archive or an office document"},
    Signature{0, "PK\x05\x06", "an empty zip archive"},
    Signature{0, "\x1f\x8b", "gzip data"},
    Signature{0, "BZh", "bzip2 data"},
    Signature{0,
              "\xfd"
              "7zXZ",
              "xz data"},
    Signature{0, "\x28\xb5\x2f\xfd", "zstd data"},
    Signature{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
    Signature{0, "SQLite format 3", "a SQLite database"},
    Signature{0, "MZ", "a Windows program"},
    Signature{0, "\0asm"sv, "a WebAssembly module"},
    Signature{0, "\xca\xfe\xba\xbe", "Java or Mach-O code"},
    Signature{0, "\xcf\xfa\xed\xfe", "a Mach-O program"},
    Signature{0, "!<arch>\n", "a static library"},
    Signature{0, "BM", "a BMP image"},
    Signature{0, "II*\0"sv, "a TIFF image"},
    Signature{0, "MM\0*"sv, "a TIFF image"},
    Signature{0, "\0\0\1\0"sv, "an icon"},
    Signature{0, "OggS", "an Ogg file"},
    Signature{0, "ID3", "an MP3 file"},
    Signature{0, "fLaC", "a FLAC file"},
    Signature{0, "RIFF", "a RIFF file (audio or video)"},
    Signature{4, "ftyp", "an MP4 or HEIF file"},
    Signature{257, "ustar", "a tar archive"},
    Signature{0, "\xff\xfe\0\0"sv, "UTF-32 text"},
    Signature{0, "\0\0\xfe\xff"sv, "UTF-32 text"},
};

}  // namespace

std::optional<ImageHeader> image_header(std::string_view head) {
  if (head.starts_with("\x89PNG\r\n\x1a\n")) return png(head);
  if (head.starts_with("GIF87a") || head.starts_with("GIF89a")) {
    return gif(head);
  }
  if (head.starts_with("\xff\xd8\xff")) return jpeg(head);
  if (head.starts_with("RIFF") && head.size() >= 16 &&
      head.substr(8, 4) == "WEBP") {
    return webp(head);
  }
  return std::nullopt;
}

std::string_view binary_signature(std::string_view head) {
  for (const Signature& row : kSignatures) {
    if (head.size() > row.offset &&
        head.substr(row.offset).starts_with(row.bytes)) {
      return row.what;
    }
  }
  return {};
}

}  // namespace toolhost::builtin
