// KeyScan: walks JSONC text that a parser has accepted and tells every key and
// list item with its offset, which Boost.JSON does not.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost::config {

class KeyScan {
 public:
  struct Seen {
    const std::vector<std::string>& path;  // of the key or item, itself last
    std::size_t offset;                    // in the text
    bool repeated;                         // the object has this key already
  };
  // Ends the walk by returning false.
  using Visit = std::function<bool(const Seen&)>;

  KeyScan(std::string_view text, Visit visit);
  void run();

 private:
  struct Level {
    bool object = false;
    bool expects_key = false;
    std::size_t items = 0;  // of a list
    std::set<std::string, std::less<>> keys;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space_and_comments();
  std::string take_string();
  bool take_key();
  bool take_item();
  void open(bool object);
  void close();
  void comma();

  std::string_view text_;
  Visit visit_;
  std::size_t at_ = 0;
  std::vector<Level> levels_;
  std::vector<std::string> path_;
};

}  // namespace toolhost::config
