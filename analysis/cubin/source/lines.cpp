#include "analysis/cubin/source/lines.h"

#include "core/base/text.h"

#include <algorithm>

namespace phasebit::cubin::source {

namespace {

const std::string& name_at(const std::vector<std::string>& names, int index) {
  static const std::string none;
  return index < 0 ? none : names[static_cast<std::size_t>(index)];
}

}  // namespace

const std::string& SourceTable::file_of(int frame) const {
  return name_at(files, frame < 0 ? -1 : frames[static_cast<std::size_t>(frame)].file);
}

const std::string& SourceTable::function_of(int frame) const {
  return name_at(functions, frame < 0 ? -1 : frames[static_cast<std::size_t>(frame)].function);
}

std::vector<int> SourceTable::chain(int frame) const {
  std::vector<int> all;
  for (; frame >= 0; frame = frames[static_cast<std::size_t>(frame)].caller) all.push_back(frame);
  return all;
}

int SourceNumbers::Names::of(const char* name, std::vector<std::string>& all) {
  if (name == nullptr || *name == '\0') return -1;
  if (const auto known = by_pointer.find(name); known != by_pointer.end()) return known->second;
  const auto [found, fresh] = by_name.emplace(name, static_cast<int>(all.size()));
  if (fresh) all.emplace_back(name);
  return by_pointer[name] = found->second;
}

std::size_t SourceNumbers::FrameHash::operator()(const SourceFrame& frame) const {
  std::uint64_t hash = 0;
  for (const int part : {frame.file, frame.line, frame.function, frame.caller})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32U);
}

int SourceNumbers::frame(const SourceFrame& frame) {
  const auto [found, fresh] = frames_.emplace(frame, static_cast<int>(table_.frames.size()));
  if (fresh) table_.frames.push_back(frame);
  return found->second;
}

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

Status check_file(const SourceTable& table, const std::string& name) {
  if (name.empty()) return {};
  if (table.files.empty())
    return with_hint(fail(Step::usage, "--source {}: the code has no line information", name),
                     "nvcc -lineinfo writes it, or .loc and ptxas -lineinfo");
  if (std::any_of(table.files.begin(), table.files.end(),
                  [&](const std::string& path) { return is_source_file(path, name); }))
    return {};
  std::vector<std::string> names;
  for (const std::string& path : table.files) names.push_back(path.substr(path.rfind('/') + 1));
  return with_hint(fail(Step::usage,
                        "--source {}: not inner, outer, or one of the {} files that "
                        "the line table names",
                        name, names.size()),
                   base::nearest_word_hint(name.substr(name.rfind('/') + 1), names));
}

}  // namespace

SourceView source_view(const std::string& word) {
  if (word.empty() || word == "inner") return {};
  if (word == "outer") return {SourceView::Line::outer};
  return {SourceView::Line::file, word};
}

bool is_source_file(std::string_view path, std::string_view name) {
  if (name.empty() || !path.ends_with(name)) return false;
  return path.size() == name.size() || name.front() == '/' ||
         path[path.size() - name.size() - 1] == '/';
}

Result<std::vector<int>> pick_frames(const SourceTable& table, const SourceView& view) {
  std::vector<bool> wanted(table.files.size());
  if (view.line == SourceView::Line::file) {
    PHASEBIT_TRY(check_file(table, view.file));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = is_source_file(table.files[i], view.file);
  }
  std::vector<int> picked(table.frames.size(), -1);
  for (std::size_t i = 0; i < picked.size(); ++i) {
    const SourceFrame& frame = table.frames[i];
    const bool own =
        view.line == SourceView::Line::inner ||
        (view.line == SourceView::Line::outer && frame.caller < 0) ||
        (view.line == SourceView::Line::file && frame.file >= 0 && wanted[at(frame.file)]);
    if (own)
      picked[i] = static_cast<int>(i);
    else if (frame.caller >= 0)
      picked[i] = picked[at(frame.caller)];
  }
  return picked;
}

}  // namespace phasebit::cubin::source
