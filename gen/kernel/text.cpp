#include "gen/kernel/text.h"

#include "core/base/hash.h"
#include "gen/space/hand_made.h"

#include <algorithm>
#include <vector>

namespace phasebit::kernel {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

bool is_head(const std::string& line) {
  return line.starts_with("//@");
}

std::string id_line(const std::string& id) {
  return fmt::format("//@ id = \"{}\"", id);
}
std::string axis_line(const std::string& name) {
  return fmt::format("//@ {} = \"{}\"", space::tuned_axis, name);
}
std::string fork_id(const ForkIdentity& fork) {
  return fmt::format("{}/{}={}", fork.parent_id, space::tuned_axis, fork.name);
}

// "pb_HASH_": the part of an entry's name that a variant's id decides.
std::string entry_stem(const std::string& hash) {
  return fmt::format("pb_{}_", hash);
}

void rename_entry(std::string& line, const std::string& before, const std::string& after) {
  const size_t at = line.find(before);
  if (line.find(".entry") != std::string::npos && at != std::string::npos)
    line.replace(at, before.size(), after);
}

}  // namespace

std::string as_fork(const std::string& parent_file, const ForkIdentity& fork) {
  std::vector<std::string> out;
  bool in_key = false;
  const std::string id = fork_id(fork);
  for (std::string line : lines_of(parent_file)) {
    if (line == id_line(fork.parent_id)) line = id_line(id);
    if (in_key && (line == "//@" || !is_head(line))) {
      in_key = false;
      out.push_back(axis_line(fork.name));
      out.insert(out.end(), {"//@", "//@ [parent]", id_line(fork.parent_id),
                             fmt::format("//@ text = \"{}\"", fork.text)});
    }
    if (line == "//@ [key]") in_key = true;
    rename_entry(line, entry_stem(fork.parent_hash), entry_stem(base::short_hash(id)));
    out.push_back(std::move(line));
  }
  return joined(out);
}

std::string as_parent(const std::string& fork_file, const ForkIdentity& fork) {
  std::vector<std::string> out;
  bool in_parent = false;
  const std::string id = fork_id(fork);
  for (std::string line : lines_of(fork_file)) {
    if (line == "//@ [parent]") {
      in_parent = true;
      if (!out.empty() && out.back() == "//@") out.pop_back();
      continue;
    }
    if (in_parent && is_head(line) && line != "//@") continue;
    in_parent = false;
    if (line == axis_line(fork.name)) continue;
    if (line == id_line(id)) line = id_line(fork.parent_id);
    rename_entry(line, entry_stem(base::short_hash(id)), entry_stem(fork.parent_hash));
    out.push_back(std::move(line));
  }
  return joined(out);
}

}  // namespace phasebit::kernel
