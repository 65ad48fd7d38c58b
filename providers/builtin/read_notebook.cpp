#include "providers/builtin/read_notebook.hpp"

#include <boost/json.hpp>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

// Of one output; the rest is in the file.
constexpr std::size_t kOutputBytes = 8 * 1024;

// "source" and "text" are a string, or a list of lines with their newlines.
std::string joined(const json::value* value) {
  std::string out;
  if (!value) return out;
  if (value->is_string()) out = value->get_string();
  if (value->is_array()) {
    for (const json::value& line : value->get_array()) {
      if (line.is_string()) out += std::string_view(line.get_string());
    }
  }
  return out;
}

std::string word(const json::object& object, std::string_view name) {
  return joined(object.if_contains(name));
}

// Tracebacks come with colours for a terminal.
std::string without_colours(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape =
        text[at] == '\x1b' && at + 1 < text.size() && text[at + 1] == '[';
    if (!escape) {
      out += text[at];
      continue;
    }
    const std::size_t end = text.find_first_of("ABCDEFGHJKSTfmnsu", at + 2);
    if (end == std::string_view::npos) break;
    at = end;
  }
  return out;
}

void add_block(std::string& out, std::string_view text) {
  out += text;
  if (!text.empty() && !text.ends_with('\n')) out += '\n';
}

void add_cut(std::string& out, const std::string& text) {
  const std::string_view shown = utf8_prefix(text, kOutputBytes);
  add_block(out, shown);
  if (shown.size() < text.size()) {
    out += "… [the output has " + std::to_string(text.size()) +
           " bytes; the first " + std::to_string(shown.size()) +
           " are shown]\n";
  }
}

void add_output(std::string& out, const json::object& output) {
  const std::string type = word(output, "output_type");
  if (type == "stream") {
    out += "[output: " + word(output, "name") + "]\n";
    add_cut(out, without_colours(word(output, "text")));
  } else if (type == "error") {
    out += "[error: " + word(output, "ename") + "]\n";
    add_cut(out, without_colours(word(output, "evalue")));
    const json::value* trace = output.if_contains("traceback");
    std::string lines;
    if (trace && trace->is_array()) {
      for (const json::value& line : trace->get_array()) {
        if (line.is_string()) add_block(lines, line.get_string());
      }
    }
    add_cut(out, without_colours(lines));
  } else {
    const json::value* data = output.if_contains("data");
    if (!data || !data->is_object()) return;
    for (const auto& form : data->get_object()) {
      const std::string_view mime = form.key();
      if (mime == "text/plain") {
        out += "[output: " + (type.empty() ? "data" : type) + "]\n";
        add_cut(out, joined(&form.value()));
      } else {
        out += "[output: " + std::string(mime) + ", " +
               std::to_string(joined(&form.value()).size()) +
               " bytes, not shown]\n";
      }
    }
  }
}

void add_cell(std::string& out, const json::object& cell, std::size_t number) {
  const std::string type = word(cell, "cell_type");
  out += "[cell " + std::to_string(number) + ": " +
         (type.empty() ? "unknown" : type);
  const json::value* count = cell.if_contains("execution_count");
  if (count && count->is_int64()) {
    out += ", run " + std::to_string(count->get_int64());
  }
  out += "]\n";
  add_block(out, word(cell, "source"));
  const json::value* outputs = cell.if_contains("outputs");
  if (!outputs || !outputs->is_array()) return;
  for (const json::value& output : outputs->get_array()) {
    if (output.is_object()) add_output(out, output.get_object());
  }
}

// Format 4 has its cells on top, format 3 in worksheets.
std::vector<const json::object*> cells_of(const json::object& notebook) {
  std::vector<const json::object*> out;
  const auto add = [&](const json::value* list) {
    if (!list || !list->is_array()) return;
    for (const json::value& cell : list->get_array()) {
      if (cell.is_object()) out.push_back(&cell.get_object());
    }
  };
  add(notebook.if_contains("cells"));
  const json::value* sheets = notebook.if_contains("worksheets");
  if (!sheets || !sheets->is_array()) return out;
  for (const json::value& sheet : sheets->get_array()) {
    if (sheet.is_object()) add(sheet.get_object().if_contains("cells"));
  }
  return out;
}

}  // namespace

bool is_notebook(std::string_view path) { return path.ends_with(".ipynb"); }

std::optional<ConvertedText> notebook_text(std::string_view bytes) {
  json::parse_options options;
  options.max_depth = 64;
  boost::system::error_code failure;
  const json::value value = json::parse(bytes, failure, {}, options);
  if (failure || !value.is_object()) return std::nullopt;
  const json::object& notebook = value.get_object();
  if (!notebook.contains("cells") && !notebook.contains("worksheets")) {
    return std::nullopt;
  }
  ConvertedText out;
  for (const json::object* cell : cells_of(notebook)) {
    if (out.parts > 0) out.text += '\n';
    add_cell(out.text, *cell, ++out.parts);
  }
  out.kind = "notebook";
  out.parts_name = "cells";
  out.about = "[The text of a Jupyter notebook of " +
              std::to_string(out.parts) +
              " cells. For an edit, read it with raw set to true: the file "
              "is JSON.]";
  return out;
}

}  // namespace toolhost::builtin
