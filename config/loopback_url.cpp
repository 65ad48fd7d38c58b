#include "config/loopback_url.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace toolhost::config {
namespace {

// sun_path, with its final NUL.
constexpr std::size_t kLongestSocket = 107;

struct Host {
  std::string_view written;
  std::string_view address;
};
// No name is looked up: a resolver could answer with any machine.
constexpr std::array kHosts{
    Host{"127.0.0.1", "127.0.0.1"},
    Host{"localhost", "127.0.0.1"},
    Host{"[::1]", "::1"},
};

bool is_target_character(char c) {
  return c > ' ' && c < 0x7f && c != '?' && c != '#';
}

}  // namespace

std::optional<LoopbackUrl> parse_loopback_url(std::string_view text) {
  LoopbackUrl out;
  constexpr std::string_view kUnix = "unix:";
  if (text.starts_with(kUnix)) {
    text.remove_prefix(kUnix.size());
    if (!text.starts_with('/') || text.size() > kLongestSocket ||
        text.find('\0') != std::string_view::npos) {
      return std::nullopt;
    }
    out.socket = text;
    out.host = "localhost";
    return out;
  }
  constexpr std::string_view kHttp = "http://";
  if (!text.starts_with(kHttp)) return std::nullopt;
  text.remove_prefix(kHttp.size());
  const auto* const host = std::find_if(
      kHosts.begin(), kHosts.end(),
      [&](const Host& each) { return text.starts_with(each.written); });
  if (host == kHosts.end()) return std::nullopt;
  out.address = host->address;
  out.host = host->written;
  text.remove_prefix(host->written.size());
  out.port = 80;
  if (text.starts_with(':')) {
    const char* const begin = text.data() + 1;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, out.port);
    if (error != std::errc() || out.port == 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    out.host += ":" + std::to_string(out.port);
  }
  if (!text.empty() && text.front() != '/') return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_target_character)) {
    return std::nullopt;
  }
  while (text.ends_with('/')) text.remove_suffix(1);
  out.prefix = text;
  return out;
}

}  // namespace toolhost::config
