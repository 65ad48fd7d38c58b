#include "tests/unit/support/sandbox_attempts.hpp"

#include <iterator>

namespace toolhost::testing {
namespace {

// "python" below is python3 with the system calls at hand.
#define PYTHON(code)                                             \
  "/usr/bin/python3 - <<'END'\n"                                 \
  "import ctypes, fcntl, os, socket, struct\n"                   \
  "libc = ctypes.CDLL(None, use_errno=True)\n"                   \
  "env = os.environ\n"                                           \
  "def call(*a):\n"                                              \
  "    return libc.syscall(*[ctypes.c_long(x) if isinstance(x, " \
  "int) else x for x in a])\n"                                   \
  "def got_out(yes):\n"                                          \
  "    print('ESCAPED' if yes else 'stopped')\n" code "\nEND\n"

constexpr Attempt kAttempts[] = {
    // Files outside.
    {"MakesAFileOutside", "echo PWNED > $OUT/marker", "mounts", true},
    {"AppendsToAFileOutside", "echo PWNED >> $OUT/precious", "mounts", true},
    {"TruncatesAFileOutside", ": > $OUT/precious", "mounts", true},
    {"TruncatesByName", PYTHON("os.truncate(env['OUT'] + '/precious', 0)"),
     "mounts", true},
    {"RemovesAFileOutside", "rm -f $OUT/precious; mv $OUT/precious .", "mounts",
     true},
    {"ChangesTheModeOfAFileOutside", "chmod 777 $OUT/precious", "mounts",
     false},
    {"WritesThroughALink", "ln -s $OUT link; echo PWNED > link/marker",
     "mounts", true},
    {"WritesThroughAHardLink", "ln $OUT/precious alias && echo PWNED > alias",
     "mounts", true},
    {"WritesThroughTheRootOfAProcess",
     "for p in self 1 2 $HOSTPID $PPID; do "
     "echo PWNED > /proc/$p/root/$OUT/marker; done",
     "mounts", true},
    {"WritesThroughTheFolderOfAProcess",
     "for p in self 1 2 $HOSTPID $PPID; do "
     "echo PWNED > /proc/$p/cwd/../outside/marker; done",
     "mounts", true},
    {"WritesIntoOpenFilesOfOthers",
     "for f in /proc/{1,$HOSTPID,$PPID}/fd/*; do "
     "[ $f -ef /dev/null ] || { echo x > $f && echo ESCAPED; }; done; true",
     "PID namespace", true},
    {"RenamesTheWorkspace", "mv $WS $WS.old && echo ESCAPED", "mounts", true},
    // Secrets.
    {"ReadsAKey", "cat $HOME/.ssh/id", "mounts", true},
    {"ReadsAFileOfPasswords", "cat $HOME/.netrc", "mounts", true},
    {"ReadsATokenInAFolder", "cat $HOME/.config/gh/hosts.yml", "mounts", true},
    {"ReadsAKeyByAHardLink", "ln $HOME/.ssh/id k; cat k", "mounts", true},
    {"ReadsAKeyThroughALink", "ln -s $HOME/.ssh k; cat k/id", "mounts", true},
    {"ReadsAKeyThroughTheRootOfAProcess",
     "cat /proc/{1,2,self,$HOSTPID}/root/$HOME/.ssh/id", "mounts", true},
    {"ReadsTheStateOfTheDaemon", "cat $OWN/state", "mounts", true},
    {"ReadsTheEnvironmentOfTheDaemon",
     "cat /proc/$HOSTPID/environ > e && [ -s e ] && echo ESCAPED",
     "PID namespace", true},
    {"ReadsTheDisk",
     "for d in /dev/vd? /dev/sd? /dev/nvme*; do "
     "head -c 512 $d | grep -q . && echo ESCAPED; done",
     "mounts", true},
    {"ReadsTheKernelLog",
     "dmesg 2>&1 | grep -q 'Linux version' && "
     "echo ESCAPED",
     "seccomp", true},
    // Git.
    {"WritesAHook", "echo PWNED > .git/hooks/pre-commit", "mounts", false},
    {"SwapsTheFolderOfHooks",
     "mv .git/hooks h; mkdir .git/hooks; echo PWNED > .git/hooks/pre-commit",
     "mounts", false},
    {"SwapsTheRepository",
     "mv .git g; mkdir -p .git/hooks; echo PWNED > .git/hooks/pre-commit",
     "mounts", false},
    {"LinksTheFolderOfHooksElsewhere",
     "rm -rf .git/hooks; ln -s $WS/own .git/hooks; [ -L .git/hooks ] && "
     "echo ESCAPED",
     "mounts", false},
    {"WritesTheConfigurationOfGit",
     "git config core.fsmonitor 'echo PWNED'; echo '#PWNED' >> .git/config",
     "mounts", false},
    {"RedirectsGitToAnotherFolder",
     "mkdir c; echo ../c > .git/commondir; echo PWNED >> .git/commondir",
     "mounts", false},
    {"RemovesWhatHoldsThePlace",
     "rm -rf .git/commondir .claude; mkdir .claude && echo PWNED > .claude/x",
     "mounts", false},
    // What agents, editors and shells run.
    {"MakesSettingsOfAnAgent",
     "mkdir -p .claude; echo PWNED > .claude/settings.json", "mounts", false},
    {"MakesSettingsOfTheDaemon",
     "mkdir -p .toolhost; echo PWNED > .toolhost/config.jsonc", "mounts",
     false},
    {"MakesTasksOfAnEditor",
     "mkdir -p .vscode; echo PWNED > .vscode/tasks.json", "mounts", false},
    {"MakesSkillsOfAnAgent", "mkdir -p .agents; echo PWNED > .agents/x",
     "mounts", false},
    {"MakesThemByRenaming",
     "mkdir -p x; echo PWNED > x/settings.json; mv -T x .claude; rm -rf x",
     "mounts", false},
    // Sockets.
    {"ConnectsToAnAbstractSocket",
     PYTHON("s = socket.socket(socket.AF_UNIX)\n"
            "s.connect('\\0' + env['ABSTRACT'])\ngot_out(True)"),
     "seccomp", true},
    {"ConnectsToASocketOutside",
     PYTHON("s = socket.socket(socket.AF_UNIX)\n"
            "s.connect(env['OUT'] + '/socket')\ngot_out(True)"),
     "seccomp", true},
    {"ConnectsToTheSessionBus",
     PYTHON("s = socket.socket(socket.AF_UNIX)\n"
            "s.connect(env['RUN'] + '/bus')\ngot_out(True)"),
     "seccomp", true},
    {"SeesTheSocketsOfTheMachine",
     "ls -A /run | grep -q . && echo ESCAPED; "
     "ls -A $RUN | grep -q . && echo ESCAPED",
     "mounts", false},
    {"ConnectsByTcp", "echo x > /dev/tcp/127.0.0.1/$TCP && echo ESCAPED",
     "network namespace", true},
    {"SendsByUdp", "echo x > /dev/udp/127.0.0.1/$UDP", "network namespace",
     true},
    {"SendsToTheWorld",
     "timeout 5 bash -c 'echo x > /dev/udp/1.1.1.1/53' && echo ESCAPED",
     "network namespace", true},
    {"AsksTheKernelForSockets",
     PYTHON("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)\n"
            "got_out(True)"),
     "seccomp", true},
    {"OpensARawSocket",
     PYTHON("socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)\n"
            "got_out(True)"),
     "seccomp", true},
    {"OpensAVirtualSocket",
     PYTHON("socket.socket(40, socket.SOCK_STREAM)\ngot_out(True)"), "seccomp",
     true},
    {"UsesIoUring",
     PYTHON("p = ctypes.create_string_buffer(120)\n"
            "got_out(call(425, 1, p) >= 0)"),
     "seccomp", true},
    // Other processes.
    {"SignalsTheDaemon", "kill -0 $HOSTPID && echo ESCAPED", "PID namespace",
     true},
    {"TracesTheDaemon",
     PYTHON("got_out(libc.ptrace(16, int(env['HOSTPID']), 0, 0) == 0)"),
     "seccomp", true},
    {"TracesItsSupervisor",
     PYTHON("got_out(any(libc.ptrace(r, os.getppid(), 0, 0) == 0 "
            "for r in (16, 0x4206)))"),
     "seccomp", true},
    {"ReadsTheMemoryOfTheDaemon",
     "head -c 1 /proc/$HOSTPID/mem && echo ESCAPED; "
     "grep -q heap /proc/$HOSTPID/maps && echo ESCAPED",
     "PID namespace", true},
    {"ReadsTheMemoryOfItsSupervisor",
     "grep -q . /proc/$PPID/maps && echo ESCAPED", "not dumpable", true},
    {"ReadsMemoryByASystemCall",
     PYTHON("b = ctypes.create_string_buffer(16)\n"
            "i = struct.pack('QQ', ctypes.addressof(b), 8)\n"
            "v = ctypes.create_string_buffer(i)\n"
            "got_out(call(310, os.getpid(), v, 1, v, 1, 0) >= 0)"),
     "seccomp", true},
    {"UsesSharedMemoryOfOthers",
     PYTHON("libc.shmat.restype = ctypes.c_void_p\n"
            "p = libc.shmat(int(env['SEGMENT']), None, 0o10000)\n"
            "ok = p not in (None, 2**64 - 1)\n"
            "print(ctypes.string_at(p, 13) if ok else 'stopped')"),
     "IPC namespace", true},
    {"ReadsSharedFilesOfOthers", "cat $SHM", "mounts", false},
    // The kernel.
    {"Mounts", "mount -t tmpfs none /mnt && echo ESCAPED", "seccomp", true},
    {"UnmountsWhatProtects", "umount -l .git/hooks && echo ESCAPED", "seccomp",
     true},
    {"MakesAUserNamespace", "unshare -Ur true && echo ESCAPED", "seccomp",
     true},
    {"MakesAUserNamespaceByClone",
     PYTHON("pid = call(56, 0x10000011, 0, 0, 0, 0)\n"
            "if pid == 0: os._exit(0)\n"
            "got_out(pid > 0)"),
     "seccomp", true},
    {"MakesAUserNamespaceByClone3",
     PYTHON("a = ctypes.create_string_buffer(struct.pack('8Q', 0x10000000, 0, "
            "0, 0, 17, 0, 0, 0))\n"
            "pid = call(435, a, 64)\n"
            "if pid == 0: os._exit(0)\n"
            "got_out(pid > 0)"),
     "seccomp", true},
    {"UsesTheNewMountCalls",
     PYTHON("got_out(any(call(n, -100, b'/', 1) >= 0 for n in (428, 430, 442, "
            "467)))"),
     "seccomp", true},
    {"ChangesItsRoot", "/usr/sbin/chroot / true && echo ESCAPED", "seccomp",
     true},
    {"LoadsAProgramIntoTheKernel",
     PYTHON("b = ctypes.create_string_buffer(128)\n"
            "got_out(call(321, 0, b, 128) >= 0)"),
     "seccomp", true},
    {"OpensPerformanceCounters",
     PYTHON("b = ctypes.create_string_buffer(struct.pack('IIQ', 1, 112, 0) + "
            "bytes(96))\n"
            "got_out(call(298, b, 0, -1, -1, 0) >= 0)"),
     "seccomp", true},
    {"ReadsTheKeyring", PYTHON("got_out(call(250, 0, -3, 1) >= 0)"), "seccomp",
     true},
    {"ChangesItsPersonality", PYTHON("got_out(call(135, 0x0400000) >= 0)"),
     "seccomp", true},
    {"UsesNumbersOfAnotherArchitecture",
     PYTHON("got_out(call(0x40000000 + 39) >= 0)"), "seccomp", true},
    {"ChangesTheKernel",
     "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && echo ESCAPED",
     "mounts", true},
    {"TypesIntoATerminal",
     PYTHON("try: a, b = os.openpty()\n"
            "except OSError: b = 0\n"
            "fcntl.ioctl(b, 0x5412, b'x')\ngot_out(True)"),
     "seccomp", true},
    {"WritesToTheTerminalsOfThePerson",
     "for t in /dev/pts/[0-9]*; do echo > $t && echo ESCAPED; done", "mounts",
     true},
    // Privileges.
    {"MakesASetUserIdProgram", "cp /bin/true s; chmod u+s s; chmod 4755 s",
     "seccomp", true},
    {"OpensASetUserIdProgram",
     PYTHON("os.umask(0)\n"
            "os.open('s', os.O_CREAT | os.O_WRONLY, 0o4755)"),
     "seccomp", true},
    {"MakesADevice", "mknod d b 254 0 && echo ESCAPED", "capabilities", true},
    {"ChangesTheOwnerOfAFile", "chown 12345 file && echo ESCAPED",
     "capabilities", true},
    {"KeepsACapability",
     "[ $(id -u) != 0 ] || { grep -E '^Cap(Prm|Eff|Bnd|Amb|Inh)' "
     "/proc/self/status | grep -vq 0000000000000000 && echo ESCAPED; }",
     "capabilities", true},
    {"GainsPrivileges",
     "grep -q 'NoNewPrivs:.*0' /proc/self/status && "
     "echo ESCAPED; [ $(id -u) = 0 ] || "
     "su -c 'echo ESCAPED' </dev/null",
     "no new privileges", true},
};

}  // namespace

std::span<const Attempt> attempts() { return kAttempts; }

}  // namespace toolhost::testing
