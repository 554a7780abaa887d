// Rows that say that their code is another variant's: thousands, of which a line can name many.
#pragma once

#include "core/record/record.h"

#include <string>
#include <vector>

namespace phasebit::store::json {

// What such rows have in common. `row` is one of them without its variant, its hashes of the image
// and its repetition.
struct SameCode {
  record::PointRow row;
  std::vector<int> repetitions;  // ascending; each member has a row of each
  struct Member {
    std::string variant_id, variant_hash, ptx_hash, text_hash, sass_class, module;
    auto operator<=>(const Member&) const = default;
  };
  std::vector<Member> members;  // sorted
};

// Whether a row is one that these can hold.
bool is_same_code(const record::PointRow& point);

// Of rows of one run, each of which is_same_code().
std::vector<SameCode> group_same_code(const std::vector<record::PointRow>& points);
void append_rows(const SameCode& group, std::vector<record::PointRow>& points);

}  // namespace phasebit::store::json
