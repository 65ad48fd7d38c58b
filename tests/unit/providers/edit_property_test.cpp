// Random files, random edits: every byte outside what is replaced stays.
#include <random>

#include "providers/builtin/text_encoding.hpp"
#include "tests/unit/providers/apply_patch_fixture.hpp"

namespace toolhost {
namespace {

using builtin::Encoding;

struct Shape {
  Encoding encoding;
  Encoding of_lines;  // the same without a mark
  const char* alphabet[4];
};

const Shape kShapes[] = {
    {Encoding::utf8, Encoding::utf8, {"a", "\xc3\xa9", "\xe4\xb8\xad", "\t"}},
    {Encoding::utf8_bom, Encoding::utf8, {"b", "\xf0\x9f\x99\x82", " ", "$&"}},
    {Encoding::utf16_le,
     Encoding::utf16_le_bare,
     {"c", "\xe2\x82\xac", "x", "y"}},
    {Encoding::utf16_be,
     Encoding::utf16_be_bare,
     {"d", "\xf0\x9f\x99\x82", "x", "%s"}},
    {Encoding::utf16_le_bare,
     Encoding::utf16_le_bare,
     {"e", "f", "g", "\xc3\xa9"}},
    {Encoding::gbk,
     Encoding::gbk,
     {"\xe4\xb8\xad", "\xe6\x96\x87", "\xe6\x98\xaf", " h"}},
    {Encoding::latin1,
     Encoding::latin1,
     {" caf\xc3\xa9 ", "na\xc3\xafve ", "x", "\\1"}},
    {Encoding::windows1252,
     Encoding::windows1252,
     {"\xe2\x80\x9c", "x", " caf\xc3\xa9 ", "y"}},
};

// A file as lines, each with its text, its ending and its bytes.
struct Line {
  std::string text;
  std::string ending;
  std::string bytes;
};

class EditProperty : public testing::ApplyPatchTest {
 protected:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string words(const Shape& shape) {
    std::string out;
    for (std::size_t i = below(12) + 1; i > 0; --i)
      out += shape.alphabet[below(4)];
    // White space at line ends would match more than it says.
    return out + ".";
  }
  std::string bytes(const Shape& shape, const std::string& text) {
    return builtin::encode(text, shape.of_lines).value();
  }
  std::vector<Line> make_file(const Shape& shape, std::size_t count) {
    const std::size_t endings = below(3);
    std::vector<Line> out;
    for (std::size_t i = 0; i < count; ++i) {
      Line line;
      line.text = "line " + std::to_string(i) + ": " + words(shape);
      const bool crlf = endings == 1 || (endings == 2 && below(2) == 0);
      line.ending = crlf ? "\r\n" : "\n";
      if (i + 1 == count && below(2) == 0) line.ending.clear();
      line.bytes = bytes(shape, line.text + line.ending);
      out.push_back(std::move(line));
    }
    return out;
  }
  static std::string joined(const std::vector<Line>& lines, std::size_t begin,
                            std::size_t end) {
    std::string out;
    for (std::size_t i = begin; i < end; ++i) out += lines[i].bytes;
    return out;
  }

  // Disjoint ranges of lines in order, none of them touching the next.
  std::vector<std::pair<std::size_t, std::size_t>> ranges(std::size_t count) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    std::size_t at = below(3);
    while (at < count && out.size() < 6) {
      const std::size_t end = std::min(count, at + 1 + below(3));
      out.emplace_back(at, end);
      at = end + 2 + below(count / 3 + 1);
    }
    return out;
  }

  std::mt19937 random_{20'240'607};
};

// `rest` begins with the new text, with either line ending; takes it off.
bool take(std::string_view& rest, const std::string& lf,
          const std::string& crlf) {
  for (const std::string& one : {lf, crlf}) {
    if (!rest.starts_with(one)) continue;
    rest.remove_prefix(one.size());
    return true;
  }
  return false;
}

TEST_F(EditProperty, EditTouchesNothingOutsideOfItsRanges) {
  for (int round = 0; round < 240; ++round) {
    const Shape& shape = kShapes[static_cast<std::size_t>(round) % 8];
    const std::vector<Line> lines =
        make_file(shape, 3 + below(round % 20 == 0 ? 4000 : 40));
    const std::string mark = builtin::encode("", shape.encoding).value();
    const std::string before = mark + joined(lines, 0, lines.size());
    ASSERT_EQ(builtin::detect_whole(before), shape.encoding) << round;
    add("f", before);

    json::array edits;
    std::vector<std::pair<std::string, std::string>> fresh;
    const auto where = ranges(lines.size());
    for (const auto& [begin, end] : where) {
      std::string old_text;
      for (std::size_t i = begin; i < end; ++i) {
        old_text += (i == begin ? "" : "\n") + lines[i].text;
      }
      std::string lf;
      std::string crlf;
      for (std::size_t i = below(4); i > 0; --i) {
        const std::string text = "new " + std::to_string(i) + words(shape);
        const bool last = i == 1;
        lf += text + (last ? "" : "\n");
        crlf += text + (last ? "" : "\r\n");
      }
      edits.push_back(json::object{{"oldText", old_text}, {"newText", lf}});
      fresh.emplace_back(bytes(shape, lf), bytes(shape, crlf));
    }
    const auto output =
        call_tool(builtin::edit_tool, {{"path", "f"}, {"edits", edits}});
    ASSERT_FALSE(output.error) << round << " " << text(output);

    const std::string after = on_disk("f");
    std::string_view rest = after;
    ASSERT_TRUE(rest.starts_with(mark));
    rest.remove_prefix(mark.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < where.size(); ++i) {
      const std::string kept = joined(lines, at, where[i].first);
      ASSERT_TRUE(rest.starts_with(kept)) << round;
      rest.remove_prefix(kept.size());
      ASSERT_TRUE(take(rest, fresh[i].first, fresh[i].second)) << round;
      // The ending of the last line was not a part of the match.
      const std::string ending =
          bytes(shape, lines[where[i].second - 1].ending);
      ASSERT_TRUE(rest.starts_with(ending)) << round;
      rest.remove_prefix(ending.size());
      at = where[i].second;
    }
    ASSERT_EQ(rest, joined(lines, at, lines.size())) << round;
  }
}

TEST_F(EditProperty, APatchTouchesNothingButTheLinesThatItNames) {
  for (int round = 0; round < 240; ++round) {
    const Shape& shape = kShapes[static_cast<std::size_t>(round) % 8];
    const std::vector<Line> lines = make_file(shape, 3 + below(40));
    const std::string mark = builtin::encode("", shape.encoding).value();
    add("f", mark + joined(lines, 0, lines.size()));

    std::string hunks;
    std::vector<std::vector<std::string>> fresh;
    const auto where = ranges(lines.size());
    for (const auto& [begin, end] : where) {
      hunks += "@@\n";
      if (begin > 0) hunks += " " + lines[begin - 1].text + "\n";
      for (std::size_t i = begin; i < end; ++i) {
        hunks += "-" + lines[i].text + "\n";
      }
      auto& added = fresh.emplace_back();
      for (std::size_t i = below(3) + 1; i > 0; --i) {
        added.push_back("new " + std::to_string(i) + words(shape));
        hunks += "+" + added.back() + "\n";
      }
    }
    const auto output = patch("*** Update File: f\n" + hunks);
    ASSERT_FALSE(output.error) << round << " " << text(output);

    const std::string after = on_disk("f");
    std::string_view rest = after;
    ASSERT_TRUE(rest.starts_with(mark));
    rest.remove_prefix(mark.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < where.size(); ++i) {
      const std::string kept = joined(lines, at, where[i].first);
      ASSERT_TRUE(rest.starts_with(kept)) << round;
      rest.remove_prefix(kept.size());
      at = where[i].second;
      for (std::size_t n = 0; n < fresh[i].size(); ++n) {
        const std::string& line = fresh[i][n];
        const bool ends_file = at == lines.size() && n + 1 == fresh[i].size() &&
                               lines.back().ending.empty();
        if (ends_file) {
          ASSERT_EQ(rest, bytes(shape, line)) << round;
          rest = {};
        } else {
          ASSERT_TRUE(take(rest, bytes(shape, line + "\n"),
                           bytes(shape, line + "\r\n")))
              << round;
        }
      }
    }
    ASSERT_EQ(rest, joined(lines, at, lines.size())) << round;
  }
}

TEST_F(EditProperty, BytesOfNoEncodingSurviveAnEditBesideThem) {
  for (int round = 0; round < 200; ++round) {
    std::string before;
    std::string expected;
    const std::size_t target = below(20);
    for (std::size_t i = 0; i < 20; ++i) {
      std::string noise;
      for (std::size_t n = below(12); n > 0; --n) {
        noise += static_cast<char>(0x80 + below(0x80));
      }
      const std::string line = std::to_string(i) + ": " + noise + "\n";
      before += "line " + line;
      expected += (i == target ? "edited " : "line ") + line;
    }
    add("f", before);
    const std::string number = std::to_string(target) + ": ";
    const auto output =
        call_tool(builtin::edit_tool, {{"path", "f"},
                                       {"oldText", "line " + number},
                                       {"newText", "edited " + number}});
    ASSERT_FALSE(output.error) << round << " " << text(output);
    ASSERT_EQ(on_disk("f"), expected) << round;
  }
}

}  // namespace
}  // namespace toolhost
