#include "gates/command/risk.hpp"

#include <algorithm>

#include "gates/command/global_options.hpp"

namespace toolhost::command {
namespace {

struct Row {
  std::string_view program;
  std::string_view sub;  // empty: any
  std::string_view category;
};

constexpr Row kRows[] = {
    {"apt", "", "system"},
    {"apt-get", "", "system"},
    {"aws", "", "network"},
    {"az", "", "network"},
    {"brew", "install", "network"},
    {"bun", "add", "network"},
    {"bun", "install", "network"},
    {"cargo", "install", "network"},
    {"cargo", "publish", "publishes"},
    {"crontab", "", "system"},
    {"curl", "", "network"},
    {"dd", "", "destructive"},
    {"dnf", "", "system"},
    {"doas", "", "privileged"},
    {"docker", "pull", "network"},
    {"docker", "push", "publishes"},
    {"fdisk", "", "destructive"},
    {"ftp", "", "network"},
    {"gcloud", "", "network"},
    {"gh", "", "network"},
    {"git", "archive", "network"},
    {"git", "clean", "destructive"},
    {"git", "clone", "network"},
    {"git", "fetch", "network"},
    {"git", "ls-remote", "network"},
    {"git", "pull", "network"},
    {"git", "push", "publishes"},
    {"go", "get", "network"},
    {"helm", "", "network"},
    {"insmod", "", "system"},
    {"iptables", "", "system"},
    {"kubectl", "", "network"},
    {"mkfs", "", "destructive"},
    {"mkfs.ext4", "", "destructive"},
    {"mkswap", "", "destructive"},
    {"modprobe", "", "system"},
    {"mount", "", "system"},
    {"nc", "", "network"},
    {"ncat", "", "network"},
    {"netcat", "", "network"},
    {"npm", "add", "network"},
    {"npm", "ci", "network"},
    {"npm", "i", "network"},
    {"npm", "install", "network"},
    {"npm", "publish", "publishes"},
    {"npx", "", "network"},
    {"pacman", "", "system"},
    {"parted", "", "destructive"},
    {"pip", "install", "network"},
    {"pnpm", "add", "network"},
    {"pnpm", "install", "network"},
    {"pnpm", "publish", "publishes"},
    {"poweroff", "", "system"},
    {"reboot", "", "system"},
    {"rsync", "", "network"},
    {"scp", "", "network"},
    {"sftp", "", "network"},
    {"shred", "", "destructive"},
    {"shutdown", "", "system"},
    {"ssh", "", "network"},
    {"su", "", "privileged"},
    {"sudo", "", "privileged"},
    {"sysctl", "", "system"},
    {"systemctl", "", "system"},
    {"telnet", "", "network"},
    {"terraform", "apply", "publishes"},
    {"terraform", "destroy", "destructive"},
    {"twine", "upload", "publishes"},
    {"umount", "", "system"},
    {"useradd", "", "system"},
    {"userdel", "", "system"},
    {"uv", "add", "network"},
    {"uvx", "", "network"},
    {"wget", "", "network"},
    {"wipefs", "", "destructive"},
    {"yarn", "add", "network"},
    {"yarn", "install", "network"},
    {"yum", "", "system"},
};

bool has_flag(const Command& command, char letter, std::string_view name) {
  return std::any_of(command.words.begin() + 1, command.words.end(),
                     [&](const Argument& word) {
                       const std::string_view text = word.text;
                       if (text.starts_with("--")) {
                         return text.size() > 3 &&
                                name.starts_with(text.substr(2));
                       }
                       return text.starts_with('-') &&
                              text.find(letter) != std::string_view::npos;
                     });
}

bool has_word(const Command& command, std::string_view wanted) {
  return std::any_of(command.words.begin() + 1, command.words.end(),
                     [&](const Argument& word) { return word.text == wanted; });
}

bool is_destructive(const std::string& name, const Command& command) {
  if (name == "rm") {
    return (has_flag(command, 'r', "recursive") ||
            has_flag(command, 'R', "recursive")) &&
           has_flag(command, 'f', "force");
  }
  if (name == "find") return has_word(command, "-delete");
  if (name == "chmod" || name == "chown") {
    return has_flag(command, 'R', "recursive");
  }
  if (name == "git") {
    return has_word(command, "--hard") ||
           (has_word(command, "push") && has_flag(command, 'f', "force"));
  }
  return false;
}

bool downloads(const std::string& name) {
  return name == "curl" || name == "wget";
}

bool is_shell(const std::string& name) {
  return name == "sh" || name == "bash" || name == "zsh" || name == "python" ||
         name == "node" || name == "perl" || name == "ruby";
}

}  // namespace

std::string_view name(RiskLevel level) {
  switch (level) {
    case RiskLevel::medium:
      return "medium";
    case RiskLevel::high:
      return "high";
    case RiskLevel::critical:
      return "critical";
  }
  return "high";
}

Risk risk_of(const Judgement& judgement) {
  Risk out;
  bool downloading = false;
  for (const Command& command : judgement.commands) {
    if (command.words.empty()) continue;
    const std::string program = normal_name(command.words.front().text);
    const std::size_t first = first_argument(command.words);
    const std::string_view sub =
        first < command.words.size()
            ? std::string_view(command.words[first].text)
            : "";
    for (const Row& row : kRows) {
      if (row.program == program && (row.sub.empty() || row.sub == sub)) {
        out.categories.emplace(row.category);
      }
    }
    if (is_destructive(program, command)) out.categories.emplace("destructive");
    if (downloading && is_shell(program)) {
      out.categories.emplace("pipedInstaller");
    }
    downloading = downloading || downloads(program);
  }
  for (const PathUse& use : judgement.paths) {
    const bool device =
        use.path.starts_with("/dev/") &&
        (use.path.starts_with("/dev/sd") || use.path.starts_with("/dev/nvme") ||
         use.path.starts_with("/dev/mem"));
    if (use.access == Access::write || use.access == Access::append) {
      if (use.path != "/dev/null") out.categories.emplace("writes");
      if (device) out.categories.emplace("destructive");
    }
  }
  const bool hidden = std::any_of(judgement.reasons.begin(),
                                  judgement.reasons.end(), [](const Reason& r) {
                                    return r.kind != ReasonKind::variable &&
                                           r.kind != ReasonKind::dynamic_target;
                                  });
  if (hidden || !judgement.understood) out.categories.emplace("outOfSight");
  for (const std::string_view worst :
       {"destructive", "network", "pipedInstaller", "publishes",
        "privileged"}) {
    if (out.categories.contains(worst)) out.level = RiskLevel::critical;
  }
  for (const std::string& category : out.categories) {
    if (!out.text.empty()) out.text += ", ";
    out.text += category;
  }
  if (out.text.empty()) out.text = "runs a command";
  return out;
}

}  // namespace toolhost::command
