// toolhost watch: one JSON event per line; resumes by itself.
#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>

#include "daemon/cli/dial.hpp"
#include "daemon/cli/event_feed.hpp"
#include "daemon/cli/terminal.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"TOPIC",
     "approvals, calls, output, tools, providers, config, server (default: "
     "all but output)",
     false, true, Completes::topic},
};

void print_item(Console& console, const FeedItem& item) {
  json::object out;
  switch (item.kind) {
    case FeedItem::Kind::lost:
      console.note("toolhost: " + item.error->message +
                   " Waiting for the daemon.");
      return;
    case FeedItem::Kind::resumed:
      return;
    case FeedItem::Kind::snapshot:
      out["method"] = "snapshot";
      break;
    case FeedItem::Kind::event:
      out["method"] = item.method;
      break;
  }
  out["params"] = item.params;
  // Never broken over lines, also on a terminal.
  const std::string text = json_text(out);
  console.bytes((console.traits().terminal_out ? display_text(text) : text) +
                "\n");
}

int run_watch(Invocation& invocation) {
  auto path = socket_path(invocation.globals);
  if (!path) return fail(invocation, path.error());
  std::vector<std::string> topics = invocation.arguments.all("TOPIC");
  if (topics.empty()) {
    topics = {"approvals", "calls", "tools", "providers", "config", "server"};
  }
  SignalFd signals;
  EventFeed feed(
      [&invocation]() -> Result<Client> { return dial(invocation.globals); },
      topics);
  for (;;) {
    for (const FeedItem& item : feed.step(std::chrono::steady_clock::now())) {
      print_item(invocation.console, item);
      // A refusal does not become an acceptance by waiting.
      if (item.error && client_fault(*item.error) == ClientFault::none &&
          !info(item.error->code).retryable) {
        return exit_code(*item.error);
      }
    }
    const Milliseconds pause = feed.pause(std::chrono::steady_clock::now());
    const int timeout =
        pause == Client::kForever ? -1 : static_cast<int>(pause.count());
    std::array<pollfd, 2> fds{pollfd{signals.fd(), POLLIN, 0},
                              pollfd{feed.fd(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), timeout);
    if (fds[0].revents != 0) return kOk;
  }
}

}  // namespace

extern const Command kWatch;
const Command kWatch{
    .name = "watch",
    .summary = "Print events as they happen, one JSON object per line",
    .arguments = kArguments,
    .options = {},
    .takes_tool_flags = false,
    .run = run_watch,
};

}  // namespace toolhost::cli
