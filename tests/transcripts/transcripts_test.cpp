// Every transcript of PROTOCOL.md and of this folder is a test of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "tests/transcripts/transcript.hpp"

namespace toolhost::testing {
namespace {

class TranscriptTest : public ::testing::Test {
 public:
  explicit TranscriptTest(Transcript transcript)
      : transcript_(std::move(transcript)) {}
  void TestBody() override { play(transcript_); }

 private:
  Transcript transcript_;
};

// "Two GUIs, one decision" → "TwoGUIsOneDecision".
std::string test_name(const std::string& sentence) {
  std::string out;
  bool upper = true;
  for (const char c : sentence) {
    if (!std::isalnum(static_cast<unsigned char>(c))) {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = false;
  }
  return out;
}

void register_all() {
  const std::string root = TOOLHOST_SOURCE_DIR;
  std::vector<std::string> files{root + "/protocol/PROTOCOL.md"};
  for (const auto& entry :
       std::filesystem::directory_iterator(root + "/tests/transcripts")) {
    if (entry.path().extension() == ".transcript") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    for (const Transcript& transcript : read_transcripts(file)) {
      ::testing::RegisterTest("Transcript", test_name(transcript.name).c_str(),
                              nullptr, nullptr, __FILE__, __LINE__,
                              [transcript]() -> ::testing::Test* {
                                return new TranscriptTest(transcript);
                              });
    }
  }
}

}  // namespace
}  // namespace toolhost::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  toolhost::testing::register_all();
  return RUN_ALL_TESTS();
}
