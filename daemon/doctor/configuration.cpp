// The two files that a person writes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "config/jsonc.hpp"
#include "daemon/doctor/families.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost::doctor {
namespace {

// As gates/rules.hpp reads it at most.
constexpr std::size_t kMaxRulesBytes = 4U << 20;

Result<std::string> read_rules(const std::string& path) {
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return system_error("cannot open " + path, errno);
  std::string text;
  for (;;) {
    char block[16384];
    const ssize_t got = ::read(fd.get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read " + path, errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > kMaxRulesBytes) {
      return make_error(Code::config_invalid, path + " is over 4 MiB");
    }
  }
}

Finding bad_rules(std::string detail) {
  return fail("rules",
              "No remembered permission counts: " + std::move(detail) + ".",
              "Repair the file, or move it away and answer again.");
}

}  // namespace

Findings check_config(const CheckInput& input) {
  const std::string& path = input.paths.config_file;
  if (!input.config) {
    const std::string why =
        input.config_error.empty() ? "it was not read" : input.config_error;
    return {fail("config", why + ".",
                 "Repair the file; toolhostd --check-config reads it again.")};
  }
  if (input.config->file.empty()) {
    return {ok("config",
               "There is no " + path + "; the built-in defaults are used.")};
  }
  Findings out{ok("config", input.config->file + " is well-formed.")};
  if (input.config->preset == "full-access" ||
      input.config->sessions.approvals == ApprovalPolicy::automatic) {
    out.push_back(warn("config.access",
                       "Sessions run everything without asking anybody.",
                       "Set \"preset\": \"ask-first\" if that is not "
                       "intended."));
  }
  return out;
}

Findings check_rules(const CheckInput& input) {
  const std::string& path = input.paths.rules_file;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {ok("rules", "Nothing is remembered yet.")};
    return {bad_rules(path + ": " + system_text(errno))};
  }
  if (!S_ISREG(status.st_mode)) return {bad_rules(path + " is no file")};
  if (status.st_uid != ::geteuid() || (status.st_mode & 022U) != 0) {
    return {fail("rules", path + " can be written by other users.",
                 "chmod go-w " + path + " and make it yours.")};
  }
  auto text = read_rules(path);
  if (!text) return {bad_rules(text.error().message)};
  auto parsed = config::parse_jsonc(*text, path);
  if (!parsed) return {bad_rules(parsed.error().message)};
  if (!parsed->is_object() && !parsed->is_array()) {
    return {bad_rules(path + " holds neither a list nor an object")};
  }
  return {ok("rules", path + " is well-formed.")};
}

}  // namespace toolhost::doctor
