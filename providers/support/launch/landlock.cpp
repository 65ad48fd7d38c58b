#include "providers/support/launch/landlock.hpp"

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

// LANDLOCK_ACCESS_FS_*, with the ABI that brought them.
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kRemoveAndMake = 0x1ff0;  // REMOVE_DIR … MAKE_SYM
constexpr std::uint64_t kRefer = 1 << 13;         // 2: rename between folders
constexpr std::uint64_t kTruncate = 1 << 14;      // 3
constexpr std::uint64_t kIoctlDevice = 1 << 15;   // 5
constexpr std::uint64_t kBindAndConnectTcp = 3;   // 4
constexpr std::uint64_t kScopes = 3;              // 6: abstract, signals
constexpr long kRulePathBeneath = 1;
constexpr long kQueryVersion = 1;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t fd;
};

// Rights that a rule on a file, not a folder, may carry.
constexpr std::uint64_t kFileRights =
    kWriteFile | kReadFile | kTruncate | kIoctlDevice;

std::uint64_t write_rights(long abi) {
  std::uint64_t out = kWriteFile | kRemoveAndMake;
  if (abi >= 2) out |= kRefer;
  if (abi >= 3) out |= kTruncate;
  if (abi >= 5) out |= kIoctlDevice;
  return out;
}

bool is_absent(long answer) {
  return answer == -kErrNoEntry || answer == -kErrNotFolder ||
         answer == -kErrAccess;
}

// A path that is not there needs no permission.
Failure allow(long rules, const char* path, std::uint64_t rights, int number) {
  const int fd = static_cast<int>(
      call(__NR_openat, kAtCwd, address(path), kPathOnly | kNoFollow));
  if (is_absent(fd)) return {};
  if (fd < 0) return check(fd, Step::landlock_rule, number);
  long done = 0;
  // Only a folder has rights beyond those of a file.
  if ((rights & ~kFileRights) != 0) {
    Facts facts;
    done = facts_of(fd, facts);
    if (!facts.is_folder()) rights &= kFileRights;
  }
  if (done >= 0) {
    const PathRule rule = {rights, fd};
    done = call(__NR_landlock_add_rule, rules, kRulePathBeneath, address(&rule),
                0);
  }
  close_fd(fd);
  return check(done, Step::landlock_rule, number);
}

Failure add_rules(long rules, const char* plan, std::uint64_t writing,
                  std::uint64_t reading) {
  PlanReader reader(plan);
  Record record;
  for (int number = 1; reader.next(record); ++number) {
    std::uint64_t rights = 0;
    if (record.op == Op::may_write) rights = writing | reading;
    if (record.op == Op::may_read) rights = reading;
    if (rights == 0) continue;
    if (auto failed = allow(rules, record.text, rights, number)) return failed;
  }
  return {};
}

}  // namespace

Failure restrict_by_landlock(const char* plan) {
  const PlanHeader& header = PlanReader::header(plan);
  if (header.landlock_min == 0) return {};
  const long abi = call(__NR_landlock_create_ruleset, 0, 0, kQueryVersion);
  if (abi < 0) return check(abi, Step::landlock);
  if (abi < static_cast<long>(header.landlock_min)) {
    return {Step::landlock, kErrNotSupported, 0};
  }
  const std::uint64_t writing = write_rights(abi);
  const std::uint64_t reading = header.wants & kReadRules ? kReadFile : 0;
  Ruleset wanted = {writing | reading, 0, 0};
  if (abi >= 4 && header.wants & kDenyTcp) wanted.network = kBindAndConnectTcp;
  if (abi >= 6) wanted.scopes = kScopes;
  // An older kernel takes a shorter structure.
  const long size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const long rules =
      call(__NR_landlock_create_ruleset, address(&wanted), size, 0);
  if (rules < 0) return check(rules, Step::landlock);
  if (auto failed = add_rules(rules, plan, writing, reading)) return failed;
  const long done = call(__NR_landlock_restrict_self, rules, 0);
  close_fd(static_cast<int>(rules));
  return check(done, Step::landlock);
}

}  // namespace toolhost::launch
