#include "protocol/json_schema_pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <new>

namespace toolhost::schema {
namespace {

// Backtracking steps of one start position: about 5 ms.
constexpr std::uint32_t kMatchLimit = 100'000;
constexpr std::uint32_t kHeapLimitKiB = 16 * 1024;
constexpr std::uint32_t kNestLimit = 100;
// PCRE2 counts steps per start position, not per search, so a search over a
// long text goes in windows of starts, with a look at the clock between them.
constexpr std::size_t kWindowWork = 8U << 20;
constexpr std::size_t kMaxWindow = 32;

template <class T>
T* checked(T* made) {
  if (!made) throw std::bad_alloc();
  return made;
}

// JavaScript's rules where Perl's differ: $ is the very end, [] is empty,
// \uXXXX is a character, an unset group matches nothing.
constexpr std::uint32_t kOptions =
    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS |
    PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C |
    PCRE2_USE_OFFSET_LIMIT;

std::string describe(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

}  // namespace

struct PatternRun::State {
  State()
      : data(checked(pcre2_match_data_create(1, nullptr))),
        context(checked(pcre2_match_context_create(nullptr))) {
    pcre2_set_match_limit(context, kMatchLimit);
    pcre2_set_depth_limit(context, kMatchLimit);
    pcre2_set_heap_limit(context, kHeapLimitKiB);
  }
  ~State() {
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
  }
  State(const State&) = delete;

  pcre2_match_data* data;
  pcre2_match_context* context;
  std::chrono::steady_clock::duration left = Pattern::kMaxTime;
};

PatternRun::PatternRun() = default;
PatternRun::~PatternRun() = default;

void Pattern::Free::operator()(void* code) const {
  pcre2_code_free(static_cast<pcre2_code*>(code));
}

Result<Pattern> Pattern::compile(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return make_error(Code::invalid_params,
                      "is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  const std::unique_ptr<pcre2_compile_context,
                        decltype(&pcre2_compile_context_free)>
      context(checked(pcre2_compile_context_create(nullptr)),
              &pcre2_compile_context_free);
  pcre2_set_parens_nest_limit(context.get(), kNestLimit);
  pcre2_set_compile_extra_options(context.get(), PCRE2_EXTRA_ALT_BSUX);
  int error = 0;
  PCRE2_SIZE offset = 0;
  Pattern out;
  out.text_ = std::string(text);
  out.code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()),
                                text.size(), kOptions, &error, &offset,
                                context.get()));
  if (!out.code_) {
    return make_error(Code::invalid_params,
                      "is no regular expression (at offset " +
                          std::to_string(offset) + ": " + describe(error) +
                          ")");
  }
  std::uint32_t options = 0;
  pcre2_pattern_info(static_cast<pcre2_code*>(out.code_.get()),
                     PCRE2_INFO_ALLOPTIONS, &options);
  out.anchored_ = (options & PCRE2_ANCHORED) != 0;
  return out;
}

Pattern::Match Pattern::matches(std::string_view subject,
                                PatternRun& run) const {
  if (!run.state_) run.state_ = std::make_unique<PatternRun::State>();
  PatternRun::State& state = *run.state_;
  if (state.left <= std::chrono::steady_clock::duration::zero()) {
    return Match::gave_up;
  }
  const auto start = std::chrono::steady_clock::now();
  const Match found = search(subject, run);
  state.left -= std::chrono::steady_clock::now() - start;
  return found;
}

Pattern::Match Pattern::search(std::string_view subject,
                               PatternRun& run) const {
  PatternRun::State& state = *run.state_;
  const auto deadline = std::chrono::steady_clock::now() + state.left;
  const std::size_t window = std::clamp<std::size_t>(
      kWindowWork / (subject.size() + 1), 1, kMaxWindow);
  std::uint32_t options = 0;
  for (std::size_t at = 0;;) {
    std::size_t last = std::min(at + window - 1, subject.size());
    if (anchored_) last = subject.size();
    pcre2_set_offset_limit(state.context, last);
    const int found =
        pcre2_match(static_cast<const pcre2_code*>(code_.get()),
                    reinterpret_cast<PCRE2_SPTR>(subject.data()),
                    subject.size(), at, options, state.data, state.context);
    if (found >= 0) return Match::yes;
    // Not UTF-8 is no match of any pattern.
    if (found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21) {
      return Match::no;
    }
    if (found != PCRE2_ERROR_NOMATCH) return Match::gave_up;
    // The next start that is not inside a character.
    at = last + 1;
    while (at < subject.size() &&
           (static_cast<unsigned char>(subject[at]) & 0xC0) == 0x80) {
      ++at;
    }
    if (at > subject.size()) return Match::no;
    // The whole subject was checked by the first call.
    options = PCRE2_NO_UTF_CHECK;
    if (std::chrono::steady_clock::now() > deadline) return Match::gave_up;
  }
}

}  // namespace toolhost::schema
