// Where the tests find the program's folders: what main passes on in the program.
#pragma once

#include "core/base/home.h"

namespace phasebit::test {

inline Home home() {
  const auto found = find_home();
  if (!found) bug(found.error().text());
  return *found;
}

}  // namespace phasebit::test
