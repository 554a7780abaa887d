// Sweeps of the project's own spec files.
#pragma once

#include "core/base/file.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/space.h"
#include "tests/home.h"

#include <string>
#include <utility>

namespace phasebit::test {

// The sweep NAME of specs/NAME.toml.
inline pipeline::select::Space space_of(const std::string& name) {
  auto request = test::at_home<pipeline::select::SpaceRequest>();
  request.spec = (test::home().data / "specs" / (name + ".toml")).string();
  request.sweep = name;
  auto space = pipeline::select::open_space(request);
  if (!space) bug(space.error().text());
  return std::move(*space);
}

}  // namespace phasebit::test
