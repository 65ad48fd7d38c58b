#include "protocol/json_schema_report.hpp"

#include <algorithm>

#include "protocol/text.hpp"

namespace toolhost::schema {
namespace {

constexpr std::size_t kMaxName = 100;

void append_token(std::string& out, std::string_view name) {
  const std::string_view cut = utf8_prefix(name, kMaxName);
  for (const char c : cut) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  if (cut.size() < name.size()) out += "…";
}

}  // namespace

std::string path_text(const Place& place) {
  std::vector<const Place*> chain;
  for (const Place* at = &place; at->parent; at = at->parent) {
    chain.push_back(at);
  }
  std::string out;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    out += '/';
    if ((*at)->item) {
      out += std::to_string((*at)->index);
    } else {
      append_token(out, (*at)->name);
    }
  }
  return out;
}

void Report::add(Finding finding) {
  if (full()) return;
  const bool known = std::any_of(
      findings_.begin(), findings_.end(), [&finding](const Finding& other) {
        return other.path == finding.path && other.message == finding.message;
      });
  if (!known) findings_.push_back(std::move(finding));
}

}  // namespace toolhost::schema
