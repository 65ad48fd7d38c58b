// The two small protocols of systemd, by hand: sockets that it opened for us,
// and what we tell it about our state.
//
// Both are off when their variables are not set, so nothing here asks whether
// systemd started us.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/clock.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost::systemd {

struct ActivatedSocket {
  // FileDescriptorName= of the unit: "control" or "caller". Any other has to be
  // refused: a socket without a name could get the wrong roles.
  std::string name;
  // A listening Unix stream socket, close-on-exec and non-blocking. Its path
  // belongs to systemd: never unlink it.
  UniqueFd fd;
};

// What the variables LISTEN_* hand over; they are unset, so that it works once
// and no child believes that it is meant. Call it before a thread or a child
// is started. Descriptors that are no listening Unix sockets are closed.
std::vector<ActivatedSocket> activated_sockets();

// One datagram to $NOTIFY_SOCKET. False when systemd did not ask for it or it
// could not be sent; never waits for long, never fails the daemon.
bool notify(std::string_view state);

// READY=1, also the end of a reload.
bool notify_ready();
// RELOADING=1; notify_ready() follows.
bool notify_reloading();
bool notify_stopping();
// One line for `systemctl status`.
bool notify_status(std::string_view text);
// A sign of life.
bool notify_watchdog();

// How often notify_watchdog() has to be called: half of what systemd allows.
// Empty: not at all.
std::optional<Milliseconds> watchdog_interval();

}  // namespace toolhost::systemd
