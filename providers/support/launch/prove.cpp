#include "providers/support/launch/prove.hpp"

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {

int prove(const char* file) {
  int out = 0;
  const long made = call(__NR_openat, kAtCwd, address(file), kCreateNew, 0600);
  if (made >= 0) out |= 1;
  constexpr long kNetlink = 16;
  constexpr long kRaw = 3;
  constexpr long kSockDiag = 4;
  if (call(__NR_socket, kNetlink, kRaw, kSockDiag) >= 0) out |= 2;
  constexpr long kTraceMe = 0;
  if (call(__NR_ptrace, kTraceMe) >= 0) out |= 4;
  // Only who may change it can.
  constexpr long kHighest = 40;
  for (long one = 0; one <= kHighest; ++one) {
    if (call(__NR_prctl, PR_CAPBSET_READ, one) == 1 &&
        call(__NR_prctl, PR_CAPBSET_DROP, one) == 0) {
      out |= 8;
    }
  }
  return out;
}

}  // namespace toolhost::launch
