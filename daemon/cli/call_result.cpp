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

void print_content(Console& console, const json::object& result) {
  for (const json::value& item : array_at(result, "content")) {
    if (!item.is_object()) continue;
    console.print(content_text(item.get_object()));
  }
}

}  // namespace

int print_result(Invocation& invocation, const json::object& result) {
  Console& console = invocation.console;
  const ExitCode code = exit_code_of_result(result);
  if (invocation.globals.json) {
    console.json(result);
    return code;
  }
  print_content(console, result);
  const json::object& error = object_at(result, "error");
  if (!error.empty()) {
    console.note("toolhost: " + text_at(error, "message") + " [" +
                 text_at(error, "kind") + "]");
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
