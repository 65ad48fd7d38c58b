#include "config/paths.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

// sizeof(sockaddr_un::sun_path) is 108, one of them the NUL.
constexpr std::size_t kMaxSocketPath = 107;

// A path and the sentence that says where it comes from.
struct Chosen {
  std::string path;
  std::string reason;
};

// An empty variable counts as unset (XDG's rule).
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Without "//" and "/./". A ".." stays: what it means depends on links.
std::string tidy(const std::string& path) {
  if (path.find("/..") != std::string::npos) return path;
  return std::filesystem::path(path).lexically_normal().string();
}

Result<std::string> absolute(std::string path, const std::string& origin) {
  if (!path.starts_with('/')) {
    char here[4096];
    const char* cwd = ::getcwd(here, sizeof here);
    return make_error(
        Code::invalid_params,
        origin + " is the relative path \"" + display_text(path) + "\"",
        cwd ? "Use the absolute path, for example " + std::string(cwd) + "/" +
                  display_text(path) + "."
            : "Use an absolute path.");
  }
  if (path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..")) {
    return make_error(
        Code::invalid_params,
        origin + " is \"" + display_text(path) + "\", which names a folder",
        "Name a file in it.");
  }
  return tidy(path);
}

// The toolhost folder of an XDG base directory.
Result<std::string> base_folder(const char* name, const char* below_home) {
  std::string origin = std::string("$") + name;
  std::string base = variable(name);
  if (base.empty()) {
    const std::string home = variable("HOME");
    if (home.empty()) {
      return make_error(Code::config_invalid,
                        "cannot tell where files belong: neither " + origin +
                            " nor $HOME is set",
                        "Set HOME to your home folder.");
    }
    base = home + below_home;
    origin = "$HOME";
  }
  return absolute(base + "/toolhost", origin);
}

Result<Chosen> control_socket(const std::string& option,
                              const std::string& state_dir) {
  if (!option.empty()) return Chosen{option, "--socket"};
  if (auto path = variable("TOOLHOST_SOCK"); !path.empty()) {
    return Chosen{path, "$TOOLHOST_SOCK"};
  }
  if (auto base = variable("XDG_RUNTIME_DIR"); !base.empty()) {
    return Chosen{base + "/toolhost/toolhost.sock", "$XDG_RUNTIME_DIR"};
  }
  return Chosen{state_dir + "/run/toolhost.sock",
                "the state folder, because $XDG_RUNTIME_DIR is not set"};
}

std::optional<Error> check_length(const std::string& path,
                                  const std::string& reason) {
  if (path.size() <= kMaxSocketPath) return {};
  return make_error(
      Code::invalid_params,
      "the socket path " + display_text(path) + " is " +
          std::to_string(path.size()) + " bytes long; the system allows " +
          std::to_string(kMaxSocketPath) + " (it comes from " + reason + ")",
      "Name a shorter path with --socket or $TOOLHOST_SOCK.");
}

Result<void> find_sockets(const std::string& option, Paths& paths) {
  auto chosen = control_socket(option, paths.state_dir);
  if (!chosen) return std::move(chosen).error();
  auto path = absolute(chosen->path, chosen->reason);
  if (!path) return std::move(path).error();
  paths.control_socket = *std::move(path);
  paths.runtime_dir =
      paths.control_socket.substr(0, paths.control_socket.rfind('/'));
  paths.caller_socket = paths.runtime_dir + "/caller.sock";
  paths.lock_file = paths.runtime_dir + "/toolhost.lock";
  paths.socket_reason = "The path comes from " + chosen->reason + ".";
  if (paths.control_socket == paths.caller_socket ||
      paths.control_socket == paths.lock_file) {
    return make_error(Code::invalid_params,
                      chosen->reason + " is " + paths.control_socket +
                          ", a name that has another meaning in the folder",
                      "Use another file name; the callers' socket and the "
                      "lock are put beside it.");
  }
  for (const auto* socket : {&paths.control_socket, &paths.caller_socket}) {
    if (auto error = check_length(*socket, chosen->reason)) {
      return *std::move(error);
    }
  }
  return {};
}

Result<void> find_config(const std::string& option, Paths& paths) {
  std::string path = option;
  std::string origin = "--config";
  if (path.empty()) {
    path = variable("TOOLHOST_CONFIG");
    origin = "$TOOLHOST_CONFIG";
  }
  paths.config_named = !path.empty();
  if (path.empty()) {
    auto folder = base_folder("XDG_CONFIG_HOME", "/.config");
    if (!folder) return std::move(folder).error();
    path = *folder + "/config.jsonc";
  }
  auto file = absolute(std::move(path), origin);
  if (!file) return std::move(file).error();
  paths.config_file = *std::move(file);
  paths.rules_file = paths.config_file.substr(0, paths.config_file.rfind('/')) +
                     "/rules.jsonc";
  return {};
}

}  // namespace

Result<Paths> find_paths(const std::string& socket_option,
                         const std::string& config_option) {
  Paths paths;
  auto state = base_folder("XDG_STATE_HOME", "/.local/state");
  if (!state) return std::move(state).error();
  paths.state_dir = *std::move(state);
  auto cache = base_folder("XDG_CACHE_HOME", "/.cache");
  if (!cache) return std::move(cache).error();
  paths.cache_dir = *std::move(cache);
  auto config = find_config(config_option, paths);
  if (!config) return std::move(config).error();
  auto sockets = find_sockets(socket_option, paths);
  if (!sockets) return std::move(sockets).error();
  return paths;
}

}  // namespace toolhost::config
