#include "providers/support/launch/confine.hpp"

#include "providers/support/launch/capabilities.hpp"
#include "providers/support/launch/landlock.hpp"
#include "providers/support/launch/mounts.hpp"
#include "providers/support/launch/seccomp.hpp"
#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

alignas(PlanHeader) char plan_bytes[kMaxPlan];

}  // namespace

const char* read_plan() {
  const long size =
      call(__NR_pread64, kPlanFd, address(plan_bytes), sizeof plan_bytes, 0);
  close_fd(kPlanFd);
  if (size < static_cast<long>(sizeof(PlanHeader))) return nullptr;
  const PlanHeader& header = PlanReader::header(plan_bytes);
  return header.size == static_cast<std::uint32_t>(size) ? plan_bytes : nullptr;
}

Failure settle_inside(const char* plan, Ids ids) {
  if (auto failed = map_own_ids(ids)) return failed;
  const PlanHeader& header = PlanReader::header(plan);
  if (header.wants & kLoopback) {
    if (auto failed = bring_loopback_up()) return failed;
  }
  const long umask = call(__NR_umask, 0);
  const Failure failed = make_world(plan);
  call(__NR_umask, umask);
  return failed;
}

// The order matters: Landlock and seccomp without capabilities need
// no_new_privs, and seccomp comes last because it forbids the other steps.
Failure confine(const char* plan) {
  if (auto failed = forbid_new_privileges()) return failed;
  if (auto failed = drop_capabilities()) return failed;
  if (auto failed = set_limits(plan)) return failed;
  if (auto failed = restrict_by_landlock(plan)) return failed;
  return filter_system_calls(PlanReader::header(plan));
}

}  // namespace toolhost::launch
