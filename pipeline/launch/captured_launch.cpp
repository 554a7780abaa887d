#include "pipeline/launch/captured_launch.h"

#include "pipeline/launch/parameter_list.h"

#include <algorithm>

namespace phasebit::pipeline::launch {

using guard::GuardLaunch;
using image::CapturedLaunch;

namespace {

// "FILE#3" taken apart, and the launches of the file.
struct Named {
  std::string file;
  std::optional<size_t> number;
  bool has_mark = false;
  std::vector<CapturedLaunch> all;
  // Of the kernel, and that the number names where there is one.
  std::vector<size_t> of(const std::string& kernel) const {
    std::vector<size_t> own;
    for (size_t n = 0; n < all.size(); ++n)
      if (all[n].kernel == kernel && (!has_mark || number == n)) own.push_back(n);
    return own;
  }
};

Result<Named> read_named(const std::string& words) {
  const size_t mark = words.rfind('#');
  Named made;
  made.file = words.substr(0, mark);
  made.has_mark = mark != std::string::npos;
  if (made.has_mark) made.number = whole_number<size_t>(words.substr(mark + 1));
  PHASEBIT_TRY_ASSIGN(all, image::read_launch_file(made.file));
  made.all = std::move(all);
  return made;
}

tl::unexpected<Error> choose(Named named, const std::string& words, const std::string& kernel) {
  named.has_mark = false;
  const std::vector<size_t> own = named.of(kernel);
  std::vector<std::string> known;
  for (const size_t n : own)
    known.push_back(fmt::format("{}#{}: a grid of {}, {} times", named.file, n,
                                fmt::join(named.all[n].launch.grid, ","), named.all[n].times));
  if (known.empty()) return fail(Step::usage, "{} has no launch of it", named.file);
  return with_hint(fail(Step::usage, "{} has {} launches of it, and --launch {} is none of them",
                        named.file, own.size(), words),
                   fmt::format("one of {}", fmt::join(known, "; ")));
}

GuardLaunch facts_of(const CapturedLaunch& one) {
  return {static_cast<int>(one.launch.threads()), one.registers};
}

}  // namespace

Result<CapturedLaunch> captured_launch(const std::string& words, const std::string& kernel) {
  PHASEBIT_TRY_ASSIGN(named, read_named(words));
  const std::vector<size_t> own = named.of(kernel);
  if (own.size() != 1) return choose(std::move(named), words, kernel);
  return named.all[own.front()];
}

Result<std::map<std::string, GuardLaunch>> guard_launches(const ptx::PtxFile& file,
                                                          const std::string& words) {
  PHASEBIT_TRY_ASSIGN(named, read_named(words));
  std::map<std::string, GuardLaunch> found;
  for (const ptx::PtxFunction* entry : file.entries()) {
    const std::vector<size_t> own = named.of(entry->name);
    if (own.empty()) continue;
    const GuardLaunch first = facts_of(named.all[own.front()]);
    if (!std::all_of(own.begin(), own.end(),
                     [&](size_t n) { return facts_of(named.all[n]) == first; }))
      return choose(std::move(named), words, entry->name);
    found[entry->name] = first;
  }
  if (found.empty())
    return with_hint(
        fail(Step::usage, "--launch {}: no launch of a kernel of {}", words, file.name),
        "`phasebit capture` of a program that launches it");
  return found;
}

}  // namespace phasebit::pipeline::launch
