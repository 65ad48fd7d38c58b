// The machine: time, disk, limits.
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "daemon/doctor/families.hpp"
#include "protocol/clock.hpp"

namespace toolhost::doctor {
namespace {

// The journal (10 000 calls), its log and a backup before a migration.
constexpr std::uint64_t kNeededBytes = 100U << 20;
// 1024 connections are the default limit; each call needs a few more.
constexpr rlim_t kNeededFiles = 1024;
// This program did not exist before.
constexpr int kFirstYear = 2025;
constexpr int kLastYear = 2100;

// The folder, or the nearest one above it that exists.
std::string existing(const std::string& folder) {
  std::filesystem::path path = folder;
  std::error_code ignored;
  while (path.has_relative_path() && !std::filesystem::exists(path, ignored)) {
    path = path.parent_path();
  }
  return path.string();
}

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

Findings check_clock(const CheckInput&) {
  const auto now = std::chrono::system_clock::now();
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(now));
  const int year = static_cast<int>(day.year());
  if (year >= kFirstYear && year <= kLastYear) {
    return {ok("clock", "It is " + rfc3339(now) + ".")};
  }
  return {warn("clock",
               "The clock says " + rfc3339(now) +
                   "; the times in records will be wrong (no "
                   "deadline depends on them).",
               "Set the clock, for example with timedatectl set-ntp true.")};
}

Findings check_disk(const CheckInput& input) {
  const std::string& folder = input.paths.state_dir;
  const std::string there = existing(folder);
  struct statvfs status;
  if (::statvfs(there.c_str(), &status) != 0) {
    return {fail(
        "disk",
        "Cannot ask for the room at " + there + ": " + system_text(errno) + ".",
        "Make " + folder + " a folder that you can write to.")};
  }
  const std::uint64_t free =
      static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
  if ((status.f_flag & ST_RDONLY) != 0) {
    return {fail("disk", there + " is on a read-only file system.",
                 "Point XDG_STATE_HOME to one that can be written.")};
  }
  if (status.f_files > 0 && status.f_favail == 0) {
    return {fail("disk", "The file system of " + there + " has no inode left.",
                 "Delete small files there.")};
  }
  if (free < kNeededBytes) {
    return {fail("disk",
                 "Only " + mebibytes(free) + " are free for " + folder +
                     "; the journal may fail, and no call runs "
                     "without it.",
                 "Free " + mebibytes(kNeededBytes) + " there.")};
  }
  return {ok("disk", mebibytes(free) + " are free for " + folder + ".")};
}

Findings check_open_files(const CheckInput&) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return {skip("openFiles",
                 "The limit cannot be read: " + system_text(errno) + ".")};
  }
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= kNeededFiles) {
    return {ok("openFiles",
               limit.rlim_cur == RLIM_INFINITY
                   ? "Open files are not limited."
                   : std::to_string(limit.rlim_cur) + " files may be open.")};
  }
  return {warn("openFiles",
               "Only " + std::to_string(limit.rlim_cur) +
                   " files may be open; connections may be "
                   "refused.",
               "ulimit -n 4096, or LimitNOFILE= in the unit.")};
}

}  // namespace toolhost::doctor
