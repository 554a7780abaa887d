// Sweeps of the project's own spec files.
#pragma once

#include "core/base/file.h"
#include "join/select/open_space.h"
#include "join/select/space.h"
#include "tests/home.h"

#include <string>
#include <utility>

namespace phasebit::test {

// The sweep NAME of specs/NAME.toml.
inline join::select::Space space_of(const std::string& name) {
  auto request = test::at_home<join::select::SpaceRequest>();
  request.spec = (test::home().data / "specs" / (name + ".toml")).string();
  request.sweep = name;
  auto space = join::select::open_space(request);
  if (!space) bug(space.error().text());
  return std::move(*space);
}

}  // namespace phasebit::test
