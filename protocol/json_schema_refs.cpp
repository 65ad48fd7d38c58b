#include "protocol/json_schema_refs.hpp"

#include <charconv>
#include <vector>

#include "protocol/json_schema_words.hpp"

namespace toolhost::schema {
namespace {

Error bad_ref(std::string_view ref, std::string why) {
  return make_error(Code::invalid_params,
                    "the reference " + literal(ref) + " " + std::move(why));
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high =
        text[i] == '%' && i + 2 < text.size() ? hex(text[i + 1]) : -1;
    const int low = high >= 0 ? hex(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// A token of a JSON pointer: ~1 is a slash, ~0 a tilde.
std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() &&
        (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

const json::value* step(const json::value& at, const std::string& token) {
  if (at.is_object()) return at.get_object().if_contains(token);
  if (!at.is_array()) return nullptr;
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto parsed = std::from_chars(token.data(), end, index);
  if (token.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    return nullptr;
  }
  return at.get_array().if_contains(index);
}

// The values of these are data, not schemas: a $id in them names nothing.
bool holds_data(std::string_view keyword) {
  return keyword == "enum" || keyword == "const" || keyword == "default" ||
         keyword == "examples";
}

// What a node asks of the same value. `choice`: the answer may be "no" and the
// node still fits.
template <class Visit>
void for_each_branch(const Node& node, const Visit& visit) {
  if (node.objects) {
    for (const auto& [name, id] : node.objects->dependent_schemas) {
      visit(id, false);
    }
  }
  if (!node.branches) return;
  const Branches& branches = *node.branches;
  for (const NodeId id : branches.refs) visit(id, false);
  for (const NodeId id : branches.all_of) visit(id, false);
  for (const NodeId id : branches.any_of) visit(id, true);
  for (const NodeId id : branches.one_of) visit(id, true);
  if (branches.negated != kNone) visit(branches.negated, true);
  if (branches.condition != kNone) visit(branches.condition, true);
  if (branches.then != kNone) visit(branches.then, false);
  if (branches.otherwise != kNone) visit(branches.otherwise, false);
}

// Takes away what has no edge left into it, until only loops and the ways
// between them stay in `left`.
void peel(const std::vector<std::vector<NodeId>>& edges,
          std::vector<char>& left) {
  std::vector<std::size_t> incoming(edges.size());
  for (NodeId from = 0; from < edges.size(); ++from) {
    if (!left[from]) continue;
    for (const NodeId to : edges[from]) ++incoming[to];
  }
  std::vector<NodeId> free;
  for (NodeId id = 0; id < edges.size(); ++id) {
    if (left[id] && incoming[id] == 0) free.push_back(id);
  }
  while (!free.empty()) {
    const NodeId from = free.back();
    free.pop_back();
    left[from] = 0;
    for (const NodeId to : edges[from]) {
      if (left[to] && --incoming[to] == 0) free.push_back(to);
    }
  }
}

}  // namespace

Result<const json::value*> References::find(std::string_view ref) {
  if (ref.empty() || ref == "#") return &root_;
  if (ref.starts_with("#/")) return find_pointer(ref, ref.substr(1));
  collect_names();
  const auto found = names_.find(std::string(ref));
  if (found != names_.end()) {
    if (found->second) return found->second;
    return bad_ref(ref, "names two schemas");
  }
  if (ref.starts_with('#')) return bad_ref(ref, "names nothing");
  return bad_ref(ref,
                 "is not in this schema; only references inside the schema "
                 "(#/…) are followed");
}

Result<const json::value*> References::find_pointer(
    std::string_view ref, std::string_view pointer) const {
  const std::string decoded = percent_decoded(pointer);
  std::string_view rest = decoded;
  const json::value* at = &root_;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    at = step(*at, unescaped(rest.substr(0, end)));
    if (!at) return bad_ref(ref, "names nothing");
    rest.remove_prefix(end);
  }
  return at;
}

void References::collect_names() {
  if (collected_) return;
  collected_ = true;
  std::vector<const json::value*> left{&root_};
  const auto note = [this](std::string name, const json::value* schema) {
    const auto [at, fresh] = names_.emplace(std::move(name), schema);
    if (!fresh && at->second != schema) at->second = nullptr;
  };
  while (!left.empty()) {
    const json::value* at = left.back();
    left.pop_back();
    if (at->is_array()) {
      for (const json::value& item : at->get_array()) left.push_back(&item);
    }
    if (!at->is_object()) continue;
    for (const auto& member : at->get_object()) {
      const std::string_view key = member.key();
      if (!member.value().is_string()) {
        if (!holds_data(key)) left.push_back(&member.value());
        continue;
      }
      const std::string text(member.value().get_string());
      if (key == "$id" || key == "id") note(text, at);
      if (key == "$anchor" || key == "$dynamicAnchor") note("#" + text, at);
    }
  }
}

std::optional<NodeId> find_paradox(const std::vector<Node>& nodes) {
  std::vector<std::vector<NodeId>> edges(nodes.size());
  std::vector<std::vector<NodeId>> back(nodes.size());
  for (NodeId from = 0; from < nodes.size(); ++from) {
    for_each_branch(nodes[from], [&](NodeId to, bool) {
      edges[from].push_back(to);
      back[to].push_back(from);
    });
  }
  std::vector<char> left(nodes.size(), 1);
  peel(edges, left);
  peel(back, left);
  for (NodeId from = 0; from < nodes.size(); ++from) {
    if (!left[from]) continue;
    bool choice_in_loop = false;
    for_each_branch(nodes[from], [&](NodeId to, bool choice) {
      choice_in_loop = choice_in_loop || (choice && left[to]);
    });
    if (choice_in_loop) return from;
  }
  return std::nullopt;
}

}  // namespace toolhost::schema
