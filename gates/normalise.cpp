// Asks: are there secrets in the output, and does it fit into what a model
// should get at once?
// Refuses: nothing.
// Adds: marks in place of secrets; a preview and an artifact in place of a too
// large output; a word for an empty one.
// Why here: last change of the output; what is recorded and sent is the same.
#include "gates/gates.hpp"
#include "gates/scrub/scrub_json.hpp"
#include "protocol/text.hpp"

namespace toolhost::gates {
namespace {

// Of the preview: the beginning says what it is, the end how it went.
constexpr std::size_t kHead = 4096;
constexpr std::size_t kTail = 1024;

void spill(Call& call, Parts& parts, std::size_t size) {
  ToolOutput& output = call.output;
  std::string whole;
  whole.reserve(size);
  for (const Content& block : output.content) {
    if (!whole.empty()) whole += '\n';
    whole += block.value;
  }
  std::string text(utf8_prefix(whole, kHead));
  auto kept = parts.artifacts.create(call.session->id, size);
  const std::string omitted = std::to_string(whole.size() - kHead - kTail) +
                              " of " + std::to_string(whole.size()) +
                              " bytes are left out";
  if (kept) {
    kept->append(whole);
    output.artifact = kept->id();
    text += "\n[" + omitted + "; read them with readOutput, artifactId " +
            output.artifact + (kept->cut() ? " (cut: the disk is full)" : "") +
            ".]\n";
  } else {
    text += "\n[" + omitted +
            " and could not be kept: " + kept.error().message +
            " Ask for less.]\n";
  }
  text += utf8_suffix(whole, kTail);
  output.content.clear();
  output.content.push_back(Content::text(std::move(text)));
  output.truncated = true;
  output.total_bytes = whole.size();
}

// Before anything is kept, cut or sent. A file that is read keeps what only its
// name makes a secret: most of that is source code, and an edit has to match.
void without_secrets(ToolOutput& output, Scrub what) {
  for (Content& block : output.content) {
    if (block.type == Content::Type::text) scrub(block.value, what);
  }
  if (output.structured) scrub(*output.structured, what);
  if (output.error) {
    scrub(output.error->message, what);
    scrub(output.error->hint, what);
  }
}

}  // namespace

void normalise(Call& call, Parts& parts) {
  ToolOutput& output = call.output;
  without_secrets(output, call.tool->tool.pure_read ? Scrub::shapes
                                                    : Scrub::names_and_shapes);
  std::size_t size = 0;
  bool only_text = true;
  for (const Content& block : output.content) {
    size += block.value.size();
    only_text = only_text && block.type == Content::Type::text;
  }
  if (output.content.empty() && !output.error) {
    output.content.push_back(Content::text("(The output is empty.)"));
    return;
  }
  const std::size_t budget = call.snapshot->config->tools.output_bytes;
  if (output.paged || !only_text || size <= budget) return;
  spill(call, parts, size);
}

}  // namespace toolhost::gates
