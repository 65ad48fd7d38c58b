#include "providers/mcp/content.hpp"

#include "protocol/base64.hpp"
#include "protocol/text.hpp"

namespace toolhost::mcp {
namespace {

using std::string_view;

constexpr std::size_t kShown = 300;
constexpr std::size_t kMaxBlocks = 1000;

string_view member(const json::object& object, string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string()) return {};
  return value->get_string();
}

std::string shown(string_view text) {
  return display_text(utf8_prefix(text, kShown));
}

class Reader {
 public:
  explicit Reader(const ExecutionContext& context) : context_(context) {}

  void read(const json::value& value) {
    const json::object* block = value.if_object();
    if (!block) return note("A block that is no object was left out.");
    const string_view type = member(*block, "type");
    if (type == "text") return text(member(*block, "text"));
    if (type == "image" || type == "audio") {
      return bytes(member(*block, "data"), member(*block, "mimeType"),
                   "A piece of " + std::string(type));
    }
    if (type == "resource_link") return link(*block);
    if (type == "resource") return resource(*block);
    note("A block of type \"" + shown(type) + "\" was left out.");
  }

  std::vector<Content> out;

 private:
  void text(string_view text) {
    out.push_back(Content::text(std::string(text)));
  }
  void note(const std::string& text) {
    out.push_back(Content::text("[" + text + "]"));
  }

  void link(const json::object& block) {
    const string_view uri = member(block, "uri");
    if (uri.empty()) return note("A link without an address was left out.");
    std::string about(member(block, "title"));
    if (about.empty()) about = member(block, "name");
    const string_view description = member(block, "description");
    if (!description.empty()) {
      about += (about.empty() ? "" : ": ") + std::string(description);
    }
    if (!about.empty()) text(about + " <" + std::string(uri) + ">");
    Content link;
    link.type = Content::Type::resource_link;
    link.value = uri;
    link.mime_type = member(block, "mimeType");
    out.push_back(std::move(link));
  }

  void resource(const json::object& block) {
    const json::value* inside = block.if_contains("resource");
    const json::object* object = inside ? inside->if_object() : nullptr;
    if (!object) return note("An empty resource was left out.");
    const string_view uri = member(*object, "uri");
    if (object->contains("text")) {
      std::string whole;
      if (!uri.empty()) whole = "[" + shown(uri) + "]\n";
      whole += member(*object, "text");
      return text(whole);
    }
    bytes(member(*object, "blob"), member(*object, "mimeType"),
          "The resource " + shown(uri));
  }

  void bytes(string_view data, string_view mime, const std::string& what) {
    const std::size_t limit = context_.tool.config.tools.read.max_image_bytes;
    const std::size_t size = data.size() / 4 * 3;
    const std::string kind =
        mime.empty() ? "application/octet-stream" : shown(mime);
    const auto raw = from_base64(data);
    if (!raw) {
      return note(what + " (" + kind +
                  ") was left out: its data is no base64.");
    }
    if (mime.starts_with("image/") && size <= limit) {
      out.push_back(Content::image(std::string(mime), std::string(data)));
      return;
    }
    auto kept = context_.artifacts.create(context_.session_id, raw->size());
    if (!kept) {
      return note(what + " (" + kind + ", " + std::to_string(raw->size()) +
                  " bytes) could not be kept: " + kept.error().message);
    }
    kept->append(*raw);
    note(what + " (" + kind + ", " + std::to_string(raw->size()) +
         " bytes) is kept: readOutput, artifactId " + kept->id() +
         (kept->cut() ? " (cut: the disk is full)" : "") + ".");
  }

  const ExecutionContext& context_;
};

}  // namespace

std::vector<Content> read_content(const json::array& blocks,
                                  const ExecutionContext& context) {
  Reader reader(context);
  std::size_t taken = 0;
  for (const json::value& block : blocks) {
    if (++taken > kMaxBlocks) {
      reader.out.push_back(
          Content::text("[" + std::to_string(blocks.size() - kMaxBlocks) +
                        " more blocks were left out.]"));
      break;
    }
    reader.read(block);
  }
  return std::move(reader.out);
}

}  // namespace toolhost::mcp
