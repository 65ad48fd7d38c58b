// toolhost inbox: the live view; model, feed and terminal tied together.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "daemon/cli/approval_find.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/dial.hpp"
#include "daemon/cli/event_feed.hpp"
#include "daemon/cli/inbox_model.hpp"
#include "daemon/cli/terminal.hpp"

namespace toolhost::cli {
namespace {

// Ages and deadlines move once a second.
constexpr Milliseconds kTick{1000};
// An escape sequence arrives in one piece, or the key was ESC itself.
constexpr Milliseconds kEscape{50};
constexpr Milliseconds kPageLimit{10'000};
// A list longer than this is not read by a person.
constexpr std::size_t kMostApprovals = 2000;

class Inbox {
 public:
  explicit Inbox(Invocation& invocation)
      : globals_(invocation.globals),
        signals_(true),
        feed_([globals = invocation.globals] { return dial_inbox(globals); },
              {"approvals"}),
        terminal_(invocation.console.traits().color) {}

  int run() {
    resize();
    while (!done_) {
      step_feed();
      complete_selected();
      terminal_.draw(model_.render(std::chrono::system_clock::now()));
      wait();
    }
    return code_;
  }

 private:
  static Result<Client> dial_inbox(const Globals& globals) {
    DialOptions options;
    // Never the role caller: this connection answers, so it asks nothing.
    options.roles = {"approver"};
    options.interactive = true;
    return dial(globals, options);
  }

  void resize() {
    const Terminal::Size size = terminal_.size();
    model_.set_size(size.width, size.height);
    terminal_.forget();
  }

  void step_feed() {
    const WallTime now = std::chrono::system_clock::now();
    for (FeedItem& item : feed_.step(std::chrono::steady_clock::now())) {
      switch (item.kind) {
        case FeedItem::Kind::lost:
          answers_.clear();
          model_.set_waiting("waiting for the daemon (" + item.error->message +
                             ")");
          break;
        case FeedItem::Kind::resumed:
          model_.set_waiting({});
          break;
        case FeedItem::Kind::snapshot:
          take_snapshot(item.params, now);
          break;
        case FeedItem::Kind::event:
          take_event(item, now);
          break;
      }
    }
    take_replies(now);
  }

  void take_snapshot(const json::object& result, WallTime now) {
    const json::object& snapshot = object_at(result, "snapshot");
    json::array approvals = array_at(snapshot, "approvals");
    if (!text_at(snapshot, "more").empty() && feed_.client()) {
      json::object params;
      params["state"] = "pending";
      params["cursor"] = text_at(snapshot, "more");
      auto rest = collect(*feed_.client(), "listApprovals", params, "approvals",
                          kMostApprovals, kPageLimit);
      if (rest) approvals.insert(approvals.end(), rest->begin(), rest->end());
    }
    model_.replace_all(approvals, now);
    model_.set_waiting({});
  }

  // What is too large to come with the event is fetched when it is looked at,
  // once: what cannot be fetched stays refusable only.
  void complete_selected() {
    const ShownApproval* selected = model_.selected_approval();
    if (!selected || selected->complete || !feed_.client()) return;
    if (!fetched_.insert(selected->id).second) return;
    ShownApproval whole = *selected;
    if (fetch_whole(*feed_.client(), globals_, whole) && whole.complete) {
      model_.upsert(whole.raw, std::chrono::system_clock::now());
    }
  }

  void take_event(const FeedItem& item, WallTime now) {
    const json::object& approval = object_at(item.params, "approval");
    if (item.method == "approval/resolved") {
      model_.remove(approval, now);
    } else if (item.method.starts_with("approval/")) {
      model_.upsert(approval, now);
    }
  }

  void take_replies(WallTime now) {
    Client* client = feed_.client();
    if (!client) return;
    for (auto it = answers_.begin(); it != answers_.end();) {
      auto reply = client->take(it->first);
      if (!reply) {
        ++it;
        continue;
      }
      model_.answered(it->second, *reply, now);
      it = answers_.erase(it);
    }
  }

  void send(const InboxAnswer& answer, WallTime now) {
    json::object params;
    params["approvalId"] = answer.approval_id;
    if (answer.option_id.empty()) {
      params["decision"] = answer.decision;
    } else {
      params["optionId"] = answer.option_id;
    }
    params["approvalDigest"] = answer.digest;
    if (!answer.comment.empty()) params["comment"] = answer.comment;
    Client* client = feed_.client();
    if (!client) return;
    auto id = client->send("approve", params);
    if (id) {
      answers_[*id] = answer.approval_id;
    } else {
      model_.answered(answer.approval_id, id.error(), now);
    }
  }

  void press(const std::vector<Key>& keys) {
    const WallTime now = std::chrono::system_clock::now();
    for (const Key& key : keys) {
      if (key.kind == Key::Kind::redraw) terminal_.forget();
      const InboxStep step = model_.key(key, now);
      if (step.quit) done_ = true;
      if (step.suspend) {
        terminal_.suspend();
        resize();
      }
      if (step.answer) send(*step.answer, now);
    }
  }

  void wait() {
    Milliseconds limit =
        std::min(kTick, feed_.pause(std::chrono::steady_clock::now()));
    if (keys_.waiting()) limit = kEscape;
    std::array<pollfd, 3> fds{pollfd{STDIN_FILENO, POLLIN, 0},
                              pollfd{signals_.fd(), POLLIN, 0},
                              pollfd{feed_.fd(), POLLIN, 0}};
    const int count =
        ::poll(fds.data(), fds.size(), static_cast<int>(limit.count()));
    if (count <= 0) return press(keys_.flush());
    if (fds[1].revents != 0) take_signal();
    if (fds[0].revents & POLLIN) read_keys();
    if (fds[0].revents & ~POLLIN) done_ = true;  // the terminal is gone
  }

  void read_keys() {
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got > 0) {
      press(keys_.feed({buffer.data(), static_cast<std::size_t>(got)}));
    }
  }

  void take_signal() {
    const int number = signals_.take();
    if (number == SIGWINCH) {
      resize();
    } else if (number != 0) {
      done_ = true;
      code_ = number == SIGINT ? kOk : kCancelled;
    }
  }

  const Globals& globals_;
  SignalFd signals_;
  EventFeed feed_;
  InboxModel model_;
  KeyDecoder keys_;
  std::map<Client::RequestId, std::string> answers_;
  std::set<std::string> fetched_;
  bool done_ = false;
  int code_ = kOk;
  // Last: restored first, before anything else can fail.
  Terminal terminal_;
};

int run_inbox(Invocation& invocation) {
  auto usable = Terminal::usable();
  if (!usable) return fail(invocation, usable.error());
  // A wrong setting is told now, an absent daemon is waited for.
  auto path = socket_path(invocation.globals);
  if (!path) return fail(invocation, path.error());
  return Inbox(invocation).run();
}

}  // namespace

extern const Command kInbox;
const Command kInbox{
    .name = "inbox",
    .summary = "Answer approvals in a live view",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_inbox,
};

}  // namespace toolhost::cli
