// A workspace in which patches are applied as the pipeline applies them.
#pragma once

#include <sys/stat.h>

#include "tests/unit/providers/file_tool_fixture.hpp"

namespace toolhost::testing {

class ApplyPatchTest : public FileToolTest {
 protected:
  ApplyPatchTest() : FileToolTest(builtin::apply_patch_tool) {}

  static json::object arguments(const std::string& body) {
    return {{"patch", "*** Begin Patch\n" + body + "*** End Patch\n"}};
  }
  ToolOutput patch(const std::string& body,
                   const std::function<void()>& between = {}) {
    return call(arguments(body), between);
  }
  Resolution resolved(const std::string& body) {
    auto out = resolve(arguments(body));
    EXPECT_TRUE(out) << out.error().message;
    return out ? std::move(*out) : Resolution();
  }
  static const json::object& change(const Resolution& resolution,
                                    std::size_t index) {
    return resolution.subject.at("changes").as_array().at(index).as_object();
  }
  // The file "f" of these bytes after hunks for it.
  std::string patched(std::string_view file, const std::string& hunks) {
    add("f", file);
    const auto output = patch("*** Update File: f\n" + hunks);
    EXPECT_FALSE(output.error) << text(output);
    return on_disk("f");
  }
  // The message of hunks that fail and leave "f" as it was.
  std::string refused(std::string_view file, const std::string& hunks) {
    add("f", file);
    const auto output = patch("*** Update File: f\n" + hunks);
    EXPECT_TRUE(output.error);
    EXPECT_EQ(on_disk("f"), file);
    return text(output);
  }
  bool exists(const std::string& path) const {
    return std::filesystem::exists(root + "/" + path);
  }
  mode_t mode(const std::string& path) const {
    struct stat st {};
    stat((root + "/" + path).c_str(), &st);
    return st.st_mode & 07777;
  }
};

}  // namespace toolhost::testing
