// openrpc.json and PROTOCOL.md say what the code does: no more, no less.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "daemon/method.hpp"
#include "protocol/error.hpp"

namespace toolhost {
namespace {

using ::testing::IsSubsetOf;
using Words = std::set<std::string>;

std::string slurp(const std::string& file) {
  std::ifstream in(std::string(TOOLHOST_SOURCE_DIR) + "/" + file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

const json::object& document() {
  static const json::value kDocument =
      json::parse(slurp("protocol/openrpc.json"));
  return kDocument.get_object();
}

const json::object* documented(std::string_view method) {
  for (const auto& each : document().at("methods").as_array()) {
    if (each.at("name").as_string() == method) return &each.get_object();
  }
  return nullptr;
}

std::string text(const json::value& value) {
  return std::string(value.as_string());
}

// Every word in quotes that directly follows one of `marks` in `source`.
Words quoted_after(const std::string& source,
                   const std::vector<std::string>& marks) {
  Words out;
  for (const std::string& mark : marks) {
    for (std::size_t at = source.find(mark); at != std::string::npos;
         at = source.find(mark, at + 1)) {
      const std::size_t begin = at + mark.size();
      out.insert(source.substr(begin, source.find('"', begin) - begin));
    }
  }
  return out;
}

// What a reader named `in` takes: by convention the top level of params.
Words params_read(const std::string& file) {
  std::vector<std::string> marks;
  for (const char* reader :
       {"required_string", "optional_string", "optional_strings",
        "optional_bool", "optional_int", "optional_object", "optional_array",
        "optional_choice"}) {
    marks.push_back("in." + std::string(reader) + "(\"");
  }
  // Without white space: a reader and its word may be on two lines.
  std::string source = slurp(file);
  std::erase_if(source, [](char c) { return c == ' ' || c == '\n'; });
  return quoted_after(source, marks);
}

// listTools → list_tools
std::string file_of(std::string_view method) {
  std::string out = "daemon/methods/";
  for (const char c : method) {
    if (c >= 'A' && c <= 'Z') {
      out += '_';
      out += static_cast<char>(c + 32);
    } else {
      out += c == '.' ? '_' : c;
    }
  }
  return out + ".cpp";
}

TEST(OpenRpc, NamesEveryMethodWithItsRoles) {
  Words code;
  Words paper;
  for (const MethodDefinition* method : methods()) {
    code.emplace(method->name);
    const json::object* entry = documented(method->name);
    ASSERT_TRUE(entry) << method->name;
    std::string roles;
    for (const auto& role : entry->at("x-roles").as_array()) {
      roles += (roles.empty() ? "" : ", ") + text(role);
    }
    EXPECT_EQ(roles, method->roles == kAnybody ? "" : role_names(method->roles))
        << method->name;
    EXPECT_EQ(entry->contains("x-before-initialize"), method->before_initialize)
        << method->name;
    EXPECT_EQ(entry->contains("x-reserved-slot"), method->reserved_slot)
        << method->name;
  }
  for (const auto& each : document().at("methods").as_array()) {
    paper.insert(text(each.at("name")));
  }
  EXPECT_EQ(code, paper);
}

TEST(OpenRpc, NamesEveryParameterThatAMethodReads) {
  const Words shared{"sessionId", "workspace", "context"};
  // Decoded beside the method.
  Words elsewhere = params_read("daemon/execute_request.cpp");
  for (const std::string& each : params_read("gates/session.cpp")) {
    elsewhere.insert(each);
  }
  for (const MethodDefinition* method : methods()) {
    Words named;
    for (const auto& param :
         documented(method->name)->at("params").as_array()) {
      named.insert(text(param.at("name")));
    }
    Words read = params_read(file_of(method->name));
    // Members of objects in params, which have readers named `in` as well.
    for (const char* inner :
         {"name", "version", "title", "callIds", "mine", "epoch", "seq"}) {
      if (method->name == "initialize" || method->name == "subscribe") {
        read.erase(inner);
      }
    }
    if (method->name == "subscribe") read.erase("workspace");
    EXPECT_THAT(read, IsSubsetOf(named)) << method->name;
    Words possible = read;
    possible.insert(shared.begin(), shared.end());
    possible.insert(elsewhere.begin(), elsewhere.end());
    EXPECT_THAT(named, IsSubsetOf(possible)) << method->name;
  }
}

TEST(OpenRpc, ListsTheErrorsOfTheRegistry) {
  const auto& listed = document().at("x-errors").as_array();
  ASSERT_EQ(listed.size(), error_registry().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const ErrorInfo& row = error_registry()[i];
    EXPECT_EQ(listed[i].at("code").as_int64(), row.number);
    EXPECT_EQ(text(listed[i].at("kind")), row.kind);
    EXPECT_EQ(listed[i].at("retryable").as_bool(), row.retryable);
    EXPECT_EQ(text(listed[i].at("meaning")), row.meaning);
  }
  const auto& calls = document().at("x-call-errors").as_array();
  ASSERT_EQ(calls.size(), call_error_registry().size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(text(calls[i].at("kind")), call_error_registry()[i].kind);
  }
}

TEST(OpenRpc, EveryReferenceLeadsSomewhere) {
  const std::string whole = slurp("protocol/openrpc.json");
  for (const std::string& each : quoted_after(whole, {"\"$ref\": \"#/"})) {
    const json::value* here = nullptr;
    json::value root(document());
    here = &root;
    std::string path = each + "/";
    for (std::size_t end = path.find('/'); end != std::string::npos && here;
         end = path.find('/')) {
      here = here->is_object()
                 ? here->get_object().if_contains(path.substr(0, end))
                 : nullptr;
      path.erase(0, end + 1);
    }
    EXPECT_TRUE(here) << each;
  }
}

TEST(Notifications, AreThoseThatTheCodeSends) {
  Words sent;
  for (const char* folder : {"daemon", "daemon/methods", "gates"}) {
    const auto path = std::filesystem::path(TOOLHOST_SOURCE_DIR) / folder;
    for (const auto& file : std::filesystem::directory_iterator(path)) {
      if (file.path().extension() != ".cpp") continue;
      const std::string source =
          slurp(std::string(folder) + "/" + file.path().filename().string());
      for (const char* topic : {"approval", "call", "tools", "provider",
                                "config", "rule", "server", "stream"}) {
        const std::string mark = "\"" + std::string(topic) + "/";
        for (const std::string& word : quoted_after(source, {mark})) {
          // A notification, not an include ("config/config.hpp").
          if (word.find('.') != std::string::npos) continue;
          sent.insert(std::string(topic) + "/" + word);
        }
      }
    }
  }
  Words listed;
  for (const auto& each : document().at("x-notifications").as_array()) {
    listed.insert(text(each.at("name")));
  }
  EXPECT_THAT(sent, IsSubsetOf(listed));
  EXPECT_THAT(listed, IsSubsetOf(sent));
}

TEST(ProtocolPage, NamesEveryMethodErrorAndNotification) {
  const std::string page = slurp("protocol/PROTOCOL.md");
  for (const MethodDefinition* method : methods()) {
    EXPECT_NE(page.find(std::string(method->name)), std::string::npos)
        << method->name;
  }
  for (const ErrorInfo& row : error_registry()) {
    EXPECT_NE(page.find("| " + std::to_string(row.number) + " | `" +
                        std::string(row.kind) + "` |"),
              std::string::npos)
        << row.kind;
  }
  for (const CallErrorInfo& row : call_error_registry()) {
    EXPECT_NE(page.find("| `" + std::string(row.kind) + "` |"),
              std::string::npos)
        << row.kind;
  }
  for (const auto& each : document().at("x-notifications").as_array()) {
    EXPECT_NE(page.find(text(each.at("name"))), std::string::npos)
        << text(each.at("name"));
  }
}

}  // namespace
}  // namespace toolhost
