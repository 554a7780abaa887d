// A variant's key as columns: what flat.h says of axis.NAME, named and axis_order.
#pragma once

#include "core/base/error.h"
#include "core/record/variant_row.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::store {

inline constexpr std::string_view axis_prefix = "axis.";

// The axes of these variants, each after those that come before it in the keys. Where keys
// contradict each other, in the order in which they are seen.
std::vector<std::string> axis_columns(const std::vector<const record::VariantRow*>& variants);

struct KeyColumns {
  std::vector<std::optional<std::string>> values;  // of the axes of the columns
  std::string named, axis_order;
};
KeyColumns columns_of(const record::VariantRow& variant, const std::vector<std::string>& axes);

// Without id and hash; a row without any axis has no key. Step::store without the file's name for
// words that do not match the columns.
Result<record::VariantRow> variant_of(const KeyColumns& columns,
                                      const std::vector<std::string>& axes, record::KeyPool& pool);

// That the id is the one that the key makes: Step::store else, with the first axis that differs.
Status check_id(const record::VariantRow& variant);

// Words with blanks between.
std::string joined_words(const std::vector<std::string>& words);
std::vector<std::string> split_words(std::string_view text);

}  // namespace phasebit::store
