// relay SOCKET: copies bytes between a Unix socket and its own standard input
// and output, so that a test can speak as another process.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

// False: the source ended.
bool copy(int from, int to) {
  char bytes[65536];
  const ssize_t got = read(from, bytes, sizeof bytes);
  if (got <= 0) return false;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t now =
        write(to, bytes + sent, static_cast<size_t>(got - sent));
    if (now <= 0) return false;
    sent += now;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (argc != 2 || std::strlen(argv[1]) >= sizeof address.sun_path) return 2;
  std::strcpy(address.sun_path, argv[1]);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address)) {
    std::perror("connect");
    return 1;
  }
  pollfd watched[2] = {{0, POLLIN, 0}, {socket, POLLIN, 0}};
  while (poll(watched, 2, -1) > 0) {
    if (watched[0].revents != 0 && !copy(0, socket)) return 0;
    if (watched[1].revents != 0 && !copy(socket, 1)) return 0;
  }
  return 1;
}
