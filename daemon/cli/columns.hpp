// Text in columns of a terminal: widths, cuts, wraps.
//
// Input is safe text (display_text): valid UTF-8 without control characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolhost::cli {

// Columns that the text takes; wide characters take two, marks none.
int columns(std::string_view text);

// At most `width` columns; a cut is shown by an ellipsis.
std::string cut(std::string_view text, int width);

// Exactly `width` columns: cut or filled with blanks.
std::string pad(std::string_view text, int width);

// The whole text in pieces of at most `width` columns; nothing is dropped and
// blanks are kept, because a prompt that hides a part is a trap. Tabs become
// blanks up to the next eighth column.
std::vector<std::string> wrap(std::string_view text, int width);

// Pieces at line feeds; a final line feed makes no empty piece.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace toolhost::cli
