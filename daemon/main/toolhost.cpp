// toolhost: the command line of the daemon.
#include <iostream>
#include <string>
#include <vector>

#include "daemon/cli/cli.hpp"

int main(int argc, char** argv) {
  using namespace toolhost;
  cli::Console console(std::cin, std::cout, std::cerr, cli::detect_traits());
  return cli::run(std::vector<std::string>(argv + 1, argv + argc), console);
}
