#include "providers/mcp/names.hpp"

#include <map>

namespace toolhost::mcp {
namespace {

using std::string_view;

constexpr std::size_t kLongest = 64;
// "_" and eight digits.
constexpr std::size_t kHashLength = 9;

bool keeps(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-';
}

std::string with_hash(string_view text, string_view hashed) {
  const std::size_t room = kLongest - kHashLength;
  return std::string(text.substr(0, room)) + "_" + name_hash(hashed);
}

std::string fitting(const std::string& full) {
  return full.size() <= kLongest ? full : with_hash(full, full);
}

// How many of the names are wanted more than once.
std::map<std::string, int> count(const std::vector<std::string>& names) {
  std::map<std::string, int> out;
  for (const std::string& name : names) ++out[name];
  return out;
}

}  // namespace

std::string name_hash(string_view text) {
  std::uint32_t hash = 0x811c9dc5U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x01000193U;
  }
  std::string out(8, '0');
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit, hash >>= 4) {
    *digit = "0123456789abcdef"[hash & 15U];
  }
  return out;
}

std::string name_part(string_view raw) {
  std::string out;
  for (const char c : raw) {
    if (keeps(c)) {
      out += c;
    } else if (out.empty() || out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

std::vector<std::string> server_parts(const std::vector<std::string>& servers) {
  std::vector<std::string> out;
  for (const std::string& server : servers) out.push_back(name_part(server));
  const auto wanted = count(out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (wanted.at(out[i]) > 1 && out[i] != servers[i]) {
      out[i] += "_" + name_hash(servers[i]);
    }
  }
  return out;
}

std::string tool_name(string_view server_part, string_view raw_tool) {
  return fitting("mcp__" + std::string(server_part) + "__" +
                 name_part(raw_tool));
}

std::vector<std::string> tool_names(string_view server_part,
                                    const std::vector<std::string>& raw_tools) {
  std::vector<std::string> out;
  for (const std::string& raw : raw_tools) {
    out.push_back(tool_name(server_part, raw));
  }
  const auto wanted = count(out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (wanted.at(out[i]) > 1 && name_part(raw_tools[i]) != raw_tools[i]) {
      out[i] = with_hash(out[i], raw_tools[i]);
    }
  }
  return out;
}

}  // namespace toolhost::mcp
