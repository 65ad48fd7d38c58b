// A Jupyter notebook as the text of its cells.
#pragma once

#include <optional>
#include <string_view>

#include "providers/builtin/read_output.hpp"

namespace toolhost::builtin {

// By its name: the content is JSON like any other.
bool is_notebook(std::string_view path);

// Cells in order, each below a line with its number and kind, outputs below
// the code that made them. Long outputs are cut, pictures are only named.
// nullopt: `bytes` is not a notebook.
std::optional<ConvertedText> notebook_text(std::string_view bytes);

}  // namespace toolhost::builtin
