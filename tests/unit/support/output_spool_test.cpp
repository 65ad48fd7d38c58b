#include "providers/support/output_spool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/text.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OutputSpoolTest : public ::testing::Test {
 protected:
  OutputSpoolTest() {
    store = Artifacts::open(temp.path() + "/artifacts", {}).value();
  }

  OutputSpool spool(std::size_t head, std::size_t tail,
                    std::uint64_t limit = 1 << 20) {
    return OutputSpool(head, tail, [this, limit] {
      ++made;
      return store->create("sess_a", limit);
    });
  }
  std::string kept(const OutputSpool& output) {
    return store->read(output.artifact(), 0, 1 << 20).value().bytes;
  }

  testing::TempDir temp;
  std::unique_ptr<Artifacts> store;
  int made = 0;
};

TEST_F(OutputSpoolTest, ShortOutputComesBackWholeWithoutAnArtifact) {
  OutputSpool output = spool(4, 4);
  output.append("abc");
  output.append("defgh");
  EXPECT_FALSE(output.truncated());
  EXPECT_EQ(output.text(), "abcdefgh");
  EXPECT_EQ(made, 0);
}

TEST_F(OutputSpoolTest, LongOutputKeepsBothEndsAndNamesTheArtifact) {
  OutputSpool output = spool(4, 4);
  for (const char* piece : {"0123", "4567", "89", "ab"}) output.append(piece);
  EXPECT_TRUE(output.truncated());
  EXPECT_EQ(output.total(), 12U);
  EXPECT_EQ(
      output.text(),
      "0123\n[… 4 bytes omitted; read the rest with readOutput artifact " +
          output.artifact() + " …]\n89ab");
}

TEST_F(OutputSpoolTest, TheArtifactHoldsEverythingFromTheBeginning) {
  OutputSpool output = spool(4, 4);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const std::string piece = std::to_string(i) + ",";
    all += piece;
    output.append(piece);
  }
  output.finish();
  EXPECT_EQ(kept(output), all);
  EXPECT_EQ(made, 1);
  EXPECT_THAT(output.text(), ::testing::EndsWith("]\n,49,"));
}

TEST_F(OutputSpoolTest, OneHugePieceIsLikeManySmallOnes) {
  std::string all;
  for (int i = 0; i < 1000; ++i) all += std::to_string(i) + " ";
  OutputSpool whole = spool(10, 10);
  whole.append(all);
  OutputSpool pieces = spool(10, 10);
  for (const char byte : all) pieces.append(std::string_view(&byte, 1));
  EXPECT_EQ(kept(whole), all);
  EXPECT_EQ(kept(pieces), all);
  EXPECT_EQ(whole.text().substr(0, 12), pieces.text().substr(0, 12));
  EXPECT_EQ(whole.text().substr(whole.text().size() - 10),
            pieces.text().substr(pieces.text().size() - 10));
}

TEST_F(OutputSpoolTest, TheArtifactIsCutAtItsLimitAndTheTextSaysSo) {
  OutputSpool output = spool(2, 2, 6);
  output.append("0123456789");
  EXPECT_EQ(kept(output), "012345");
  EXPECT_THAT(output.text(), HasSubstr("which holds the first 6 bytes"));
}

TEST_F(OutputSpoolTest, WithoutAnArtifactTheTextSaysWhy) {
  OutputSpool output(2, 2, []() -> Result<ArtifactWriter> {
    return make_error(Code::internal, "No space left on device.");
  });
  output.append("0123");
  output.append("456789");
  EXPECT_EQ(output.artifact(), "");
  EXPECT_THAT(output.text(), HasSubstr("6 bytes omitted; they were not kept: "
                                       "No space left on device."));
}

TEST_F(OutputSpoolTest, CharactersCutBetweenPiecesStayWhole) {
  OutputSpool output = spool(100, 100);
  for (const char byte : std::string("a🙂é")) {
    output.append(std::string_view(&byte, 1));
  }
  std::size_t lossy = 9;
  EXPECT_EQ(output.text(&lossy), "a🙂é");
  EXPECT_EQ(lossy, 0U);
}

TEST_F(OutputSpoolTest, NoCharacterIsCutWhereTheMiddleIsLeftOut) {
  std::string all;
  for (int i = 0; i < 100; ++i) all += "€";  // three bytes each
  for (std::size_t head = 10; head < 14; ++head) {
    OutputSpool output = spool(head, head + 3);
    output.append(all);
    std::size_t lossy = 9;
    const std::string text = output.text(&lossy);
    EXPECT_EQ(lossy, 0U);
    EXPECT_THAT(text, Not(HasSubstr("\uFFFD")));
  }
}

TEST_F(OutputSpoolTest, BadBytesAreReplacedAndCounted) {
  OutputSpool output = spool(100, 100);
  output.append(std::string_view("\xff\xfe\x00\x80ok\n", 7));
  std::size_t lossy = 0;
  const std::string text = output.text(&lossy);
  EXPECT_EQ(lossy, 3U);
  EXPECT_TRUE(is_utf8(text));
  EXPECT_THAT(text, ::testing::EndsWith("ok\n"));
}

TEST_F(OutputSpoolTest, BadBytesOnBothSidesOfTheGapAreCounted) {
  OutputSpool output = spool(4, 4);
  output.append(
      "ab\xff"
      "c" +
      std::string(100, 'x') +
      "d\xff"
      "ef");
  std::size_t lossy = 0;
  EXPECT_TRUE(is_utf8(output.text(&lossy)));
  EXPECT_EQ(lossy, 2U);
}

}  // namespace
}  // namespace toolhost
