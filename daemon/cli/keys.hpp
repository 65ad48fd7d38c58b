// Keys: the bytes of a terminal as what was pressed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolhost::cli {

struct Key {
  enum class Kind {
    text,  // one printable character, UTF-8
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    backspace,
    interrupt,  // ^C
    suspend,    // ^Z
    redraw,     // ^L
    paste,      // bracketed: never a command
  };
  Kind kind = Kind::text;
  std::string text;
};

class KeyDecoder {
 public:
  // A pasted text longer than this is cut.
  static constexpr std::size_t kMaxPaste = 16U << 10;

  // Keys that are complete; a started sequence waits for its rest.
  std::vector<Key> feed(std::string_view bytes);
  // Nothing followed in time: a lone ESC was the escape key.
  std::vector<Key> flush();
  bool waiting() const { return !held_.empty() && !pasting_; }

 private:
  // Bytes taken from `held_`, 0 when more are needed.
  std::size_t decode(std::vector<Key>& out);
  std::size_t decode_escape(std::vector<Key>& out);
  std::size_t decode_paste(std::vector<Key>& out);

  std::string held_;
  bool pasting_ = false;
};

}  // namespace toolhost::cli
