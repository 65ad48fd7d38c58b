#include "providers/support/launch/children.hpp"

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A path of /proc with one number in it.
struct Path {
  char text[48] = {};
  int size = 0;

  void add(const char* part) {
    while (*part && size < 47) text[size++] = *part++;
  }
  void add(int number) {
    char digits[12] = {};
    int at = 11;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(digits + at);
  }
};

int to_number(const char* text) {
  int out = 0;
  while (is_digit(*text)) out = out * 10 + (*text++ - '0');
  return out;
}

// Field 4 of /proc/PID/stat; -1 if there is no such process.
int parent_of(int pid) {
  Path path;
  path.add("/proc/");
  path.add(pid);
  path.add("/stat");
  const int fd = open_for_reading(path.text);
  if (fd < 0) return -1;
  char text[512];
  const long size = read_fd(fd, text, sizeof text - 1);
  close_fd(fd);
  if (size <= 0) return -1;
  text[size] = 0;
  // "PID (NAME) S PARENT …": the name may hold anything, the last ')' ends it.
  const char* end = nullptr;
  for (const char* at = text; *at; ++at) {
    if (*at == ')') end = at;
  }
  if (!end || end + 4 >= text + size) return -1;
  return to_number(end + 4);
}

// For kernels without /proc/PID/task/TID/children: looks at every process.
// False when /proc cannot be read at all.
bool kill_children_by_scan() {
  struct Entry {
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t size;
    unsigned char type;
    char name[1];
  };
  const int proc = open_for_reading("/proc");
  if (proc < 0) return false;
  const int self = process_id();
  alignas(Entry) char buffer[4096];
  long size;
  while ((size = call(__NR_getdents64, proc, address(buffer), sizeof buffer)) >
         0) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->size;
      const int pid = to_number(entry->name);
      if (pid > 0 && parent_of(pid) == self) send_signal(pid, kSigKill);
    }
  }
  close_fd(proc);
  return true;
}

}  // namespace

void kill_children(int command) {
  Path path;
  path.add("/proc/self/task/");
  path.add(process_id());
  path.add("/children");
  const int fd = open_for_reading(path.text);
  if (fd < 0) {
    // Blind: the command's own group is all that can be named.
    if (!kill_children_by_scan() && command > 0) {
      send_signal(-command, kSigKill);
    }
    return;
  }
  char text[4096];
  int pid = 0;
  long size;
  while ((size = read_fd(fd, text, sizeof text)) > 0) {
    for (long i = 0; i < size; ++i) {
      if (is_digit(text[i])) {
        pid = pid * 10 + (text[i] - '0');
      } else {
        if (pid > 0) send_signal(pid, kSigKill);
        pid = 0;
      }
    }
  }
  close_fd(fd);
}

}  // namespace toolhost::launch
