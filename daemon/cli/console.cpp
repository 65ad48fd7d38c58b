#include "daemon/cli/console.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <istream>
#include <ostream>

#include "daemon/cli/columns.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

std::string_view ansi(Style style) {
  switch (style) {
    case Style::plain:
      return "";
    case Style::title:
      return "\x1b[1m";
    case Style::dim:
      return "\x1b[2m";
    case Style::added:
      return "\x1b[32m";
    case Style::removed:
      return "\x1b[31m";
    case Style::hunk:
      return "\x1b[36m";
    case Style::warning:
      return "\x1b[1;33m";
    case Style::selected:
      return "\x1b[7m";
  }
  return "";
}

// One row stays one line and one cell one column.
std::string cell_text(const std::string& cell) {
  return cell.empty() ? "-" : display_text(cell);
}

std::vector<int> column_widths(const Table& table) {
  std::vector<int> widths;
  const auto grow = [&](const std::vector<std::string>& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns(cell_text(row[i])));
    }
  };
  grow(table.head);
  for (const auto& row : table.rows) grow(row);
  return widths;
}

// The last column takes what is left; the others, ids among them, are whole.
std::string aligned(const std::vector<std::string>& row,
                    const std::vector<int>& widths, int width) {
  std::string out;
  int used = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string cell = cell_text(row[i]);
    if (i + 1 == row.size()) {
      out += cut(cell, std::max(width - used, 8));
    } else {
      out += pad(cell, widths[i]) + "  ";
      used += widths[i] + 2;
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string styled(const Line& line, bool color) {
  const std::string_view start = color ? ansi(line.style) : "";
  if (start.empty()) return line.text;
  return std::string(start) + line.text + "\x1b[0m";
}

std::vector<Line> wrap_lines(const std::vector<Line>& lines, int width) {
  constexpr std::string_view kArrow = "↪ ";
  std::vector<Line> out;
  for (const Line& line : lines) {
    if (columns(line.text) <= width &&
        line.text.find('\t') == std::string::npos) {
      out.push_back(line);
      continue;
    }
    bool first = true;
    for (std::string& piece : wrap(line.text, std::max(width - 2, 2))) {
      out.push_back(
          {first ? std::move(piece) : std::string(kArrow) + piece, line.style});
      first = false;
    }
  }
  return out;
}

Console::Console(std::istream& in, std::ostream& out, std::ostream& err,
                 Traits traits)
    : in_(in), out_(out), err_(err), traits_(traits) {}

void Console::print(std::string_view text) {
  if (!traits_.terminal_out) {
    out_ << text;
  } else {
    out_ << display_text(text, true);
    if (!text.empty() && !text.ends_with('\n')) out_ << '\n';
  }
  out_.flush();
}

void Console::line(std::string_view text) {
  out_ << display_text(text) << '\n';
  out_.flush();
}

void Console::lines(const std::vector<Line>& lines) {
  // A pipe gets whole lines.
  const int width = traits_.terminal_out ? traits_.width : INT_MAX;
  for (const Line& line : wrap_lines(lines, width)) {
    out_ << styled(line, traits_.color) << '\n';
  }
  out_.flush();
}

void Console::bytes(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out_.flush();
}

void Console::table(const Table& table) {
  if (!traits_.terminal_out) {
    for (const auto& row : table.rows) {
      std::string text;
      for (const std::string& cell : row) {
        if (&cell != &row.front()) text += '\t';
        text += cell_text(cell);
      }
      out_ << text << '\n';
    }
    out_.flush();
    return;
  }
  const std::vector<int> widths = column_widths(table);
  out_ << styled({aligned(table.head, widths, traits_.width), Style::title},
                 traits_.color)
       << '\n';
  for (const auto& row : table.rows) {
    out_ << aligned(row, widths, traits_.width) << '\n';
  }
  out_.flush();
}

void Console::json(const json::object& object) {
  // A terminal shows direction marks that JSON does not escape.
  if (traits_.terminal_out) {
    out_ << display_text(pretty_json(object), true) << '\n';
  } else {
    out_ << json_text(object) << '\n';
  }
  out_.flush();
}

void Console::note(std::string_view text) {
  err_ << display_text(text) << '\n';
  err_.flush();
}

std::optional<std::string> Console::ask(std::string_view question) {
  err_ << display_text(question);
  err_.flush();
  std::string answer;
  if (!std::getline(in_, answer)) return std::nullopt;
  return answer;
}

std::optional<std::string> Console::read_all(std::size_t most) {
  std::string out;
  std::array<char, 16U << 10> buffer;
  while (in_.read(buffer.data(), buffer.size()) || in_.gcount() > 0) {
    out.append(buffer.data(), static_cast<std::size_t>(in_.gcount()));
    if (out.size() > most) return std::nullopt;
  }
  return out;
}

}  // namespace toolhost::cli
