#include "gates/command/arity.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "gates/command/arity_table.hpp"
#include "gates/command/global_options.hpp"
#include "gates/command/wrappers.hpp"

namespace toolhost::command {
namespace {

constexpr std::size_t kLongestPrefix = 3;  // words of a row

// Beside the wrappers (wrappers.cpp): interpreters, and what builds or opens a
// shell.
constexpr std::array kLaunchers{
    "bun",      "busybox", "cmd",     "deno",      "emacs",  "expect",
    "gdb",      "guile",   "java",    "jshell",    "lua",    "luajit",
    "mosh",     "mysql",   "node",    "nodejs",    "npx",    "osascript",
    "perl",     "php",     "psql",    "pypy",      "python", "pythonw",
    "py",       "pyw",     "ruby",    "run-parts", "screen", "sqlite3",
    "sudoedit", "tmux",    "vi",      "vim",       "nvim",   "ed",
    "ex",       "rlang",   "rscript", "telnet",    "nc",     "ncat",
    "netcat",   "socat",   "crontab", "at",        "batch",  "alias",
    "awk",      "gawk",    "mawk",    "coproc",    "select", "enable",
    "hash",     "let"};
constexpr std::array kLauncherPairs{"docker compose",
                                    "docker-compose exec",
                                    "docker-compose run",
                                    "podman compose",
                                    "pdm run",
                                    "hatch run",
                                    "go run",
                                    "cargo run",
                                    "git bisect",
                                    "git config",
                                    "git filter-branch",
                                    "git submodule",
                                    "kubectl debug",
                                    "lxc exec",
                                    "vagrant ssh",
                                    "gcloud compute",
                                    "gh alias",
                                    "gh api",
                                    "gh extension",
                                    "nix run",
                                    "nix shell",
                                    "nix-env",
                                    "dotnet exec",
                                    "dotnet script",
                                    "rustup default"};
// Exceptions to the pairs above that only look or have plain words.
constexpr std::array kNoLaunchers{
    "docker compose build",  "docker compose config", "docker compose down",
    "docker compose images", "docker compose logs",   "docker compose ps",
    "docker compose pull",   "docker compose stop",   "docker compose up"};

// Programs whose meaning stands in files of the workspace.
constexpr std::array kRunners{
    "ant",           "bazel",      "bazelisk",  "buck2",   "cmake",
    "ctest",         "eslint",     "gradle",    "gradlew", "grunt",
    "gulp",          "invoke",     "jest",      "just",    "make",
    "gmake",         "meson",      "mocha",     "mvn",     "mvnw",
    "mypy",          "ninja",      "nox",       "nx",      "phpunit",
    "playwright",    "pre-commit", "prettier",  "pytest",  "rake",
    "scons",         "skaffold",   "snakemake", "task",    "tox",
    "tsc",           "turbo",      "vite",      "vitest",  "webpack",
    "docker-compose"};
constexpr std::array kRunnerPairs{"bun install",     "bun run",
                                  "bun test",        "bundle install",
                                  "cargo bench",     "cargo build",
                                  "cargo check",     "cargo clippy",
                                  "cargo doc",       "cargo install",
                                  "cargo test",      "composer install",
                                  "composer run",    "composer run-script",
                                  "composer update", "dart test",
                                  "deno task",       "docker build",
                                  "docker buildx",   "docker compose",
                                  "dotnet build",    "dotnet publish",
                                  "dotnet run",      "dotnet test",
                                  "flutter run",     "flutter test",
                                  "go build",        "go generate",
                                  "go test",         "go vet",
                                  "mix test",        "mix compile",
                                  "npm ci",          "npm install",
                                  "npm restart",     "npm run",
                                  "npm run-script",  "npm start",
                                  "npm stop",        "npm test",
                                  "pip install",     "pnpm install",
                                  "pnpm run",        "pnpm start",
                                  "pnpm test",       "podman build",
                                  "poetry build",    "poetry install",
                                  "swift build",     "swift run",
                                  "swift test",      "terraform apply",
                                  "terraform plan",  "uv pip",
                                  "uv sync",         "yarn install",
                                  "yarn run",        "yarn start",
                                  "yarn test",       "yarn build",
                                  "hatch env",       "pulumi up",
                                  "pulumi preview"};

template <std::size_t N>
bool in(const std::array<const char*, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const ArityRow* find_row(std::string_view prefix) {
  const auto* const found =
      std::lower_bound(std::begin(kArity), std::end(kArity), prefix,
                       [](const ArityRow& row, std::string_view key) {
                         return row.prefix < key;
                       });
  return found != std::end(kArity) && found->prefix == prefix ? found : nullptr;
}

// Programs by an absolute path that a system keeps for itself.
bool is_system_path(std::string_view program) {
  const std::string_view folder =
      program.substr(0, program.size() - base_name(program).size());
  return folder == "/bin/" || folder == "/sbin/" || folder == "/usr/bin/" ||
         folder == "/usr/sbin/" || folder == "/usr/local/bin/";
}

// How many words from `first` on belong to the identity.
std::size_t arity_from(const std::vector<Argument>& words, std::size_t first) {
  std::string prefix = normal_name(words.front().text);
  const ArityRow* best = find_row(prefix);
  for (std::size_t i = first;
       i < words.size() && i - first + 1 < kLongestPrefix; ++i) {
    prefix += ' ';
    prefix += words[i].text;
    if (const ArityRow* const row = find_row(prefix)) best = row;
  }
  return best ? best->words - 1U : 0U;
}

std::size_t identity_size(const std::vector<Argument>& words) {
  if (words.empty()) return 0;
  const std::size_t first = first_argument(words);
  return std::min(words.size(), first + arity_from(words, first));
}

bool is_plain(const Argument& word) {
  return word.is_static() && !word.tilde && !word.text.empty() &&
         word.text.find_first_of("*?\\ \t\n") == std::string::npos;
}

}  // namespace

std::size_t arity_rows() {
  static_assert(std::is_sorted(std::begin(kArity), std::end(kArity),
                               [](const ArityRow& a, const ArityRow& b) {
                                 return a.prefix < b.prefix;
                               }));
  return std::size(kArity);
}

bool is_launcher(std::string_view program, std::string_view sub) {
  const std::string name = normal_name(program);
  std::string bare = name;
  while (!bare.empty() && bare.back() >= '0' && bare.back() <= '9') {
    bare.pop_back();
  }
  const std::string pair = name + " " + std::string(sub);
  const Wrapper* const row = find_wrapper(name, sub);
  return row != nullptr || in(kLaunchers, name) || in(kLaunchers, bare) ||
         find_wrapper(bare, "") != nullptr || in(kLauncherPairs, pair);
}

std::vector<std::string> identity(const std::vector<Argument>& words) {
  std::vector<std::string> out;
  const std::size_t size = identity_size(words);
  for (std::size_t i = 0; i < size; ++i) out.push_back(words[i].text);
  return out;
}

std::optional<Remembered> remembered_pattern(
    const std::vector<Argument>& words) {
  if (words.empty()) return std::nullopt;
  const std::size_t first = first_argument(words);
  const std::size_t size = identity_size(words);
  const std::string program = normal_name(words.front().text);
  const std::string sub = first < words.size() ? words[first].text : "";
  const std::string pair = program + " " + sub;
  Remembered out;
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_plain(words[i])) return std::nullopt;
    // An option that no table knows may shift what the next words mean.
    const bool known = i > 0 && i < first;
    if (!known && words[i].text.starts_with('-')) return std::nullopt;
    if (i > 0) out.pattern += ' ';
    out.pattern += words[i].text;
  }
  const std::string triple =
      first + 1 < words.size() ? pair + " " + words[first + 1].text : pair;
  if (is_launcher(program, sub) && !in(kNoLaunchers, triple)) {
    return std::nullopt;
  }
  // "git" alone is every git; "gh pr" is every sub-command of it.
  if (size < first + arity_from(words, first)) return std::nullopt;
  const bool has_slash = words.front().text.find('/') != std::string::npos;
  out.project_runner = in(kRunners, program) || in(kRunnerPairs, pair) ||
                       (has_slash && !is_system_path(words.front().text));
  out.pattern += " *";
  return out;
}

}  // namespace toolhost::command
