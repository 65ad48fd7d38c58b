// Every error that can come has a test that expects it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "protocol/error.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TOOLHOST_SOURCE_DIR;

// Nothing raises these yet: their providers and gates are to come. A row
// leaves with the first test that sees its kind.
const std::set<std::string_view> kNotRaisedYet{
    "invocationInProgress", "rateLimited", "providerUnavailable"};

std::string slurp(const fs::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// What the tests expect of the daemon. The command line's tests feed errors to
// it, and these here and the registry's only list them.
const std::string& expectations() {
  static const std::string kAll = [] {
    std::string out = slurp(kRoot / "protocol/PROTOCOL.md");
    // Transcripts are played; tables are not.
    out.erase(out.find("## 13. Errors"));
    const std::set<std::string> elsewhere{"cli", "contract", "fuzz", "bench"};
    fs::recursive_directory_iterator at(kRoot / "tests");
    for (; at != fs::recursive_directory_iterator(); ++at) {
      const std::string name = at->path().filename();
      if (elsewhere.contains(name)) at.disable_recursion_pending();
      if (name == "error_test.cpp" || !at->is_regular_file()) continue;
      out += slurp(at->path());
    }
    return out;
  }();
  return kAll;
}

// parse_error → Code::parse_error; the end matters: internal, internal_x.
bool mentions(const std::string& word) {
  const std::string& text = expectations();
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    const char next =
        at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if (!std::isalnum(static_cast<unsigned char>(next)) && next != '_') {
      return true;
    }
  }
  return false;
}

bool expected(const std::string& type, std::string_view enumerator,
              std::string_view kind) {
  return mentions("\"" + std::string(kind) + "\"") ||
         mentions(type + "::" + std::string(enumerator));
}

void check(const std::string& type, std::string_view enumerator,
           std::string_view kind) {
  // Also the name of a gate, which every trace holds: that proves nothing.
  if (kind == "readBeforeEdit") return;
  const bool to_come = kNotRaisedYet.contains(kind);
  const bool found = expected(type, enumerator, kind);
  EXPECT_NE(found, to_come)
      << kind
      << (found ? " has a test now: take it off kNotRaisedYet"
                : " has no test that expects it");
}

TEST(ErrorKinds, OfRequestsAreEachExpectedByATest) {
#define TOOLHOST_ERROR(name, number, kind, retryable, meaning) \
  check("Code", #name, kind);
#include "protocol/errors.def"
#undef TOOLHOST_ERROR
}

TEST(ErrorKinds, OfCallsAreEachExpectedByATest) {
#define TOOLHOST_CALL_ERROR(name, kind, retryable, meaning) \
  check("CallErrorKind", #name, kind);
#include "protocol/call_errors.def"
#undef TOOLHOST_CALL_ERROR
}

}  // namespace
}  // namespace toolhost
