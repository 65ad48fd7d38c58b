#include "providers/provider.hpp"

namespace toolhost {

Task<Result<void>> Provider::restart() {
  const Error error = make_error(
      Code::provider_unavailable,
      "Provider \"" + std::string(name()) + "\" runs inside the daemon.",
      "Restart the daemon (systemctl --user restart toolhost).");
  co_return error;
}

}  // namespace toolhost
