// Disks that take nothing: at the start, and in the middle of the work.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/daemon_process.hpp"
#include "tests/support/shell.hpp"

namespace toolhost::testing {
namespace {

constexpr const char* kAskNobody =
    R"({"sessions": {"sandboxMode": "danger-full-access",
                     "approvalPolicy": "auto"}})";

// Mounts of this process and of what it starts from now on are its own, and
// gone with it.
class Disk : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(unshare(CLONE_NEWNS), 0) << "this suite runs as root";
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  }
};

// A small disk over a folder.
class SmallDisk {
 public:
  SmallDisk(std::string folder, unsigned long flags, const char* options)
      : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    if (mount("tmpfs", folder_.c_str(), "tmpfs", flags, options) != 0) {
      throw std::runtime_error("cannot mount; this suite runs as root");
    }
  }
  ~SmallDisk() { umount2(folder_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;

  void fill() const {
    std::ofstream out(folder_ + "/filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), 4096).flush()) {
    }
  }
  void free() const { std::filesystem::remove(folder_ + "/filler"); }

 private:
  std::string folder_;
};

ShellResult start_again(const DaemonProcess& daemon) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return shell("env -i HOME=" + daemon.home() + " PATH=$PATH XDG_CONFIG_HOME=" +
               daemon.home() + "/config XDG_STATE_HOME=" + daemon.home() +
               "/state XDG_CACHE_HOME=" + daemon.home() +
               "/cache XDG_RUNTIME_DIR=" + daemon.home() + "/run timeout 20 " +
               (self.parent_path() / "toolhostd").string());
}

json::object write_of(const std::string& content) {
  return {{"name", "write"},
          {"arguments", json::object{{"path", "a.txt"}, {"content", content}}}};
}

json::object read_of() {
  return {{"name", "read"}, {"arguments", json::object{{"path", "a.txt"}}}};
}

// Nothing happens without its record; looking goes on; nobody is dropped.
void expect_only_reading_works(DaemonProcess& daemon, Client& gui) {
  const auto refused = gui.call("execute", write_of("new"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(text_at(*refused, "status"), "failed");
  EXPECT_EQ(text_at(*refused, "error.kind"), "internal");
  EXPECT_NE(text_at(*refused, "error.message").find("Nothing was run"),
            std::string::npos);
  EXPECT_NE(text_at(*refused, "error.hint").find("toolhost doctor"),
            std::string::npos);
  EXPECT_EQ(read_file(daemon.path("a.txt")), "old");
  const json::object command{
      {"name", "bash"}, {"arguments", json::object{{"command", "touch b"}}}};
  EXPECT_EQ(text_at(*gui.call("execute", command), "error.kind"), "internal");
  EXPECT_FALSE(std::filesystem::exists(daemon.path("b")));
  EXPECT_EQ(text_at(*gui.call("execute", read_of()), "content.0.text"), "old");
}

void expect_recovery(DaemonProcess& daemon, Client& gui) {
  EXPECT_TRUE(eventually([&] {
    return text_at(*gui.call("execute", write_of("new")), "status") ==
           "completed";
  }));
  EXPECT_EQ(read_file(daemon.path("a.txt")), "new");
}

TEST_F(Disk, AReadOnlyStateFolderIsToldAtTheStart) {
  DaemonProcess daemon;
  ASSERT_EQ(daemon.stop(), 0);
  const SmallDisk disk(daemon.state_dir(), MS_RDONLY, "mode=0700");
  const ShellResult refused = start_again(daemon);
  EXPECT_EQ(refused.status, 69);
  EXPECT_NE(refused.output.find(daemon.state_dir()), std::string::npos)
      << refused.output;
  EXPECT_NE(refused.output.find("Read-only file system"), std::string::npos)
      << refused.output;
}

TEST_F(Disk, AFullStateFolderIsToldAtTheStart) {
  DaemonProcess daemon;
  ASSERT_EQ(daemon.stop(), 0);
  const SmallDisk disk(daemon.state_dir(), 0, "mode=0700,size=64k");
  disk.fill();
  const ShellResult refused = start_again(daemon);
  EXPECT_EQ(refused.status, 69);
  EXPECT_NE(refused.output.find("full"), std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find("Free space in " + daemon.state_dir()),
            std::string::npos)
      << refused.output;
}

TEST_F(Disk, AStateFolderThatFillsUpStopsEffectsUntilThereIsRoom) {
  DaemonProcess daemon(kAskNobody);
  ASSERT_EQ(daemon.stop(), 0);
  write_file(daemon.path("a.txt"), "old");
  const SmallDisk disk(daemon.state_dir(), 0, "mode=0700,size=4m");
  daemon.start();
  Client gui = daemon.control();
  disk.fill();
  expect_only_reading_works(daemon, gui);
  const auto status = gui.call("status", {}).value();
  bool warned = false;
  for (const auto& each : status.at("warnings").as_array()) {
    warned |= each.as_string().find("The journal cannot be written") !=
              std::string::npos;
  }
  EXPECT_TRUE(warned);
  disk.free();
  expect_recovery(daemon, gui);
  EXPECT_EQ(daemon.stop(), 0);
}

// Every disk at once, that of the log as well.
TEST_F(Disk, NotEvenALogThatCannotBeWrittenEndsTheDaemon) {
  DaemonProcess daemon(kAskNobody);
  write_file(daemon.path("a.txt"), "old");
  Client gui = daemon.control();
  const rlimit nothing{0, RLIM_INFINITY};
  const rlimit everything{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_FSIZE, &nothing, nullptr), 0);
  expect_only_reading_works(daemon, gui);
  // Says so in the log, or would.
  EXPECT_TRUE(gui.call("reloadConfig", {}));
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_FSIZE, &everything, nullptr), 0);
  expect_recovery(daemon, gui);
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(Disk, AFullWorkspaceLeavesTheOldFileAndTellsWhy) {
  DaemonProcess daemon(kAskNobody);
  const std::string folder = daemon.path("small");
  const SmallDisk disk(folder, 0, "mode=0755,size=1m");
  write_file(folder + "/a.txt", "old");
  Client gui = daemon.control();
  const json::object params{
      {"name", "write"},
      {"arguments", json::object{{"path", folder + "/a.txt"},
                                 {"content", std::string(2U << 20, 'n')}}}};
  const auto reply = gui.call("execute", params);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_at(*reply, "error.kind"), "toolFailed");
  EXPECT_NE(text_at(*reply, "error.message").find("No space left"),
            std::string::npos);
  EXPECT_EQ(read_file(folder + "/a.txt"), "old");
  std::size_t names = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names += entry.path().filename() == "a.txt" ? 1 : 100;
  }
  EXPECT_EQ(names, 1u);
}

}  // namespace
}  // namespace toolhost::testing
