// toml++ for texts of others. Its assertions throw: version 3.3 comes to some with texts that are
// no TOML, such as `a = [ }` or `[=]`. Every source includes it by this header, or one program
// would have both kinds.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

#ifdef NDEBUG
#error "toml++ without assertions reads on where they fail: configure with -Db_ndebug=false"
#endif

namespace phasebit::base {

struct TomlAssertion {};
constexpr void assert_toml(bool holds) {
  if (!holds) throw TomlAssertion();
}

}  // namespace phasebit::base

#define TOML_ASSERT(expression) ::phasebit::base::assert_toml(static_cast<bool>(expression))
#include <toml++/toml.h>

namespace phasebit::base {

// Step::spec for a syntax error: "file:line:column: what", with the line and what to write.
Result<toml::table> parse_toml_table(std::string_view text, const std::string& file);

}  // namespace phasebit::base
