// Facts about many bytes at once, at memory speed.
#pragma once

#include <cstddef>
#include <string_view>

namespace toolhost::builtin {

std::size_t count_newlines(std::string_view bytes);

struct ByteClasses {
  bool nul = false;
  bool non_ascii = false;
  bool carriage_return = false;
};
ByteClasses classify(std::string_view bytes);

// Index just behind the n-th newline (n >= 1), or npos.
std::size_t after_newline(std::string_view bytes, std::size_t n);

// Number of "\r\n" pairs.
std::size_t count_crlf(std::string_view bytes);

}  // namespace toolhost::builtin
