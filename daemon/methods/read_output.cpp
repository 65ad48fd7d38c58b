// readOutput: a window of kept output, by artifact or by call. Text is cut at
// character borders; bytes that are no text come as base64.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"
#include "protocol/base64.hpp"

namespace toolhost {
namespace {

constexpr std::int64_t kDefaultWindow = 64 * 1024;
constexpr std::int64_t kLargestWindow = 1024 * 1024;
// A window smaller than a character would never move.
constexpr std::int64_t kSmallestWindow = 16;

Error no_artifact(const std::string& id) {
  return make_error(Code::artifact_not_found,
                    "There is no kept output \"" + id + "\" here.",
                    "It ends with its session, and the oldest make room.");
}

Result<std::string> artifact_of(Daemon& daemon, Connection& connection,
                                const json::object& params) {
  Fields in(params, "params");
  const auto artifact = in.optional_string("artifactId");
  const auto call_id = in.optional_string("callId");
  if (!artifact == !call_id) {
    in.fail("artifactId", "or params.callId has to be given, one of the two");
  }
  if (in.error()) return *in.error();
  if (artifact) {
    const auto owner = daemon.artifacts->owner(*artifact);
    if (!owner || !may_use(connection, *owner)) return no_artifact(*artifact);
    return *artifact;
  }
  const LiveCallPtr live = daemon.calls.find(*call_id);
  if (!live || !may_use(connection, live->call->session->id)) {
    return make_error(Code::call_not_found,
                      "There is no call \"" + *call_id + "\" here.",
                      "listCalls has the calls that are known.");
  }
  if (live->call->output.artifact.empty()) {
    return make_error(Code::artifact_not_found,
                      "Nothing beyond the result was kept of this call.",
                      "Its whole output is in the result (getCall).");
  }
  return live->call->output.artifact;
}

std::string window_text(ArtifactWindow window) {
  std::string out = R"({"offset":)" + std::to_string(window.offset);
  std::string_view bytes = window.bytes;
  // A character that goes on behind the window belongs to the next one.
  const std::size_t tail = utf8_incomplete_tail(bytes);
  if (tail < bytes.size() && !(window.end && tail > 0)) {
    bytes.remove_suffix(tail);
  }
  const std::uint64_t next = window.offset + bytes.size();
  if (is_utf8(bytes)) {
    out += R"(,"text":)";
    append_json_string(out, bytes);
  } else {
    out += R"(,"base64":)";
    append_json_string(out, base64(bytes));
  }
  out += R"(,"nextOffset":)" + std::to_string(next);
  out += R"(,"totalBytes":)" + std::to_string(window.total);
  out += window.finished && next >= window.total ? R"(,"eof":true})"
                                                 : R"(,"eof":false})";
  return out;
}

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const auto offset =
      in.optional_int("offset", 0, std::int64_t{1} << 52).value_or(0);
  const auto size = in.optional_int("maxBytes", kSmallestWindow, kLargestWindow)
                        .value_or(kDefaultWindow);
  if (in.error()) return *in.error();
  auto id = artifact_of(daemon, connection, params);
  if (!id) return id.error();
  auto window = daemon.artifacts->read(*id, static_cast<std::uint64_t>(offset),
                                       static_cast<std::size_t>(size));
  if (!window) return window.error();
  return window_text(std::move(*window));
}

}  // namespace

const MethodDefinition read_output_method{
    .name = "readOutput", .roles = kCaller | kApprover | kObserver, .now = run};

}  // namespace toolhost
