// Writing a program of the kernel's packet filter, which is what a filter of
// system calls is.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {

class FilterProgram {
 public:
  static constexpr int kMaxSize = 1024;

  int size() const { return size_; }
  const sock_filter* instructions() const { return code_; }

  // The accumulator becomes what `seccomp_data` has there.
  void load_number() { add(BPF_LD | BPF_W | BPF_ABS, 0); }
  void load_architecture() { add(BPF_LD | BPF_W | BPF_ABS, 4); }
  // The lower half: flags, modes and families fit into it.
  void load_argument(int number) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(16 + 8 * number));
  }

  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void refuse(int number) {
    add(BPF_RET | BPF_K,
        SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(number));
  }

  // The next instruction runs only if …; otherwise it is skipped.
  void if_equal(std::uint32_t value) { add(BPF_JMP | BPF_JEQ, value, 0, 1); }
  void if_different(std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ, value, 1, 0);
  }
  void if_between(std::uint32_t from, std::uint32_t to) {
    add(BPF_JMP | BPF_JGE, from, 0, 2);
    add(BPF_JMP | BPF_JGT, to, 1, 0);
  }
  void if_at_least(std::uint32_t value) { add(BPF_JMP | BPF_JGE, value, 0, 1); }
  void if_any_bit(std::uint32_t bits) { add(BPF_JMP | BPF_JSET, bits, 0, 1); }
  void if_no_bit(std::uint32_t bits) { add(BPF_JMP | BPF_JSET, bits, 1, 0); }

  // A jump whose end is told later: its place is the answer.
  int jump() {
    add(BPF_JMP | BPF_JA, 0);
    return size_ - 1;
  }
  // `jump` leads to the next instruction.
  void lands_here(int jump) {
    code_[jump].k = static_cast<std::uint32_t>(size_ - jump - 1);
  }

 private:
  void add(int code, std::uint32_t value, int yes = 0, int no = 0) {
    if (size_ == kMaxSize) return;  // the kernel refuses what has no end
    code_[size_++] = {static_cast<std::uint16_t>(code),
                      static_cast<std::uint8_t>(yes),
                      static_cast<std::uint8_t>(no), value};
  }

  sock_filter code_[kMaxSize];
  int size_ = 0;
};

}  // namespace toolhost::launch
