// What nearly every source includes, compiled once for each library. Every source still includes
// what it uses: the static checks compile without this.
#ifndef PHASEBIT_PCH
#define PHASEBIT_PCH  // it is the main file of its compilation, where #pragma once is an error

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tl/expected.hpp>

#endif
