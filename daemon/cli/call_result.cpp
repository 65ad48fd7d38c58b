#include "daemon/cli/call_result.hpp"

namespace toolhost::cli {
namespace {

std::string content_text(const json::object& block) {
  const std::string type = text_at(block, "type");
  if (type == "text") return text_at(block, "text");
  if (type == "image" || type == "audio") {
    return "[" + type + " " + text_at(block, "mimeType") + ", " +
           std::to_string(text_at(block, "data").size()) +
           " characters of base64; --json prints it]\n";
  }
  if (type == "resource_link") return "[" + text_at(block, "uri") + "]\n";
  return "[" + type + "; --json prints it]\n";
}

// Returns whether the content says `message` already.
bool print_content(Console& console, const json::object& result,
                   const std::string& message) {
  bool said = false;
  for (const json::value& item : array_at(result, "content")) {
    if (!item.is_object()) continue;
    const std::string text = content_text(item.get_object());
    console.print(text);
    // What follows on standard error starts a line of its own.
    if (!message.empty() && text.find(message) != std::string::npos) {
      said = true;
      if (!console.traits().terminal_out && !text.ends_with('\n')) {
        console.bytes("\n");
      }
    }
  }
  return said;
}

}  // namespace

int print_result(Invocation& invocation, const json::object& result) {
  Console& console = invocation.console;
  const ExitCode code = exit_code_of_result(result);
  if (invocation.globals.json) {
    console.json(result);
    return code;
  }
  const json::object& error = object_at(result, "error");
  const std::string kind = text_at(error, "kind");
  if (print_content(console, result, text_at(error, "message"))) {
    console.note("toolhost: " + kind);
  } else if (!error.empty()) {
    console.note("toolhost: " + text_at(error, "message") + " [" + kind + "]");
    const std::string hint = text_at(error, "hint");
    if (!hint.empty()) console.note("  " + hint);
  }
  const json::object& output = object_at(result, "output");
  const std::string artifact = text_at(output, "artifactId");
  if (bool_at(output, "truncated") && !artifact.empty()) {
    console.note("Cut; all " + text_at(output, "totalBytes") +
                 " bytes: toolhost output " + artifact);
  }
  return code;
}

int print_gates(Invocation& invocation, const json::object& result) {
  Console& console = invocation.console;
  const ExitCode code = exit_code_of_result(result);
  if (invocation.globals.json) {
    console.json(result);
    return code;
  }
  Table table;
  table.head = {"GATE", "VERDICT", "DETAIL"};
  for (const json::value& item : array_at(result, "gates")) {
    if (!item.is_object()) continue;
    const json::object& gate = item.get_object();
    table.rows.push_back({text_at(gate, {"gate", "name"}),
                          text_at(gate, "verdict"), text_at(gate, "detail")});
  }
  console.table(table);
  const json::object& error = object_at(result, "error");
  if (!error.empty()) {
    console.note("toolhost: it would be refused: " + text_at(error, "message") +
                 " [" + text_at(error, "kind") + "]");
  }
  return code;
}

}  // namespace toolhost::cli
