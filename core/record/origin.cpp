#include "core/record/origin.h"

#include "core/base/error.h"

#include <algorithm>

namespace phasebit::record {

std::string to_string(Origin origin) {
  switch (origin) {
    case Origin::template_: return "template";
    case Origin::form: return "form";
    case Origin::tuned: return "tuned";
    case Origin::snippet: return "snippet";
    case Origin::file: return "file";
    case Origin::nvcc: return "nvcc";
    case Origin::llvm: return "llvm";
  }
  bug("unknown origin");
}

Origin origin_of(const image::KeyAxes& axes) {
  const auto names = [&](auto meant) { return std::any_of(axes.begin(), axes.end(), meant); };
  const auto named = [&](const char* axis) {
    return names([axis](const auto& one) { return one.first == axis; });
  };
  if (named("nvcc")) return Origin::nvcc;
  if (named("file")) return Origin::file;
  if (named("llvm")) return Origin::llvm;
  if (named("tuned")) return Origin::tuned;
  if (names([](const auto& one) { return one.first.starts_with("snippet."); }))
    return Origin::snippet;
  const bool form =
      names([](const auto& one) { return one.first == "probe" && one.second == "form"; });
  return form ? Origin::form : Origin::template_;
}

}  // namespace phasebit::record
