// Transcript: a conversation with the daemon, as text, played against the real
// one. PROTOCOL.md and the *.transcript files hold them.
//
//   # a sentence                  the name of the test
//   config {"…":…}                configuration of the daemon (first line)
//   A control                     a connection of this process
//   B caller                      a connection of another process
//   file NAME TEXT                a file in the workspace ($work)
//   A> {"id":1,"method":"ping"}   sent; "jsonrpc" is added when it is missing
//   A! anything                   sent as it is
//   A< {"id":1,"result":{…}}      the reply with this id, or the next
//                                 notification of this method
//   A. closed                     the daemon has closed the connection
//
// What is expected is a subset: members that are not named do not matter, "…"
// is anything, "$name" is kept the first time and has to be the same (and is
// filled in when sent) after that.
#pragma once

#include <string>
#include <vector>

namespace toolhost::testing {

struct Transcript {
  std::string name;
  std::string origin;  // file:line
  std::vector<std::pair<int, std::string>> lines;
};

// Every transcript of a file: all of it, or its ```transcript blocks (*.md).
std::vector<Transcript> read_transcripts(const std::string& file);

// Plays it; what does not fit is a test failure that shows both sides.
void play(const Transcript& transcript);

}  // namespace toolhost::testing
