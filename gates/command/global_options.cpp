#include "gates/command/global_options.hpp"

#include <algorithm>

namespace toolhost::command {
namespace {

struct Row {
  std::string_view program;
  std::string_view flags;   // one blank between them
  std::string_view values;  // these take the next word, or =value
};

// Nothing that decides what runs (git -c, make --eval) stands here.
constexpr Row kRows[] = {
    {"aws", "--no-cli-pager --no-paginate --debug",
     "--profile --region --output --endpoint-url"},
    {"az", "--debug --verbose --only-show-errors",
     "--subscription --output -o"},
    {"bun", "--silent", "--cwd --filter"},
    {"cargo", "-q --quiet -v --verbose --locked --offline --frozen",
     "-p --package --manifest-path --color -C"},
    {"composer", "-q -n --quiet --no-interaction", "-d --working-dir"},
    {"deno", "-q --quiet", ""},
    {"docker", "-D --debug --tls", "-c --context -H --host -l --log-level"},
    {"dotnet", "-d --diagnostics", ""},
    {"flutter", "-v --verbose", "-d"},
    {"gcloud", "-q --quiet", "--project --account --format --verbosity"},
    {"gh", "", "-R --repo"},
    {"git",
     "--no-pager -P --bare --no-optional-locks --literal-pathspecs "
     "--no-replace-objects",
     "-C --namespace"},
    {"go", "", "-C"},
    {"gradle", "-q --quiet --offline --stacktrace --no-daemon", "-p"},
    {"helm", "--debug", "--kube-context -n --namespace"},
    {"kubectl", "", "--context -n --namespace --cluster --user"},
    {"make", "-s -k -B -n --silent --keep-going", "-C -j"},
    {"meson", "", "-C"},
    {"mvn", "-q -B -o -U -ntp", "-pl -f"},
    {"ninja", "-v -n", "-C -j"},
    {"nix", "--offline -v", "--extra-experimental-features"},
    {"npm", "-s --silent -q", "-w --workspace --prefix -C"},
    {"pip", "-q -v --quiet --no-input", ""},
    {"pnpm", "-r -w --recursive --workspace-root", "--filter -F -C --dir"},
    {"podman", "", "-c --connection --log-level"},
    {"poetry", "-q -n -v --quiet --no-interaction", "-C --directory"},
    {"pulumi", "--non-interactive", "-s --stack -C --cwd"},
    {"rustup", "-q -v", ""},
    {"systemctl", "--user --system --no-pager -q --quiet --no-block",
     "-H --host -M --machine"},
    {"terraform", "", "-chdir"},
    {"uv", "-q --quiet --offline", "--project --directory"},
    {"yarn", "-s --silent", "--cwd"},
};

const Row* row_of(std::string_view program) {
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const Row& row) { return row.program == program; });
  return found == std::end(kRows) ? nullptr : found;
}

bool has(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos;
       at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') &&
        (end == list.size() || list[end] == ' ')) {
      return true;
    }
  }
  return false;
}

// How many words the option at `at` takes; 0: it is not known.
std::size_t option_words(const Row* row, std::string_view word) {
  if (!row || word.size() < 2 || word[0] != '-') return 0;
  if (has(row->flags, word)) return 1;
  if (has(row->values, word)) return 2;
  const std::size_t sign = word.find('=');
  return sign != std::string_view::npos &&
                 has(row->values, word.substr(0, sign))
             ? 1
             : 0;
}

}  // namespace

std::size_t first_argument(const std::vector<Argument>& words) {
  if (words.empty()) return 0;
  const Row* const row = row_of(normal_name(words.front().text));
  std::size_t at = 1;
  while (at < words.size() && words[at].is_static()) {
    const std::size_t taken = option_words(row, words[at].text);
    if (taken == 0) break;
    at += taken;
  }
  return std::min(at, words.size());
}

std::vector<Argument> without_options(const std::vector<Argument>& words) {
  std::vector<Argument> out;
  if (words.empty()) return out;
  const Row* const row = row_of(normal_name(words.front().text));
  // git -c name=value push: not kept by a rule, but known.
  const bool git = row && row->program == "git";
  out.push_back(words.front());
  std::size_t at = 1;
  while (at < words.size() && words[at].text.starts_with('-')) {
    const std::size_t taken = option_words(row, words[at].text);
    const std::string& text = words[at].text;
    const bool pair = git && (text == "-c" || text == "--git-dir" ||
                              text == "--work-tree" || text == "--config-env");
    at += pair ? 2 : std::max<std::size_t>(taken, 1);
  }
  for (; at < words.size(); ++at) out.push_back(words[at]);
  return out;
}

}  // namespace toolhost::command
