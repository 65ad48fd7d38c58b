// TempDir: a private folder of one test, removed at its end.
#pragma once

#include <filesystem>
#include <string>

namespace toolhost::testing {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  // Physical path without links.
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view bytes);
std::string read_file(const std::string& path);

}  // namespace toolhost::testing
