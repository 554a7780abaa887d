#include "analysis/cubin/source/frames.h"

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

}  // namespace phasebit::cubin::source
