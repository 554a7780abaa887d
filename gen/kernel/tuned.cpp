#include "gen/kernel/tuned.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "gen/kernel/text.h"
#include "gen/space/hand_made.h"

#include <algorithm>

namespace phasebit::kernel {

using base::Home;
using base::write_file;
using space::tuned_axis;

namespace {

constexpr const char* ending = ".ptx";

bool can_be_a_name(const std::string& name) {
  constexpr const char* letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.find_first_not_of(letters) == std::string::npos;
}

// NAME.ptx and not NAME.parent.ptx: a fork's name has no dot.
bool is_fork_file(const fs::path& path) {
  return path.extension() == ending && can_be_a_name(path.stem().string());
}

Result<Fork> read_text_of(const Home& home, const fs::path& path, const std::string& text) {
  Fork fork;
  fork.name = path.stem().string();
  fork.path = path;
  fork.shown = shown_path(home, path);
  PHASEBIT_TRY_ASSIGN(kernel, read_kernel(text, fork.shown));
  kernel.path = path;
  fork.kernel = std::move(kernel);
  const ptx::head::Head& head = fork.kernel.head;
  const std::string wanted = fmt::format("{}/{}={}", head.parent.id, tuned_axis, fork.name);
  if (head.parent.text.empty())
    return with_hint(
        fail(Step::spec, "{}: the head lacks [parent]", head.where.at("")),
        "a fork names its parent's id and the hash of its text; `phasebit fork` writes both");
  if (head.key.id != wanted || head.key.value(tuned_axis) != fork.name)
    return with_hint(
        fail(Step::spec, "{}: id: '{}' is not this fork", head.where.at(""), head.key.id),
        fmt::format("write `id = \"{}\"`, and `{} = \"{}\"` in [key]", wanted, tuned_axis,
                    fork.name));
  return fork;
}

Result<Fork> read_file_of(const Home& home, const fs::path& path) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  return read_text_of(home, path, text);
}

std::vector<fs::path> fork_files(const Home& home) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(tuned_folder(home), missing))
    if (is_fork_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

fs::path tuned_folder(const Home& home) {
  return home.work / "ptx" / "tuned";
}

std::string shown_path(const Home& home, const fs::path& path) {
  const fs::path below = path.lexically_relative(home.work);
  return below.empty() || *below.begin() == ".." ? path.string() : below.generic_string();
}

FoundForks read_forks(const Home& home) {
  FoundForks found;
  for (const fs::path& file : fork_files(home)) {
    auto fork = read_file_of(home, file);
    if (fork)
      found.forks.push_back(std::move(*fork));
    else
      found.broken.push_back(std::move(fork.error()));
  }
  return found;
}

Result<Fork> read_fork(const Home& home, const std::string& name) {
  std::vector<std::string> names;
  for (const fs::path& file : fork_files(home)) {
    if (file.stem() == name) return read_file_of(home, file);
    names.push_back(file.stem().string());
  }
  return with_hint(
      fail(Step::usage, "no fork '{}' in {}", name, shown_path(home, tuned_folder(home))),
      base::nearest_word_hint(name, names));
}

std::string parent_file(const space::Catalogue& catalogue, const Rendered& parent) {
  return kernel_file(catalogue, parent, HeadingLines::left_out);
}

Result<Fork> make_fork(const Home& home, const space::Catalogue& catalogue, const std::string& name,
                       const Rendered& parent) {
  if (!can_be_a_name(name))
    return with_hint(fail(Step::usage, "--name '{}' cannot name a fork", name),
                     "letters, digits, '_' and '-'");
  Fork fork;
  fork.name = name;
  fork.path = tuned_folder(home) / (name + ending);
  if (fs::exists(fork.path))
    return fail(Step::usage, "{} is there already", shown_path(home, fork.path));
  const std::string base = parent_file(catalogue, parent);
  const launch::VariantKey& key = parent.head.key;
  const std::string text = as_fork(base, {name, key.id, key.hash, base::content_hash(base)});
  PHASEBIT_TRY_ASSIGN(made, read_text_of(home, fork.path, text));
  PHASEBIT_TRY(write_file(fork.base(), base));
  PHASEBIT_TRY(write_file(fork.path, text));
  return made;
}

Status record_parent(const Fork& fork, const std::string& parent) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(fork.path));
  const std::string before = fmt::format("//@ text = \"{}\"", fork.recorded());
  const size_t at = text.find(before);
  if (at != std::string::npos)
    text.replace(at, before.size(), fmt::format("//@ text = \"{}\"", base::content_hash(parent)));
  PHASEBIT_TRY(write_file(fork.base(), parent));
  return write_file(fork.path, text);
}

}  // namespace phasebit::kernel
