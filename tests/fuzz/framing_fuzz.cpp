// However the bytes are cut into chunks, the frames are the same and the
// memory is bounded. The first byte of the input is the size of the chunks.
#include <algorithm>
#include <string>
#include <vector>

#include "protocol/framing.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using toolhost::FrameReader;
using toolhost::fuzz::require;

constexpr std::size_t kMaxFrame = 200;

struct Outcome {
  std::vector<std::string> frames;
  bool failed = false;
  bool operator==(const Outcome&) const = default;
};

Outcome read(std::string_view bytes, std::size_t chunk) {
  FrameReader reader(kMaxFrame);
  Outcome out;
  while (!bytes.empty() && !out.failed) {
    const std::string_view next = bytes.substr(0, chunk);
    bytes.remove_prefix(next.size());
    reader.append(next);
    for (;;) {
      const auto frame = reader.next();
      if (!frame) {
        out.failed = true;
        break;
      }
      if (!*frame) break;
      require((*frame)->size() <= kMaxFrame, "a frame over the limit");
      out.frames.emplace_back(**frame);
    }
    require(out.failed ||
                reader.pending() <= kMaxFrame + toolhost::kMaxHeaderBytes + 4,
            "more held than the limits allow");
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const std::size_t chunk = std::max<std::size_t>(1, data[0]);
  require(read(bytes, chunk) == read(bytes, size), "chunks change the frames");
  return 0;
}
