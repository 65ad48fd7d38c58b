// Bytes in, frames out: NDJSON or Content-Length headers, by the first byte.
//
// '{' starts lines, 'C' starts headers; the choice holds for the connection in
// both directions. Memory is bounded by the frame limit; no sockets here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace toolhost {

enum class Framing { undecided, lines, headers };

// 16 MiB: a 5,000 x 5,000 image or a whole lock file in one argument; more
// goes through artifacts.
inline constexpr std::size_t kDefaultMaxFrame = 16U << 20;
// A header block holds two short fields.
inline constexpr std::size_t kMaxHeaderBytes = 4096;

class FrameReader {
 public:
  explicit FrameReader(std::size_t max_frame = kDefaultMaxFrame);

  void append(std::string_view bytes);

  // The next whole frame, valid until the next call of append or next;
  // nullopt when more bytes are needed. An error is final: the peer is told
  // and the connection closes.
  Result<std::optional<std::string_view>> next();

  Framing framing() const { return framing_; }
  // Bytes held that are not yet a frame.
  std::size_t pending() const { return buffer_.size() - start_; }

 private:
  Result<std::optional<std::string_view>> next_line();
  Result<std::optional<std::string_view>> next_headed();
  Error too_large() const;

  std::size_t max_frame_;
  Framing framing_ = Framing::undecided;
  std::string buffer_;
  std::size_t start_ = 0;            // first byte not yet handed out
  std::size_t scanned_ = 0;          // no line feed before here
  std::optional<std::size_t> body_;  // length from a header being filled
};

// The bytes that carry `frame` in this framing.
std::string frame_bytes(Framing framing, std::string_view frame);
// What stands before a frame of `size` bytes; nothing in line framing.
std::string frame_header(Framing framing, std::size_t size);

}  // namespace toolhost
