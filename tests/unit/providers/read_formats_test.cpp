// What read makes of files that are not plain UTF-8 text.
#include <sys/stat.h>

#include <cstdlib>

#include "tests/unit/providers/file_tool_fixture.hpp"

namespace toolhost {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReadFormats : public testing::FileToolTest {
 protected:
  ReadFormats() : FileToolTest(builtin::read_tool) {}
  ToolOutput read(const std::string& path) { return call({{"path", path}}); }
};

TEST_F(ReadFormats, ReadsGbkAndSaysSo) {
  add("a.c", "x\n// \xd6\xd0\xce\xc4\n");
  const auto output = read("a.c");
  EXPECT_EQ(text(output), "x\n// \xe4\xb8\xad\xe6\x96\x87\n");
  EXPECT_EQ(word(output, "encoding"), "gbk");
  EXPECT_EQ(fact(output, "lossy"), json::value(false));
  EXPECT_THAT(note(output), HasSubstr("encoded in gbk"));
}

TEST_F(ReadFormats, ReadsWesternTextAndSaysSo) {
  add("a.txt", "caf\xe9\r\nna\xefve\r\n");
  add("b.txt", "\x93quoted\x94\n");
  EXPECT_EQ(text(read("a.txt")), "caf\xc3\xa9\nna\xc3\xafve\n");
  EXPECT_EQ(word(read("a.txt"), "encoding"), "iso-8859-1");
  EXPECT_EQ(word(read("a.txt"), "lineEndings"), "crlf");
  EXPECT_EQ(word(read("b.txt"), "encoding"), "windows-1252");
}

TEST_F(ReadFormats, ALegacyEncodingIsRecognisedOnEveryPage) {
  std::string file;
  for (int i = 0; i < 30'000; ++i) file += "int line;\n";
  file += "// \xd6\xd0\xce\xc4\n";
  add("a.c", file);
  EXPECT_EQ(text(call({{"path", "a.c"}, {"offset", -1}})),
            "// \xe4\xb8\xad\xe6\x96\x87\n");
  EXPECT_EQ(text(call({{"path", "a.c"}, {"offset", 30'001}})),
            "// \xe4\xb8\xad\xe6\x96\x87\n");
}

TEST_F(ReadFormats, ReadsUtf16WithoutAMark) {
  add("le.txt", std::string("h\0i\0!\0\n\0", 8));
  add("be.txt", std::string("\0h\0i\0!\0\n", 8));
  EXPECT_EQ(text(read("le.txt")), "hi!\n");
  EXPECT_EQ(word(read("le.txt"), "encoding"), "utf-16le-no-bom");
  EXPECT_EQ(text(read("be.txt")), "hi!\n");
}

TEST_F(ReadFormats, AnUnknownEncodingIsCountedAndNotGuessed) {
  add("a.txt", "\x82\xb1\x82\xf1\x82\xc9\x82\xbf x\n");
  const auto output = read("a.txt");
  EXPECT_EQ(word(output, "encoding"), "unknown");
  EXPECT_EQ(fact(output, "lossy"), json::value(true));
  EXPECT_THAT(text(output), HasSubstr("\xef\xbf\xbd"));
  EXPECT_THAT(note(output), HasSubstr("encoding that is not known"));
}

std::string png(std::uint32_t width, std::uint32_t height) {
  std::string out("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  for (const std::uint32_t side : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out += static_cast<char>(side >> shift & 255);
    }
  }
  return out + std::string(100, '\0');
}

TEST_F(ReadFormats, ReturnsAnImageWithItsSize) {
  add("a.dat", png(640, 480));
  const auto output = read("a.dat");
  ASSERT_FALSE(output.error);
  EXPECT_EQ(output.content.front().type, Content::Type::image);
  EXPECT_EQ(output.content.front().mime_type, "image/png");
  EXPECT_THAT(output.content.front().value, StartsWith("iVBORw0KGgo"));
  EXPECT_EQ(number(output, "width"), 640);
  EXPECT_EQ(number(output, "height"), 480);
}

TEST_F(ReadFormats, ADecompressionBombIsDescribedOnly) {
  add("bomb.png", png(40'000, 40'000));
  const auto output = read("bomb.png");
  ASSERT_FALSE(output.error);
  EXPECT_EQ(output.content.front().type, Content::Type::text);
  EXPECT_THAT(text(output), HasSubstr("64 megapixels"));
  EXPECT_EQ(number(output, "width"), 40'000);
}

TEST_F(ReadFormats, AnImageOverTheByteLimitIsDescribedOnly) {
  config_.tools.read.max_image_bytes = 1000;
  add("a.png", png(10, 10) + std::string(2000, 'x'));
  EXPECT_EQ(read("a.png").content.front().type, Content::Type::text);
}

TEST_F(ReadFormats, ReadsImagesLargerThanOneChunk) {
  add("a.png", png(10, 10) + std::string(400'000, 'x'));
  const auto output = read("a.png");
  EXPECT_EQ(output.content.front().value.size(),
            (on_disk("a.png").size() + 2) / 3 * 4);
}

TEST_F(ReadFormats, KnowsTheSizesOfOtherImageFormats) {
  add("a.gif", std::string("GIF89a\x10\0\x20\0\0\0\0", 13));
  add("a.jpg", std::string("\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\x08\0\x30"
                           "\0\x40\3\0\0\0\0",
                           22));
  add("a.webp", std::string("RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0"
                            "\x1f\0\0",
                            30));
  EXPECT_EQ(number(read("a.gif"), "width"), 16);
  EXPECT_EQ(number(read("a.gif"), "height"), 32);
  EXPECT_EQ(number(read("a.jpg"), "height"), 48);
  EXPECT_EQ(number(read("a.jpg"), "width"), 64);
  EXPECT_EQ(number(read("a.webp"), "width"), 16);
  EXPECT_EQ(number(read("a.webp"), "height"), 32);
}

constexpr std::string_view kNotebook = R"json({
 "cells": [
  {"cell_type": "markdown", "source": ["# Title\n", "words"]},
  {"cell_type": "code", "execution_count": 3, "source": "print(1)\n1/0",
   "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
    {"output_type": "execute_result",
     "data": {"text/plain": "<Figure>", "image/png": "aGVsbG8="}},
    {"output_type": "error", "ename": "ZeroDivisionError",
     "evalue": "division by zero",
     "traceback": ["\u001b[0;31mTraceback\u001b[0m"]}]}
 ], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})json";

TEST_F(ReadFormats, ShowsANotebookAsItsCells) {
  add("n.ipynb", kNotebook);
  const auto output = read("n.ipynb");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(text(output),
            "[cell 1: markdown]\n# Title\nwords\n\n"
            "[cell 2: code, run 3]\nprint(1)\n1/0\n"
            "[output: stdout]\n1\n"
            "[output: execute_result]\n<Figure>\n"
            "[output: image/png, 8 bytes, not shown]\n"
            "[error: ZeroDivisionError]\ndivision by zero\nTraceback\n");
  EXPECT_EQ(word(output, "kind"), "notebook");
  EXPECT_EQ(number(output, "cells"), 2);
  EXPECT_THAT(note(output), HasSubstr("raw"));
}

TEST_F(ReadFormats, PagesANotebookByTheLinesThatItShows) {
  add("n.ipynb", kNotebook);
  const auto output = call({{"path", "n.ipynb"}, {"offset", 5}, {"limit", 2}});
  EXPECT_EQ(text(output), "[cell 2: code, run 3]\nprint(1)\n");
  EXPECT_EQ(number(output, "nextOffset"), 7);
}

TEST_F(ReadFormats, ShowsANotebookAsJsonWhenAsked) {
  add("n.ipynb", kNotebook);
  EXPECT_EQ(text(call({{"path", "n.ipynb"}, {"raw", true}})), kNotebook);
}

TEST_F(ReadFormats, AFileThatIsOnlyNamedANotebookIsText) {
  add("n.ipynb", "not json\n");
  add("m.ipynb", "{\"a\": 1}\n");
  EXPECT_EQ(text(read("n.ipynb")), "not json\n");
  EXPECT_EQ(text(read("m.ipynb")), "{\"a\": 1}\n");
}

TEST_F(ReadFormats, CutsALongOutputOfANotebook) {
  add("n.ipynb",
      "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"x\",\"outputs\":[{"
      "\"output_type\":\"stream\",\"name\":\"stdout\",\"text\":\"" +
          std::string(50'000, 'y') + "\"}]}]}");
  const auto output = read("n.ipynb");
  EXPECT_LT(text(output).size(), 10'000U);
  EXPECT_THAT(text(output), HasSubstr("the output has 50000 bytes"));
}

// pdftotext is played by a script, so that this tells the same on every
// machine.
class ReadPdf : public ReadFormats {
 protected:
  ReadPdf() : path_(std::getenv("PATH")) {
    add("doc.pdf", "%PDF-1.7\nnot really\n");
  }
  ~ReadPdf() override { setenv("PATH", path_.c_str(), 1); }

  void install(const std::string& script) {
    const std::string file = bin_ / "pdftotext";
    testing::write_file(file, "#!/bin/sh\n" + script);
    chmod(file.c_str(), 0755);
    setenv("PATH", (bin_.path() + ":/usr/bin:/bin").c_str(), 1);
  }
  void uninstall() { setenv("PATH", bin_.path().c_str(), 1); }

  testing::TempDir bin_;

 private:
  std::string path_;
};

TEST_F(ReadPdf, ReturnsTheTextPageByPage) {
  install("cat >\"$0.in\"; printf 'Hello\\n\\fWorld'; printf '\\n\\f'\n");
  const auto output = read("doc.pdf");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(text(output), "[page 1]\nHello\n[page 2]\nWorld\n");
  EXPECT_EQ(word(output, "kind"), "pdf");
  EXPECT_EQ(number(output, "pages"), 2);
  EXPECT_THAT(note(output), HasSubstr("PDF document of 2 pages"));
  EXPECT_EQ(testing::read_file(bin_ / "pdftotext.in"), on_disk("doc.pdf"));
}

TEST_F(ReadPdf, AScannedDocumentIsSaidToHaveNoText) {
  install("cat >/dev/null; printf '\\f\\f'\n");
  EXPECT_THAT(note(read("doc.pdf")), HasSubstr("may be scanned"));
}

TEST_F(ReadPdf, SaysWhatIsMissingWhereItIsNotInstalled) {
  uninstall();
  const auto output = read("doc.pdf");
  EXPECT_EQ(kind(output), CallErrorKind::tool_failed);
  EXPECT_THAT(text(output), AllOf(HasSubstr("PDF document of 20 bytes"),
                                  HasSubstr("pdftotext is not installed")));
  EXPECT_THAT(output.error->hint, HasSubstr("poppler-utils"));
}

TEST_F(ReadPdf, SaysWhatTheConverterSays) {
  install("cat >/dev/null; echo 'Incorrect password' >&2; exit 1\n");
  EXPECT_THAT(text(read("doc.pdf")), HasSubstr("Incorrect password"));
}

TEST_F(ReadPdf, AConverterThatDoesNotReadToTheEndIsNoProblem) {
  add("doc.pdf", "%PDF-1.7\n" + std::string(1 << 20, 'x'));
  install("printf 'short\\n\\f'\n");
  EXPECT_EQ(text(read("doc.pdf")), "[page 1]\nshort\n");
}

TEST_F(ReadPdf, EndsWithTheCall) {
  install("exec sleep 600\n");
  stop_.request("The caller cancelled the call.");
  EXPECT_EQ(kind(read("doc.pdf")), CallErrorKind::cancelled);
}

}  // namespace
}  // namespace toolhost
