#include "daemon/call_progress.hpp"

#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"

namespace toolhost {
namespace {

class Teller : public std::enable_shared_from_this<Teller> {
 public:
  Teller(Daemon& daemon, const Connection& connection, const Call& call,
         ExecuteRequest::Stream stream)
      : daemon_(daemon),
        connection_(const_cast<Connection&>(connection).weak_from_this()),
        stream_(stream),
        call_(call.id),
        session_(call.session->id),
        timer_(daemon.loop) {
    const auto& roots = call.session->policy.roots;
    if (!roots.empty()) workspace_ = roots.front();
  }

  void take(Progress progress) {
    if (!progress.output.empty()) return tell_output(std::move(progress));
    const SteadyTime now = daemon_.clock.steady();
    const SteadyTime next = last_ + kProgressEvery;
    if (!held_ && now >= next) return tell_message(progress.message);
    const bool armed = held_.has_value();
    held_ = std::move(progress.message);
    if (armed) return;
    timer_.expires_at(next);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code) {
      const auto self = weak.lock();
      if (!self || !self->held_) return;
      const std::string message = std::move(*self->held_);
      self->held_.reset();
      self->tell_message(message);
    });
  }

 private:
  void tell_message(const std::string& message) {
    last_ = daemon_.clock.steady();
    Event event = event_of(Topic::calls, "call/progress");
    event.body["message"] = message;
    tell(std::move(event), stream_ == ExecuteRequest::Stream::progress ||
                               stream_ == ExecuteRequest::Stream::output);
  }

  void tell_output(Progress progress) {
    Event event = event_of(Topic::output, "call/output");
    event.body["stream"] = "stdout";
    event.body["offset"] = progress.offset;
    event.body["text"] = progress.output;
    tell(std::move(event), stream_ == ExecuteRequest::Stream::output);
  }

  Event event_of(Topic topic, const char* method) const {
    Event event;
    event.topic = topic;
    event.method = method;
    event.session = session_;
    event.workspace = workspace_;
    event.call = call_;
    event.body["callId"] = call_;
    return event;
  }

  void tell(Event event, bool wanted) {
    const auto connection = connection_.lock();
    if (connection && wanted) daemon_.events.tell(*connection, event);
    daemon_.events.publish(std::move(event));
  }

  Daemon& daemon_;
  const std::weak_ptr<Connection> connection_;
  const ExecuteRequest::Stream stream_;
  const std::string call_;
  const std::string session_;
  std::string workspace_;
  asio::steady_timer timer_;
  std::optional<std::string> held_;
  SteadyTime last_{};
};

}  // namespace

std::function<void(Progress)> call_progress(Daemon& daemon,
                                            const Connection& connection,
                                            const Call& call,
                                            ExecuteRequest::Stream stream) {
  auto teller = std::make_shared<Teller>(daemon, connection, call, stream);
  return [teller](Progress progress) { teller->take(std::move(progress)); };
}

}  // namespace toolhost
