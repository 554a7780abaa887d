#include "analysis/cubin/source/numbers.h"

namespace phasebit::cubin::source {

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

}  // namespace phasebit::cubin::source
