#include "providers/support/launch/capabilities.hpp"

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

struct CapabilityHeader {
  std::uint32_t version = 0x20080522;  // _LINUX_CAPABILITY_VERSION_3
  std::int32_t pid = 0;
};

struct Capabilities {
  std::uint32_t effective, permitted, inheritable;
};

const char* read_number(const char* text, std::uint64_t& out) {
  out = 0;
  while (*text == ' ') ++text;
  while (*text >= '0' && *text <= '9') {
    out = out * 10 + static_cast<std::uint64_t>(*text++ - '0');
  }
  return text;
}

}  // namespace

Failure forbid_new_privileges() {
  return check(call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1),
               Step::no_new_privileges);
}

Failure drop_capabilities() {
  const CapabilityHeader header;
  Capabilities sets[2] = {};
  if (auto failed = check(call(__NR_capget, address(&header), address(sets)),
                          Step::capabilities)) {
    return failed;
  }
  // Who has none cannot change the bounding set, and needs not: with
  // no_new_privs nothing is gained any more.
  if (sets[0].permitted == 0 && sets[1].permitted == 0) return {};
  call(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  for (long one = 0; one < 64; ++one) {
    const long done = call(__NR_prctl, PR_CAPBSET_DROP, one);
    if (done == -kErrInvalid) break;  // the kernel knows no more
    if (done < 0) return check(done, Step::capabilities);
  }
  const Capabilities none[2] = {};
  return check(call(__NR_capset, address(&header), address(none)),
               Step::capabilities);
}

Failure set_limits(const char* plan) {
  PlanReader reader(plan);
  Record record;
  for (int number = 1; reader.next(record); ++number) {
    if (record.op != Op::limit) continue;
    std::uint64_t resource = 0;
    std::uint64_t value = 0;
    read_number(read_number(record.text, resource), value);
    const std::uint64_t both[2] = {value, value};
    if (auto failed = check(call(__NR_prlimit64, 0, static_cast<long>(resource),
                                 address(both), 0),
                            Step::limits, number)) {
      return failed;
    }
  }
  return {};
}

}  // namespace toolhost::launch
