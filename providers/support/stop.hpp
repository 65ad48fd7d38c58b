// Stop: one meaning of cancellation. The flag is set, the current wait ends.
//
// Loop thread, except flag(): that one a worker thread may read.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace toolhost {

class Stop {
 public:
  // `reason` is a sentence for the model ("The caller cancelled the call.").
  // The first request wins.
  void request(std::string reason);

  bool requested() const { return flag_->load(std::memory_order_relaxed); }
  const std::string& reason() const { return reason_; }
  std::shared_ptr<const std::atomic<bool>> flag() const { return flag_; }

  // Runs `action` at the request (at once if it was made), until the
  // registration is destroyed. The Stop has to outlive the registration.
  class Registration {
   public:
    Registration() = default;
    Registration(Stop* stop, int id) : stop_(stop), id_(id) {}
    Registration(Registration&& other) noexcept
        : stop_(std::exchange(other.stop_, nullptr)), id_(other.id_) {}
    Registration& operator=(Registration&&) = delete;
    ~Registration() {
      if (stop_) stop_->actions_.erase(id_);
    }

   private:
    Stop* stop_ = nullptr;
    int id_ = 0;
  };
  [[nodiscard]] Registration on_request(std::function<void()> action);

 private:
  std::shared_ptr<std::atomic<bool>> flag_ =
      std::make_shared<std::atomic<bool>>(false);
  std::string reason_;
  std::map<int, std::function<void()>> actions_;
  int next_ = 0;
};

}  // namespace toolhost
