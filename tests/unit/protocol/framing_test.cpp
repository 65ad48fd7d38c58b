#include "protocol/framing.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace toolhost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// All frames that the reader has now; fails the test on an error.
std::vector<std::string> drain(FrameReader& reader) {
  std::vector<std::string> out;
  for (;;) {
    auto frame = reader.next();
    if (!frame) {
      ADD_FAILURE() << frame.error().message;
      return out;
    }
    if (!*frame) return out;
    out.emplace_back(**frame);
  }
}

Error error_of(FrameReader& reader) {
  for (;;) {
    auto frame = reader.next();
    if (!frame) return frame.error();
    if (!*frame) {
      ADD_FAILURE() << "no error";
      return Error();
    }
  }
}

TEST(Framing, AnOpeningBraceMeansLines) {
  FrameReader reader;
  reader.append("{\"a\":1}\n{\"b\":2}\r\n\n{\"c\"");
  EXPECT_THAT(drain(reader), ElementsAre("{\"a\":1}", "{\"b\":2}"));
  EXPECT_EQ(reader.framing(), Framing::lines);
  EXPECT_EQ(reader.pending(), 4U);
  reader.append(":3}\n");
  EXPECT_THAT(drain(reader), ElementsAre("{\"c\":3}"));
  EXPECT_EQ(reader.pending(), 0U);
}

TEST(Framing, ABatchIsALineThatTheRequestParserRefuses) {
  FrameReader reader;
  reader.append("[{}]\n");
  EXPECT_THAT(drain(reader), ElementsAre("[{}]"));
}

TEST(Framing, EmptyLinesBeforeTheFirstFrameAreSkipped) {
  FrameReader reader;
  reader.append("\r\n\n");
  EXPECT_THAT(drain(reader), ElementsAre());
  EXPECT_EQ(reader.framing(), Framing::undecided);
  reader.append("\n{}\n");
  EXPECT_THAT(drain(reader), ElementsAre("{}"));
}

TEST(Framing, ContentLengthMeansHeaders) {
  FrameReader reader;
  reader.append(
      "Content-Length: 7\r\nContent-Type: x; charset=utf-8\r\n\r\n{\"a\":1}"
      "content-length:2\r\n\r\n{}");
  EXPECT_THAT(drain(reader), ElementsAre("{\"a\":1}", "{}"));
  EXPECT_EQ(reader.framing(), Framing::headers);
}

TEST(Framing, FramesMayArriveByteByByte) {
  for (const Framing framing : {Framing::lines, Framing::headers}) {
    FrameReader reader;
    const std::string bytes =
        frame_bytes(framing, "{\"a\":1}") + frame_bytes(framing, "{}");
    std::vector<std::string> got;
    for (const char byte : bytes) {
      reader.append(std::string_view(&byte, 1));
      for (std::string& frame : drain(reader)) got.push_back(frame);
    }
    EXPECT_THAT(got, ElementsAre("{\"a\":1}", "{}"));
  }
}

TEST(Framing, ALineFeedInAHeadedBodyIsData) {
  FrameReader reader;
  reader.append(frame_bytes(Framing::headers, "{\n\r\n\r\n}"));
  EXPECT_THAT(drain(reader), ElementsAre("{\n\r\n\r\n}"));
}

TEST(Framing, OtherFirstBytesAreRefusedWithAHint) {
  for (const char* bytes :
       {"GET / HTTP/1.1\r\n", "\xef\xbb\xbf{}\n", "hello\n", "\x16\x03\x01"}) {
    FrameReader reader;
    reader.append(bytes);
    const Error error = error_of(reader);
    EXPECT_EQ(error.code, Code::parse_error) << bytes;
    EXPECT_THAT(error.hint, HasSubstr("toolhost mcp"));
  }
}

TEST(Framing, ALineOverTheLimitIsRefusedBeforeItEnds) {
  FrameReader reader(10);
  reader.append("{" + std::string(10, 'x'));
  const Error error = error_of(reader);
  EXPECT_EQ(error.code, Code::frame_too_large);
  EXPECT_EQ(error.details.at("maxFrameBytes"), 10);
}

TEST(Framing, AWholeLineOverTheLimitIsRefusedToo) {
  FrameReader reader(10);
  reader.append("{" + std::string(10, 'x') + "\n");
  EXPECT_EQ(error_of(reader).code, Code::frame_too_large);
}

TEST(Framing, TheLimitItselfIsAllowedWhateverEndsTheLine) {
  for (const char* end : {"\n", "\r\n"}) {
    FrameReader reader(10);
    reader.append("{" + std::string(9, 'x') + end);
    EXPECT_EQ(drain(reader).size(), 1U);
  }
}

TEST(Framing, FramesOfTheLimitAreAllowedOneAfterTheOther) {
  FrameReader reader(10);
  const std::string frame = "{" + std::string(9, 'x');
  for (int i = 0; i < 100; ++i) reader.append(frame + "\n");
  EXPECT_EQ(drain(reader).size(), 100U);
}

TEST(Framing, AHeadedFrameOverTheLimitIsRefusedByItsHeader) {
  FrameReader reader(10);
  reader.append("Content-Length: 11\r\n\r\n");
  EXPECT_EQ(error_of(reader).code, Code::frame_too_large);
}

TEST(Framing, BadHeadersAreErrors) {
  for (const char* bytes :
       {"Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n",
        "Content-Length: 1 2\r\n\r\n", "Content-Length:\r\n\r\n",
        "Content-Length: 99999999999999999999999\r\n\r\n",
        "Content-Type: x\r\n\r\n", "Cnonsense\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    FrameReader reader;
    reader.append(bytes);
    EXPECT_EQ(error_of(reader).code, Code::parse_error) << bytes;
  }
}

TEST(Framing, AHeaderBlockWithoutEndIsRefused) {
  FrameReader reader;
  reader.append("Content-Length: 2\r\nX: " + std::string(5000, 'x'));
  EXPECT_EQ(error_of(reader).code, Code::parse_error);
}

TEST(Framing, AHeaderBlockOverTheLimitIsRefusedThoughItEnds) {
  FrameReader reader;
  reader.append("Content-Length: 2\r\nX: " + std::string(5000, 'x') +
                "\r\n\r\n{}");
  EXPECT_EQ(error_of(reader).code, Code::parse_error);
}

TEST(Framing, AnEmptyHeadedFrameIsAFrame) {
  FrameReader reader;
  reader.append("Content-Length: 0\r\n\r\n");
  EXPECT_THAT(drain(reader), ElementsAre(""));
}

TEST(Framing, ReplyBytesFollowTheFramingOfTheConnection) {
  EXPECT_EQ(frame_bytes(Framing::lines, "{}"), "{}\n");
  EXPECT_EQ(frame_bytes(Framing::undecided, "{}"), "{}\n");
  EXPECT_EQ(frame_bytes(Framing::headers, "{}"), "Content-Length: 2\r\n\r\n{}");
}

TEST(Framing, ManyFramesInOneBufferKeepTheirBytes) {
  FrameReader reader;
  std::vector<std::string> sent;
  std::string bytes;
  for (int i = 0; i < 5000; ++i) {
    sent.push_back("{\"n\":" + std::to_string(i) + "}");
    bytes += sent.back() + "\n";
  }
  std::vector<std::string> got;
  for (std::size_t at = 0; at < bytes.size(); at += 777) {
    reader.append(std::string_view(bytes).substr(at, 777));
    for (std::string& frame : drain(reader)) got.push_back(frame);
  }
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace toolhost
