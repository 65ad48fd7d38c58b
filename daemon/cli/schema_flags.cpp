#include "daemon/cli/schema_flags.hpp"

#include <charconv>
#include <cstdlib>
#include <set>

#include "daemon/cli/json_read.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

// "file_path" and "filePath" are "file-path".
std::string dashed(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_') {
      out += '-';
    } else if (c >= 'A' && c <= 'Z') {
      if (!out.empty() && out.back() != '-') out += '-';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  return out;
}

// The one type that a schema names beside null; empty when it is open.
std::string type_of(const json::object& schema) {
  const json::value* type = schema.if_contains("type");
  if (!type) return {};
  if (type->is_string()) return std::string(type->get_string());
  std::string found;
  if (!type->is_array()) return {};
  for (const json::value& item : type->get_array()) {
    if (!item.is_string() || item.get_string() == "null") continue;
    if (!found.empty()) return {};
    found = std::string(item.get_string());
  }
  return found;
}

Error bad(const std::string& flag, const std::string& what) {
  return make_error(Code::invalid_params, "--" + flag + " " + what + ".",
                    "`toolhost tools NAME` shows the tool's arguments.");
}

Result<json::value> parse_json(const std::string& flag,
                               const std::string& text) {
  boost::system::error_code ec;
  json::value value = json::parse(text, ec);
  if (ec) return bad(flag, "takes JSON, and this is none: " + text);
  return value;
}

Result<json::value> parse_integer(const std::string& flag,
                                  const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return bad(flag, "takes a whole number, not \"" + text + "\"");
  }
  return json::value(number);
}

Result<json::value> parse_number(const std::string& flag,
                                 const std::string& text) {
  auto value = parse_json(flag, text);
  if (!value || !value->is_number()) {
    return bad(flag, "takes a number, not \"" + text + "\"");
  }
  return value;
}

// A value of unknown type: JSON where it is JSON, else the text.
json::value guess(const std::string& text) {
  boost::system::error_code ec;
  json::value value = json::parse(text, ec);
  return ec ? json::value(text) : value;
}

Result<json::value> parse_value(const json::object& schema,
                                const std::string& flag,
                                const std::string& text) {
  const std::string type = type_of(schema);
  if (type == "string") return json::value(text);
  if (type == "integer") return parse_integer(flag, text);
  if (type == "number") return parse_number(flag, text);
  if (type == "boolean") {
    if (text == "true") return json::value(true);
    if (text == "false") return json::value(false);
    return bad(flag, "takes true or false, not \"" + text + "\"");
  }
  if (type == "object" || type == "array") return parse_json(flag, text);
  return guess(text);
}

class Reader {
 public:
  explicit Reader(const json::object& schema)
      : schema_(schema), properties_(object_at(schema, "properties")) {
    for (const auto& member : properties_) {
      names_.emplace_back(member.key());
    }
  }

  Result<json::object> read(const std::vector<std::string>& words) {
    for (std::size_t at = 0; at < words.size();) {
      auto used = read_flag(words, at);
      if (!used) return used.error();
      at += *used;
    }
    for (const json::value& name : array_at(schema_, "required")) {
      if (name.is_string() && !out_.contains(name.get_string())) {
        missing_ +=
            (missing_.empty() ? "--" : ", --") + dashed(name.get_string());
      }
    }
    if (!missing_.empty()) {
      return make_error(Code::invalid_params, "Missing: " + missing_ + ".",
                        "`toolhost tools NAME` shows the tool's arguments.");
    }
    return std::move(out_);
  }

 private:
  // How many words the flag at `at` took.
  Result<std::size_t> read_flag(const std::vector<std::string>& words,
                                std::size_t at) {
    const std::string& word = words[at];
    if (!word.starts_with("--") || word.size() == 2) {
      return make_error(
          Code::invalid_params,
          "After -- come flags like --name VALUE, not \"" + word + "\".");
    }
    const std::size_t equals = word.find('=');
    const std::string flag = word.substr(2, std::min(equals, word.size()) - 2);
    if (flag.starts_with("no-") && !find(flag)) {
      const std::string* negated = find(flag.substr(3));
      if (negated && type_of(object_at(properties_, *negated)) == "boolean") {
        out_[*negated] = false;
        return std::size_t{1};
      }
    }
    const std::string* name = find(flag);
    if (!name) return unknown(flag);
    const json::object& schema = object_at(properties_, *name);
    if (equals != std::string::npos) {
      return put(*name, schema, flag, word.substr(equals + 1), 1);
    }
    if (type_of(schema) == "boolean") {
      const bool follows = at + 1 < words.size() && (words[at + 1] == "true" ||
                                                     words[at + 1] == "false");
      return put(*name, schema, flag, follows ? words[at + 1] : "true",
                 follows ? 2 : 1);
    }
    if (at + 1 == words.size()) return bad(flag, "needs a value");
    return put(*name, schema, flag, words[at + 1], 2);
  }

  Result<std::size_t> put(const std::string& name, const json::object& schema,
                          const std::string& flag, const std::string& text,
                          std::size_t used) {
    if (type_of(schema) == "array" && !text.starts_with('[')) {
      auto item = parse_value(object_at(schema, "items"), flag, text);
      if (!item) return item.error();
      json::value& list = out_[name];
      if (!list.is_array()) list = json::array();
      list.get_array().push_back(std::move(*item));
      return used;
    }
    auto value = parse_value(schema, flag, text);
    if (!value) return value.error();
    if (!given_.insert(name).second) {
      return bad(flag, "is given twice");
    }
    out_[name] = std::move(*value);
    return used;
  }

  const std::string* find(const std::string& flag) const {
    for (const std::string& name : names_) {
      if (name == flag) return &name;
    }
    for (const std::string& name : names_) {
      if (dashed(name) == flag) return &name;
    }
    return nullptr;
  }

  Error unknown(const std::string& flag) const {
    std::vector<std::string> flags;
    for (const std::string& name : names_) flags.push_back(dashed(name));
    std::string hint = "The tool takes";
    for (const std::string& known : flags) hint += " --" + known;
    std::string message = "The tool has no argument --" + flag + ".";
    const auto near = similar_names(flag, flags, 1);
    if (!near.empty()) message += " Did you mean --" + near.front() + "?";
    return make_error(
        Code::invalid_params, std::move(message),
        flags.empty() ? "The tool takes no arguments." : hint + ".");
  }

  const json::object& schema_;
  const json::object& properties_;
  std::vector<std::string> names_;
  std::set<std::string> given_;
  std::string missing_;
  json::object out_;
};

}  // namespace

Result<json::object> arguments_from_flags(
    const json::object& schema, const std::vector<std::string>& words) {
  return Reader(schema).read(words);
}

std::vector<std::string> describe_flags(const json::object& schema) {
  std::set<std::string> required;
  for (const json::value& name : array_at(schema, "required")) {
    if (name.is_string()) required.emplace(name.get_string());
  }
  std::vector<std::string> out;
  for (const auto& member : object_at(schema, "properties")) {
    if (!member.value().is_object()) continue;
    const json::object& property = member.value().get_object();
    std::string type = type_of(property);
    if (type.empty()) type = "value";
    std::string line = "--" + dashed(member.key());
    if (type != "boolean") line += " <" + type + ">";
    if (required.contains(std::string(member.key()))) line += " (required)";
    const std::string description = text_at(property, "description");
    if (!description.empty()) line += "  " + description;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace toolhost::cli
