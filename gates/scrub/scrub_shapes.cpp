// Secrets that are known by their shape, as data.
#include <algorithm>
#include <iterator>

#include "gates/scrub/finder.hpp"

namespace toolhost::scrubbing {
namespace {

struct Token {
  std::string_view prefix;
  std::size_t least;  // characters after the prefix
  std::string_view type;
  bool needs_digit = false;  // else words with hyphens would be found
  bool upper_only = false;
};

// The longest prefix of a family first.
constexpr Token kTokens[] = {
    {"sk-ant-", 20, "anthropic-key"},
    {"sk-proj-", 20, "openai-key"},
    {"sk-svcacct-", 20, "openai-key"},
    {"sk-admin-", 20, "openai-key"},
    {"sk-or-", 20, "openrouter-key"},
    {"sk-", 20, "api-key", true},
    {"sk_live_", 16, "stripe-key"},
    {"sk_test_", 16, "stripe-key"},
    {"rk_live_", 16, "stripe-key"},
    {"github_pat_", 20, "github-token"},
    {"ghp_", 20, "github-token"},
    {"gho_", 20, "github-token"},
    {"ghu_", 20, "github-token"},
    {"ghs_", 20, "github-token"},
    {"ghr_", 20, "github-token"},
    {"glpat-", 16, "gitlab-token"},
    {"AIza", 30, "google-key"},
    {"ya29.", 20, "google-token"},
    {"xoxb-", 10, "slack-token"},
    {"xoxa-", 10, "slack-token"},
    {"xoxp-", 10, "slack-token"},
    {"xoxr-", 10, "slack-token"},
    {"xoxs-", 10, "slack-token"},
    {"AKIA", 16, "aws-key-id", false, true},
    {"ASIA", 16, "aws-key-id", false, true},
    {"npm_", 30, "npm-token"},
    {"pypi-", 40, "pypi-token"},
    {"hf_", 30, "huggingface-token"},
    {"dop_v1_", 40, "digitalocean-token"},
};

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_alnum(text[at - 1]);
}

// What follows a prefix may be glued to other text: its end is where the
// characters of a token end.
std::optional<Found> token(std::string_view text, std::size_t at) {
  if (!starts_word(text, at)) return std::nullopt;
  const std::string_view rest = text.substr(at);
  for (const Token& shape : kTokens) {
    if (!rest.starts_with(shape.prefix)) continue;
    std::size_t end = at + shape.prefix.size();
    bool digit = false;
    while (end < text.size()) {
      const char c = text[end];
      if (shape.upper_only ? !(is_upper(c) || is_digit(c)) : !is_word(c)) break;
      digit = digit || is_digit(c);
      ++end;
    }
    if (end - at < shape.prefix.size() + shape.least) continue;
    if (shape.needs_digit && !digit) continue;
    return Found{at, end, shape.type};
  }
  return std::nullopt;
}

// Three parts of base64url; the first is an object.
std::optional<Found> json_web_token(std::string_view text, std::size_t at) {
  if (!starts_word(text, at)) return std::nullopt;
  std::size_t end = at;
  for (int part = 0; part < 3; ++part) {
    const std::size_t begin = end;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end - begin < (part < 2 ? 8U : 1U)) return std::nullopt;
    if (part == 2) break;
    if (end == text.size() || text[end] != '.') return std::nullopt;
    ++end;
  }
  return Found{at, end, "jwt"};
}

std::optional<Found> private_key(std::string_view text, std::size_t at) {
  constexpr std::string_view kLabel = "PRIVATE KEY";
  const std::size_t line = std::min(text.find('\n', at), text.size());
  const std::string_view head = text.substr(at, line - at);
  if (head.find(kLabel) == std::string_view::npos) return std::nullopt;
  const std::size_t footer = text.find("-----END ", at);
  if (footer == std::string_view::npos) {
    return Found{at, text.size(), "private-key"};
  }
  const std::size_t close = text.find("-----", footer + 9);
  const std::size_t end =
      close == std::string_view::npos ? text.size() : close + 5;
  return Found{at, end, "private-key"};
}

// scheme://user:password@host: the password.
std::optional<Found> url_password(std::string_view text, std::size_t at) {
  const std::size_t begin = at + 3;
  std::size_t colon = std::string_view::npos;
  for (std::size_t i = begin; i < text.size() && i < begin + 512; ++i) {
    const char c = text[i];
    if (c == '@') {
      if (colon == std::string_view::npos || i == colon + 1) break;
      return Found{colon + 1, i, "password"};
    }
    if (c == ':' && colon == std::string_view::npos) colon = i;
    if (c == '/' || c == '"' || c == '\'' || c == '<' || c == '$' ||
        static_cast<unsigned char>(c) <= ' ') {
      break;
    }
  }
  return std::nullopt;
}

constexpr Anchor kAnchors[] = {
    {"sk-", false, token},
    {"sk_", false, token},
    {"rk_live_", false, token},
    {"github_pat_", false, token},
    {"ghp_", false, token},
    {"gho_", false, token},
    {"ghu_", false, token},
    {"ghs_", false, token},
    {"ghr_", false, token},
    {"glpat-", false, token},
    {"AIza", false, token},
    {"ya29.", false, token},
    {"xox", false, token},
    {"AKIA", false, token},
    {"ASIA", false, token},
    {"npm_", false, token},
    {"pypi-", false, token},
    {"hf_", false, token},
    {"dop_v1_", false, token},
    {"eyJ", false, json_web_token},
    {"-----BEGIN ", false, private_key},
    {"://", false, url_password},
};

}  // namespace

std::span<const Anchor> shape_anchors() { return kAnchors; }

}  // namespace toolhost::scrubbing
