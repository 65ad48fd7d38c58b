// The plan of a sandbox: what the daemon writes and toolhost-launch carries
// out, in this order, before the command is executed.
//
// A header, then records: an Op, the size of its text, the text with its
// terminating zero. Paths are absolute and physical. The launcher decides
// nothing: what the plan asks for happens, or the start fails with the step
// and the path. Both sides are built together, so there are no versions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace toolhost::launch {

// The descriptor of the plan; there only when argv[1] is kPlanFlag.
inline constexpr int kPlanFd = 4;
inline constexpr char kPlanFlag[] = "--sandbox";
// Bytes. Hundreds of paths of a usual length; more is refused by the daemon.
inline constexpr std::size_t kMaxPlan = 128 * 1024;

// What the plan wants beside its records.
enum Want : std::uint32_t {
  kNamespaces = 1,     // user, mount, PID and IPC
  kOwnNetwork = 2,     // a network namespace; only with kNamespaces
  kLoopback = 4,       // its lo is up
  kInetSockets = 8,    // AF_INET and AF_INET6 may be made
  kUnixSockets = 16,   // AF_UNIX may be made; socketpair always works
  kRouteSockets = 32,  // AF_NETLINK for routes, which name look-ups use
  kSharedMemory = 64,  // System V IPC and message queues
  kReadRules = 128,    // files are readable only where may_read says so
  kDenyTcp = 256,      // by Landlock, where it can
};

struct PlanHeader {
  std::uint32_t size;          // of all, the header included
  std::uint32_t wants;         // Want
  std::uint32_t landlock_min;  // least ABI; 0: Landlock is not asked for
  std::uint32_t reserved;
};

enum class Op : std::uint16_t {
  // Outside, by the supervisor: a path that must not come into being. It is
  // made as a socket, an empty folder, or a file that says ".", and removed at
  // the end (covers.cpp).
  cover_socket = 1,
  cover_folder,
  cover_file,
  // Mounts. Roots that are bound back writable; a folder to see as /tmp (empty:
  // a fresh one in memory); paths that are shown read-only in what is hidden;
  // paths that are hidden; folders that cannot be renamed; paths that are
  // read-only.
  writable,
  tmp,
  reveal,
  hide,
  pin,
  protect,
  // Landlock.
  may_write,
  may_read,
  // Two numbers as text, "RESOURCE VALUE": setrlimit.
  limit,
};

struct RecordHead {
  Op op;
  std::uint16_t size;  // of the text with its zero
};
static_assert(sizeof(RecordHead) == 4);

// One record as read. `text` is null at the end.
struct Record {
  Op op = Op::limit;
  const char* text = nullptr;
};

// Reads records in order. The bytes have to outlive it.
class PlanReader {
 public:
  explicit PlanReader(const char* plan)
      : at_(plan + sizeof(PlanHeader)), end_(plan + header(plan).size) {}

  static const PlanHeader& header(const char* plan) {
    return *reinterpret_cast<const PlanHeader*>(plan);
  }

  bool next(Record& out) {
    if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof(RecordHead))) {
      return false;
    }
    // Records are not aligned.
    const auto byte = [&](int i) {
      return static_cast<unsigned>(static_cast<unsigned char>(at_[i]));
    };
    out.op = static_cast<Op>(byte(0) | byte(1) << 8);
    out.text = at_ + sizeof(RecordHead);
    at_ = out.text + (byte(2) | byte(3) << 8);
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace toolhost::launch
