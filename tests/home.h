// Where the tests find the program's folders: what main passes on in the program.
#pragma once

#include "core/base/home.h"

namespace phasebit::test {

inline base::Home home() {
  const auto found = base::find_home();
  if (!found) bug(found.error().text());
  return *found;
}

// For what takes a request with a home in it, such as SpaceRequest.
template <typename Request>
Request at_home() {
  Request request;
  request.home = home();
  return request;
}

}  // namespace phasebit::test
