// Event: something happened. The one interface through which news flows up.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace toolhost {

namespace json = boost::json;

enum class Topic { approvals, calls, output, tools, providers, config, server };

// "approvals", "calls", …
std::string_view name(Topic topic);

struct Event {
  Topic topic = Topic::server;
  // "approval/requested", "call/completed", …
  std::string method;
  // The members of `params` that belong to the event itself; the stream adds
  // subscriptionId, epoch, seq, prev and time.
  json::object body;
  // Who may see it: a connection with only the role caller gets the events of
  // its own sessions. Empty means: no session's.
  std::string session;
  std::string workspace;
  std::string call;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  // On the loop thread. Never blocks; slow readers are the stream's problem.
  virtual void publish(Event event) = 0;
};

}  // namespace toolhost
