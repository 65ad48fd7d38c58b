// Console: where a command prints and asks.
//
// What came from the daemon, an agent or a child goes to a terminal only
// through display_text; into a pipe it goes as it is, except in tables, where
// one row has to stay one line.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/cli/json_read.hpp"

namespace toolhost::cli {

enum class Style { plain, title, dim, added, removed, hunk, warning, selected };

// One line of safe text.
struct Line {
  std::string text;
  Style style = Style::plain;
};

// Each line in pieces of at most `width` columns. Every piece but a first one
// starts with an arrow: a long line cannot pass for a second one.
std::vector<Line> wrap_lines(const std::vector<Line>& lines, int width);

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

class Console {
 public:
  struct Traits {
    bool terminal_in = false;
    bool terminal_out = false;
    bool color = false;  // terminal_out and no NO_COLOR
    bool json = false;   // --json: one object on standard output, nothing else
    bool no_input = false;
    int width = 80;
  };

  Console(std::istream& in, std::ostream& out, std::ostream& err,
          Traits traits);

  const Traits& traits() const { return traits_; }
  Traits& traits() { return traits_; }
  bool can_ask() const { return traits_.terminal_in && !traits_.no_input; }

  // Standard output: any text, lines kept; a missing final line feed is added
  // on a terminal.
  void print(std::string_view text);
  // One line of our own words and the daemon's.
  void line(std::string_view text);
  void lines(const std::vector<Line>& lines);
  // Bytes as they are, for a pipe or a file.
  void bytes(std::string_view bytes);
  // Columns with a head on a terminal; tab-separated without one in a pipe.
  void table(const Table& table);
  void json(const json::object& object);

  // Standard error.
  void note(std::string_view text);

  // Prints `question` and reads one line; nullopt at the end of input.
  std::optional<std::string> ask(std::string_view question);
  // Everything on standard input, at most `most` bytes; nullopt if more.
  std::optional<std::string> read_all(std::size_t most);

 private:
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  Traits traits_;
};

// The ANSI bytes around one line of this style.
std::string styled(const Line& line, bool color);

}  // namespace toolhost::cli
