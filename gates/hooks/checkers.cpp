#include "gates/hooks/checkers.hpp"

#include <algorithm>

#include "protocol/text.hpp"

namespace toolhost {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMostLines = 20;
constexpr std::size_t kLongestLine = 300;

// Isolated (-I): a module named like one of Python's in the workspace is not
// imported. Parsing runs nothing and writes no cache.
constexpr std::string_view kParsePython = R"(import ast, sys
try:
    ast.parse(open(sys.argv[1], 'rb').read(), sys.argv[1])
except SyntaxError as e:
    sys.exit('%s:%s: %s' % (e.filename, e.lineno, e.msg))
)";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
      line.remove_suffix(1);
    }
    out.push_back(line);
    if (end == kNone) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

// The number in ":12:" after `path`.
std::string line_number(std::string_view line) {
  const std::size_t warning = line.find(": warning:");
  const std::string_view place = line.substr(0, warning);
  const std::size_t column = place.rfind(':');
  if (warning == kNone || column == kNone || column == 0) return {};
  const std::size_t number = place.rfind(':', column - 1);
  if (number == kNone) return {};
  return std::string(place.substr(number + 1, column - number - 1));
}

void add_line(std::string& out, std::string_view line) {
  if (!out.empty()) out += '\n';
  out += display_text(utf8_prefix(line, kLongestLine));
}

const std::vector<std::string_view>& c_family() {
  static const std::vector<std::string_view> names{
      ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm"};
  return names;
}

std::vector<Checker> table() {
  return {
      {{"clang-format", "clang-format-19", "clang-format-14"},
       {"--style=file", "--fallback-style=none", "--dry-run"},
       c_family(),
       false,
       {".clang-format", "_clang-format"},
       digest_of_clang_format},
      {{"clangd", "clangd-19", "clangd-14"},
       {"--log=error", "--check={}"},
       c_family(),
       true,
       {"compile_commands.json", "compile_flags.txt",
        "build/compile_commands.json"},
       digest_of_clangd},
      {{"python3"},
       {"-I", "-c", kParsePython},
       {".py", ".pyi"},
       false,
       {},
       digest_of_lines},
      {{"bash"}, {"-n"}, {".sh", ".bash"}, false, {}, digest_of_lines},
      {{"shellcheck"},
       {"--norc", "-f", "gcc", "-S", "warning"},
       {".sh", ".bash"},
       true,
       {},
       digest_of_lines},
      {{"node"},
       {"--check"},
       {".js", ".mjs", ".cjs"},
       false,
       {},
       digest_of_lines},
      {{"gofmt"}, {"-e", "-l"}, {".go"}, false, {}, digest_of_lines},
  };
}

}  // namespace

std::span<const Checker> checkers() {
  static const std::vector<Checker> all = table();
  return all;
}

std::string digest_of_clang_format(std::string_view printed) {
  std::vector<std::string> numbers;
  for (const std::string_view line : lines_of(printed)) {
    if (line.find("[-Wclang-format-violations]") == kNone) continue;
    std::string number = line_number(line);
    if (number.empty()) continue;
    if (numbers.empty() || numbers.back() != number) {
      numbers.push_back(std::move(number));
    }
  }
  if (numbers.empty()) return {};
  std::string out = numbers.size() == 1
                        ? "Not formatted as .clang-format says: line "
                        : "Not formatted as .clang-format says: lines ";
  const std::size_t shown = std::min(numbers.size(), kMostLines);
  for (std::size_t i = 0; i < shown; ++i) {
    out += (i == 0 ? "" : ", ") + numbers[i];
  }
  if (shown < numbers.size()) {
    out += " and " + std::to_string(numbers.size() - shown) + " more";
  }
  return out + ".";
}

std::string digest_of_clangd(std::string_view printed) {
  std::string out;
  std::size_t count = 0;
  for (std::string_view line : lines_of(printed)) {
    const std::size_t at = line.find("] Line ");
    if (at == kNone || !line.starts_with('E')) continue;
    if (++count > kMostLines) break;
    add_line(out, line.substr(at + 2));
  }
  return out;
}

std::string digest_of_lines(std::string_view printed) {
  std::string out;
  std::size_t count = 0;
  for (const std::string_view line : lines_of(printed)) {
    const std::string_view text =
        line.substr(std::min(line.size(), line.find_first_not_of(" \t")));
    if (text.empty() || text.starts_with("at ") ||
        text.starts_with("Node.js v"))
      continue;
    if (++count > kMostLines) break;
    add_line(out, line);
  }
  return out;
}

}  // namespace toolhost
