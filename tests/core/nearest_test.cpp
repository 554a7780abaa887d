#include "core/base/text.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct DistanceRow {
  const char *a, *b;
  int distance;
};

// Counted by hand; "kitten" is the textbook example (Wagner and Fischer 1974).
constexpr DistanceRow distance_rows[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"wait", "wait", 0},
    {"wait", "wiat", 1},  // neighbours swapped
    {"wait", "wat", 1},
    {"wait", "waits", 1},
    {"wait", "wart", 1},
    {"kitten", "sitting", 3},
    {"stages", "num_stages", 4},
    // Optimal string alignment: no edit inside a swapped pair, else it would be 2.
    {"ca", "abc", 3},
};

TEST(EditDistance, Table) {
  for (const DistanceRow& row : distance_rows) {
    EXPECT_EQ(base::edit_distance(row.a, row.b), row.distance) << row.a << " " << row.b;
    EXPECT_EQ(base::edit_distance(row.b, row.a), row.distance) << row.b << " " << row.a;
  }
}

struct HintRow {
  const char* word;
  std::vector<std::string> valid;
  const char* hint;
};

TEST(NearestWordHint, Table) {
  const std::vector<std::string> protocols = {"cta_barrier", "named_barrier", "mbarrier"};
  const std::vector<std::string> many = {"a1", "a2", "a3", "a4",  "a5",  "a6", "a7",
                                         "a8", "a9", "b1", "b2a", "b3a", "b4a"};
  const std::vector<HintRow> rows = {
      {"mbarier", protocols, "did you mean 'mbarrier'?"},
      {"cta_barier", protocols, "did you mean 'cta_barrier'?"},
      {"named_barrier", protocols, "did you mean 'named_barrier'?"},
      // Two edits are near enough for a short word, three are not.
      {"wxyt", {"wait"}, "did you mean 'wait'?"},
      {"wxyz", {"wait"}, "one of: wait"},
      // A third of nine letters allows three.
      {"mbarrierxx1", {"mbarrier"}, "did you mean 'mbarrier'?"},
      {"zebra", protocols, "one of: cta_barrier, named_barrier, mbarrier"},
      {"zzzzzz", many, "one of: a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2a, b3a, ..."},
      {"x", {}, ""},
      // Of two that are equally near, the first in the order of the list.
      {"cat", {"bat", "hat"}, "did you mean 'bat'?"},
  };
  for (const HintRow& row : rows) EXPECT_EQ(base::nearest_word_hint(row.word, row.valid), row.hint);
}

}  // namespace
}  // namespace phasebit::test
