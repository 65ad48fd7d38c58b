#include "providers/builtin/byte_scan.hpp"

#include <algorithm>
#include <cstring>

namespace toolhost::builtin {
namespace {

// The compilers' vector extension: SSE2, NEON or plain words, as there is.
using Block = unsigned char __attribute__((vector_size(16)));
constexpr std::size_t kBlock = sizeof(Block);
// A lane of eight bits counts to 255 before it has to be added up.
constexpr std::size_t kRun = 255 * kBlock;

Block load(const char* at) {
  Block block;
  std::memcpy(&block, at, kBlock);
  return block;
}

std::size_t sum(const Block& lanes) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < kBlock; ++i) total += lanes[i];
  return total;
}

bool any(const Block& lanes) { return sum(lanes) != 0; }

}  // namespace

std::size_t count_newlines(std::string_view bytes) {
  std::size_t total = 0;
  const Block newline = Block{} + static_cast<unsigned char>('\n');
  while (bytes.size() >= kBlock) {
    const std::size_t run = std::min(bytes.size(), kRun) / kBlock * kBlock;
    Block lanes{};
    for (std::size_t i = 0; i < run; i += kBlock) {
      // A true lane is all ones: minus one, so subtracting counts up.
      lanes -= reinterpret_cast<Block>(load(bytes.data() + i) == newline);
    }
    total += sum(lanes);
    bytes.remove_prefix(run);
  }
  return total +
         static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

ByteClasses classify(std::string_view bytes) {
  const Block nul{};
  const Block carriage_return = nul + static_cast<unsigned char>('\r');
  Block nuls{};
  Block high{};
  Block returns{};
  while (bytes.size() >= kBlock) {
    const Block block = load(bytes.data());
    nuls |= reinterpret_cast<Block>(block == nul);
    returns |= reinterpret_cast<Block>(block == carriage_return);
    high |= block;
    bytes.remove_prefix(kBlock);
  }
  ByteClasses out;
  out.nul = any(nuls);
  out.carriage_return = any(returns);
  out.non_ascii = any(high & (nul + static_cast<unsigned char>(0x80)));
  for (const char c : bytes) {
    out.nul |= c == '\0';
    out.carriage_return |= c == '\r';
    out.non_ascii |= static_cast<unsigned char>(c) >= 0x80;
  }
  return out;
}

std::size_t after_newline(std::string_view bytes, std::size_t n) {
  std::size_t at = 0;
  while (n > 0) {
    const void* found = at < bytes.size() ? std::memchr(bytes.data() + at, '\n',
                                                        bytes.size() - at)
                                          : nullptr;
    if (!found) return std::string_view::npos;
    at = static_cast<std::size_t>(static_cast<const char*>(found) -
                                  bytes.data()) +
         1;
    --n;
  }
  return at;
}

std::size_t count_crlf(std::string_view bytes) {
  std::size_t pairs = 0;
  for (std::size_t at = 0;
       (at = bytes.find('\r', at)) != std::string_view::npos; ++at) {
    if (at + 1 < bytes.size() && bytes[at + 1] == '\n') ++pairs;
  }
  return pairs;
}

}  // namespace toolhost::builtin
