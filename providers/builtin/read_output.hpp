// What read answers: text, an image, or why there is neither.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "protocol/content.hpp"
#include "providers/builtin/file_signature.hpp"
#include "providers/builtin/read_page.hpp"

namespace toolhost::builtin {

// One read; everything that a worker thread needs.
struct ReadJob {
  OpenFile file;
  ResolvedPath path;
  PageRequest request;
  std::string expected_revision;
  // A notebook as the JSON that it is.
  bool raw = false;
  config::ReadTool limits;
  std::shared_ptr<const std::atomic<bool>> stop;
};

// path, relativePath, byteSize, revision.
json::object read_facts(const ReadJob& job);

ToolOutput text_output(const ReadJob& job, Page page);
// `head`: the beginning of the file; the rest is read when it is not all.
ToolOutput image_output(const ReadJob& job, const ImageHeader& image,
                        std::string_view head);
// Text that was made from the file: `kind` ("pdf", "notebook") and `about`
// ("[Text of …]") tell from what, `parts` is the number of its `kind`s parts
// under the name `parts_name` ("pages", "cells").
struct ConvertedText {
  std::string text;
  std::string_view kind;
  std::string_view parts_name;
  std::size_t parts = 0;
  std::string about;
};
ToolOutput converted_output(const ReadJob& job, const ConvertedText& converted);

CallError binary_file(const ReadJob& job, std::string_view head);
CallError other_revision(const ReadJob& job);

}  // namespace toolhost::builtin
