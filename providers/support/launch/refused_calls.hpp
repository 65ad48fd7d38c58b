// Which system calls are refused, by number; a table.
#pragma once

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {

// What is done about a call.
enum class Verdict : unsigned char {
  refuse,         // EPERM
  unknown,        // ENOSYS: programs fall back to an older call
  shared_memory,  // EPERM unless the plan allows it
  // Depends on the arguments (seccomp.cpp).
  socket,
  clone,
  unshare,
  ioctl,
  personality,
  mode_1,       // argument 1 is a mode
  mode_2,       // argument 2
  open_mode_2,  // flags in 1, mode in 2
  open_mode_3,  // flags in 2, mode in 3
};

struct RefusedCall {
  long number;
  Verdict verdict;
};

// The last call of Linux 6.18. A later one is as good as unknown: what it
// opens nobody has judged.
inline constexpr long kNewestCall = 469;

// Numbers that Debian 12's headers lack; the same on every architecture.
inline constexpr long kFchmodat2 = 452;
inline constexpr long kOpenTreeAttr = 467;

inline constexpr RefusedCall kRefusedCalls[] = {
    // Looking into other processes.
    {__NR_ptrace, Verdict::refuse},
    {__NR_process_vm_readv, Verdict::refuse},
    {__NR_process_vm_writev, Verdict::refuse},
    {__NR_process_madvise, Verdict::refuse},
    {__NR_pidfd_getfd, Verdict::refuse},
    {__NR_kcmp, Verdict::refuse},
    {__NR_perf_event_open, Verdict::refuse},
    // Doing input and output, or network, past this filter.
    {__NR_io_uring_setup, Verdict::refuse},
    {__NR_io_uring_enter, Verdict::refuse},
    {__NR_io_uring_register, Verdict::refuse},
    {__NR_bpf, Verdict::refuse},
    {__NR_userfaultfd, Verdict::refuse},
    // The person's keys.
    {__NR_add_key, Verdict::refuse},
    {__NR_request_key, Verdict::refuse},
    {__NR_keyctl, Verdict::refuse},
    // Changing what is seen, and new namespaces in which one is root.
    {__NR_mount, Verdict::refuse},
    {__NR_umount2, Verdict::refuse},
    {__NR_pivot_root, Verdict::refuse},
    {__NR_chroot, Verdict::refuse},
    {__NR_open_tree, Verdict::refuse},
    {kOpenTreeAttr, Verdict::refuse},
    {__NR_move_mount, Verdict::refuse},
    {__NR_fsopen, Verdict::refuse},
    {__NR_fsconfig, Verdict::refuse},
    {__NR_fsmount, Verdict::refuse},
    {__NR_fspick, Verdict::refuse},
    {__NR_mount_setattr, Verdict::refuse},
    {__NR_setns, Verdict::refuse},
    {__NR_open_by_handle_at, Verdict::refuse},
    {__NR_clone, Verdict::clone},
    {__NR_unshare, Verdict::unshare},
    // Its flags are in memory, where a filter cannot look.
    {__NR_clone3, Verdict::unknown},
    {__NR_openat2, Verdict::unknown},
    // The machine.
    {__NR_kexec_load, Verdict::refuse},
    {__NR_kexec_file_load, Verdict::refuse},
    {__NR_init_module, Verdict::refuse},
    {__NR_finit_module, Verdict::refuse},
    {__NR_delete_module, Verdict::refuse},
    {__NR_reboot, Verdict::refuse},
    {__NR_swapon, Verdict::refuse},
    {__NR_swapoff, Verdict::refuse},
    {__NR_acct, Verdict::refuse},
    {__NR_quotactl, Verdict::refuse},
    {__NR_quotactl_fd, Verdict::refuse},
    {__NR_syslog, Verdict::refuse},
    {__NR_settimeofday, Verdict::refuse},
    {__NR_clock_settime, Verdict::refuse},
    {__NR_adjtimex, Verdict::refuse},
    {__NR_clock_adjtime, Verdict::refuse},
    {__NR_sethostname, Verdict::refuse},
    {__NR_setdomainname, Verdict::refuse},
    {__NR_vhangup, Verdict::refuse},
    // Judged by what they ask for.
    {__NR_socket, Verdict::socket},
    {__NR_ioctl, Verdict::ioctl},
    {__NR_personality, Verdict::personality},
    // Set-user-ID programs, made here, would be run by others outside.
    {__NR_fchmod, Verdict::mode_1},
    {__NR_fchmodat, Verdict::mode_2},
    {kFchmodat2, Verdict::mode_2},
    {__NR_mknodat, Verdict::mode_2},
    {__NR_openat, Verdict::open_mode_3},
    // Without an IPC namespace these reach the person's programs.
    {__NR_shmget, Verdict::shared_memory},
    {__NR_shmat, Verdict::shared_memory},
    {__NR_semget, Verdict::shared_memory},
    {__NR_msgget, Verdict::shared_memory},
    {__NR_mq_open, Verdict::shared_memory},
    {__NR_mq_unlink, Verdict::shared_memory},
#if defined(__x86_64__)
    {__NR_iopl, Verdict::refuse},
    {__NR_ioperm, Verdict::refuse},
    {__NR_uselib, Verdict::refuse},
    {__NR_chmod, Verdict::mode_1},
    {__NR_creat, Verdict::mode_1},
    {__NR_mknod, Verdict::mode_1},
    {__NR_open, Verdict::open_mode_2},
#endif
};
inline constexpr int kRefusedCallCount =
    sizeof kRefusedCalls / sizeof kRefusedCalls[0];

}  // namespace toolhost::launch
