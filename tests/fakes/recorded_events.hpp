// RecordedEvents: an event sink that a test can read.
#pragma once

#include <vector>

#include "protocol/event.hpp"

namespace toolhost::testing {

class RecordedEvents : public EventSink {
 public:
  std::vector<Event> events;
  void publish(Event event) override { events.push_back(std::move(event)); }

  std::vector<std::string> methods() const {
    std::vector<std::string> out;
    for (const Event& event : events) out.push_back(event.method);
    return out;
  }
};

}  // namespace toolhost::testing
