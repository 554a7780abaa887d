// Which variants are one code on a target, and what splits the others from them.
#pragma once

#include "analysis/compare/summary.h"
#include "core/launch/variant_key.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::compare {

struct ClassMember {
  launch::VariantKey key;
  CodeSummary code;
};

struct AxisChange {
  std::string axis, from, to;
};

// What splits a class from an earlier one: the two variants, one of each, that differ in the fewest
// axes, and how their code differs.
struct ClassSplit {
  std::size_t from_class = 0;
  std::string from, to;  // ids
  std::vector<AxisChange> axes;
  Change change = Change::identical;
  std::string difference;  // describe_change
};

// The values of an axis among the variants of one code.
struct FreeAxis {
  std::string axis;
  std::vector<std::string> values;  // two or more, in the order of the variants
};

struct VariantClass {
  std::string text_hash, code_class;  // of each member
  std::vector<std::size_t> members;   // in the order given
  std::vector<FreeAxis> free_axes;    // axes that do not reach the code here
  std::optional<ClassSplit> split;    // the first class has no split
};

// All of one target. Classes in the order of their first members.
std::vector<VariantClass> find_classes(const std::vector<ClassMember>& members);

// A class with its variants, its free axes, and what splits it.
std::string classes_as_text(const std::vector<ClassMember>& members,
                            const std::vector<VariantClass>& classes);

// [{"class": number from 1, "text_hash", "code_class", "variants": [id], "free_axes": [{"axis",
// "values"}], "features": see features_json.h, "split": null or {"from_class", "from", "to",
// "axes": [{"axis", "from", "to"}], "change", "difference"}}].
std::string classes_as_json(const std::vector<ClassMember>& members,
                            const std::vector<VariantClass>& classes);

}  // namespace phasebit::compare
