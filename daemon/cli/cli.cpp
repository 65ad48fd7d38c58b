#include "daemon/cli/cli.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "daemon/cli/command.hpp"
#include "daemon/cli/parse.hpp"

namespace toolhost::cli {

Console::Traits detect_traits() {
  Console::Traits traits;
  traits.terminal_in = isatty(STDIN_FILENO) == 1;
  traits.terminal_out = isatty(STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  traits.color = traits.terminal_out && !(no_color && *no_color);
  winsize size{};
  if (traits.terminal_out && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    traits.width = size.ws_col;
  }
  return traits;
}

int run(std::vector<std::string> words, Console& console) {
  Parsed parsed = parse(std::move(words));
  console.traits().json = parsed.globals.json;
  console.traits().no_input = parsed.globals.no_input;
  Invocation invocation{std::move(parsed.globals), std::move(parsed.arguments),
                        console};
  if (!parsed.command) {
    if (parsed.exit_code == kOk) {
      console.print(parsed.message);
      return kOk;
    }
    // The first line says what; the parser's advice is replaced by ours.
    parsed.message.resize(
        std::min(parsed.message.find('\n'), parsed.message.size()));
    return usage(invocation, std::move(parsed.message),
                 "`toolhost --help` lists what there is.");
  }
  return parsed.command->run(invocation);
}

}  // namespace toolhost::cli
