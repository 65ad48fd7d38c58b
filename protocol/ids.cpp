#include "protocol/ids.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace toolhost {
namespace {

// One system call serves many ids: getrandom costs more than the id.
class RandomBytes {
 public:
  unsigned char next() {
    if (used_ == bytes_.size()) refill();
    return bytes_[used_++];
  }

 private:
  void refill() {
    std::size_t filled = 0;
    while (filled < bytes_.size()) {
      const ssize_t got =
          getrandom(bytes_.data() + filled, bytes_.size() - filled, 0);
      // Only a kernel without getrandom fails here; ids must not be guessable.
      if (got < 0) std::abort();
      filled += static_cast<std::size_t>(got);
    }
    used_ = 0;
  }

  std::array<unsigned char, 256> bytes_{};
  std::size_t used_ = 256;
};

}  // namespace

std::string random_id(std::string_view prefix) {
  constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr std::size_t kCharacters = 26;
  thread_local RandomBytes random;
  std::string out(prefix);
  for (std::size_t i = 0; i < kCharacters; ++i) {
    out += kAlphabet[random.next() & 31];
  }
  return out;
}

bool is_id(std::string_view id, std::string_view prefix) {
  if (!id.starts_with(prefix)) return false;
  id.remove_prefix(prefix.size());
  if (id.size() < 16 || id.size() > 80) return false;
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace toolhost
