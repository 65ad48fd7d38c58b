#include "providers/support/launch/seccomp.hpp"

#include <linux/audit.h>

#include "providers/support/launch/filter_program.hpp"
#include "providers/support/launch/refused_calls.hpp"

namespace toolhost::launch {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

constexpr std::uint32_t kUnix = 1;
constexpr std::uint32_t kInet = 2;
constexpr std::uint32_t kInet6 = 10;
constexpr std::uint32_t kNetlink = 16;
constexpr std::uint32_t kNewNamespaces = 0x7e020000;
constexpr std::uint32_t kNewTime = 0x80;  // in clone that is part of a signal
constexpr std::uint32_t kSetIds = 06000;
constexpr std::uint32_t kCreates = 0100 | 020000000;  // O_CREAT, __O_TMPFILE
constexpr std::uint32_t kFixedAddresses = 0x0040000;  // for debuggers

// Each of these ends with a verdict. The accumulator holds the number of the
// call at the start.
void judge_socket(FilterProgram& out, std::uint32_t wants) {
  out.load_argument(0);
  const auto allowed = [&](std::uint32_t family) {
    out.if_equal(family);
    out.allow();
  };
  if (wants & kUnixSockets) allowed(kUnix);
  if (wants & kInetSockets) {
    allowed(kInet);
    allowed(kInet6);
  }
  if (wants & kRouteSockets) {
    out.if_different(kNetlink);
    out.refuse(kErrAccess);
    out.load_argument(2);
    allowed(0);  // NETLINK_ROUTE
  }
  out.refuse(kErrAccess);
}

void refuse_bits(FilterProgram& out, int argument, std::uint32_t bits) {
  out.load_argument(argument);
  out.if_any_bit(bits);
  out.refuse(kErrPerm);
  out.allow();
}

void judge_open(FilterProgram& out, int flags) {
  // Without these flags nothing is made and the mode is whatever lay there.
  out.load_argument(flags);
  out.if_no_bit(kCreates);
  out.allow();
  refuse_bits(out, flags + 1, kSetIds);
}

void judge_ioctl(FilterProgram& out) {
  // Typing into a terminal: TIOCSTI, TIOCLINUX; taking over the console.
  constexpr std::uint32_t kTyping[] = {0x5412, 0x541c, 0x541d};
  out.load_argument(1);
  for (const std::uint32_t request : kTyping) {
    out.if_equal(request);
    out.refuse(kErrPerm);
  }
  out.allow();
}

void judge_personality(FilterProgram& out) {
  constexpr std::uint32_t kUsual[] = {0, 0xffffffff, kFixedAddresses};
  out.load_argument(0);
  for (const std::uint32_t usual : kUsual) {
    out.if_equal(usual);
    out.allow();
  }
  out.refuse(kErrPerm);
}

void judge(FilterProgram& out, Verdict verdict, std::uint32_t wants) {
  switch (verdict) {
    case Verdict::refuse:
      return out.refuse(kErrPerm);
    case Verdict::unknown:
      return out.refuse(kErrNoSystemCall);
    case Verdict::shared_memory:
      return wants & kSharedMemory ? out.allow() : out.refuse(kErrPerm);
    case Verdict::socket:
      return judge_socket(out, wants);
    case Verdict::clone:
      return refuse_bits(out, 0, kNewNamespaces);
    case Verdict::unshare:
      return refuse_bits(out, 0, kNewNamespaces | kNewTime);
    case Verdict::ioctl:
      return judge_ioctl(out);
    case Verdict::personality:
      return judge_personality(out);
    case Verdict::mode_1:
      return refuse_bits(out, 1, kSetIds);
    case Verdict::mode_2:
      return refuse_bits(out, 2, kSetIds);
    case Verdict::open_mode_2:
      return judge_open(out, 1);
    case Verdict::open_mode_3:
      return judge_open(out, 2);
  }
}

// Calls of one verdict whose numbers follow each other.
struct Range {
  std::uint32_t from;
  std::uint32_t to;
  Verdict verdict;
};
Range ranges[kRefusedCallCount];
int range_count = 0;

void sort_calls() {
  static RefusedCall sorted[kRefusedCallCount];
  for (int i = 0; i < kRefusedCallCount; ++i) {
    int at = i;
    for (; at > 0 && sorted[at - 1].number > kRefusedCalls[i].number; --at) {
      sorted[at] = sorted[at - 1];
    }
    sorted[at] = kRefusedCalls[i];
  }
  for (const RefusedCall& one : sorted) {
    const auto number = static_cast<std::uint32_t>(one.number);
    Range* last = range_count > 0 ? &ranges[range_count - 1] : nullptr;
    if (last && last->to + 1 == number && last->verdict == one.verdict) {
      last->to = number;
    } else {
      ranges[range_count++] = {number, number, one.verdict};
    }
  }
}

// The next instruction runs only for a number of the range.
void if_in(FilterProgram& out, const Range& range) {
  if (range.from == range.to) {
    out.if_equal(range.from);
  } else {
    out.if_between(range.from, range.to);
  }
}

void judge_one_of(FilterProgram& out, const Range* from, const Range* to,
                  std::uint32_t wants) {
  int found[2] = {-1, -1};
  for (const Range* at = from; at != to; ++at) {
    if_in(out, *at);
    if (at->verdict == Verdict::refuse || at->verdict == Verdict::unknown) {
      judge(out, at->verdict, wants);
    } else {
      found[at - from] = out.jump();
    }
  }
  out.allow();
  for (const Range* at = from; at != to; ++at) {
    if (found[at - from] < 0) continue;
    out.lands_here(found[at - from]);
    judge(out, at->verdict, wants);
  }
}

// The kernel runs the filter once for every call that it knows, when it is
// installed: a tree takes a tenth of the steps of a list, and a short program
// is translated faster.
void search(FilterProgram& out, int from, int to, std::uint32_t wants) {
  if (to - from <= 2) {
    return judge_one_of(out, ranges + from, ranges + to, wants);
  }
  const int middle = (from + to) / 2;
  out.if_at_least(ranges[middle].from);
  const int upper = out.jump();
  search(out, from, middle, wants);
  out.lands_here(upper);
  search(out, middle, to, wants);
}

FilterProgram program;

}  // namespace

Failure filter_system_calls(const PlanHeader& header) {
  sort_calls();
  program.load_architecture();
  program.if_different(kArchitecture);
  program.refuse(kErrPerm);
  program.load_number();
  // Also the numbers of x32, which begin at 0x40000000.
  program.if_at_least(kNewestCall + 1);
  program.refuse(kErrNoSystemCall);
  search(program, 0, range_count, header.wants);
  const sock_fprog whole = {static_cast<std::uint16_t>(program.size()),
                            const_cast<sock_filter*>(program.instructions())};
  constexpr long kSetFilter = 1;  // SECCOMP_SET_MODE_FILTER
  return check(call(__NR_seccomp, kSetFilter, 0, address(&whole)),
               Step::seccomp);
}

}  // namespace toolhost::launch
