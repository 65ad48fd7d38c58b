#include "providers/support/confinement.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace toolhost {

Result<SharedSandbox> confine(const Confinement& confinement,
                              const std::vector<std::string>& roots,
                              std::string_view session_id) {
  SandboxRequest request;
  request.strength = confinement.strength;
  request.landlock_abi = confinement.landlock_abi;
  request.accept_unprotected =
      confinement.strength == SandboxStrength::landlock_only;
  request.roots = roots;
  request.own_folders = confinement.own_folders;
  request.home = confinement.home;
  request.runtime_dir = confinement.runtime_dir;
  if (!confinement.tmp_root.empty()) {
    request.tmp_folder = confinement.tmp_root + "/" + std::string(session_id);
    if (::mkdir(confinement.tmp_root.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("cannot make " + confinement.tmp_root, errno);
    }
    if (::mkdir(request.tmp_folder.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("cannot make " + request.tmp_folder, errno);
    }
  }
  return profile_for(request);
}

void remove_session_tmp(const Confinement& confinement,
                        const std::string& session_id) {
  if (confinement.tmp_root.empty() || session_id.empty()) return;
  std::error_code gone;
  std::filesystem::remove_all(confinement.tmp_root + "/" + session_id, gone);
}

}  // namespace toolhost
