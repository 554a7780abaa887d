#include "analysis/compare/align/align.h"

#include <algorithm>
#include <ctime>
#include <random>

#include <gtest/gtest.h>

namespace phasebit::test {

using compare::align::align;

namespace {

// Length of the longest common subsequence by the textbook table.
int longest(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<std::vector<int>> best(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

// The same of long sequences.
int longest_in_two_rows(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> before(b.size() + 1, 0), best(b.size() + 1, 0);
  for (const int one : a) {
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[j] = one == b[j - 1] ? before[j - 1] + 1 : std::max(before[j], best[j - 1]);
    std::swap(before, best);
  }
  return before[b.size()];
}

void check(const std::vector<int>& a, const std::vector<int>& b) {
  const auto pairs = align(a, b);
  EXPECT_EQ(static_cast<int>(pairs.size()), longest(a, b));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [left, right] = pairs[i];
    ASSERT_GE(left, 0);
    ASSERT_LT(left, static_cast<int>(a.size()));
    ASSERT_GE(right, 0);
    ASSERT_LT(right, static_cast<int>(b.size()));
    EXPECT_EQ(a[static_cast<std::size_t>(left)], b[static_cast<std::size_t>(right)]);
    if (i > 0) {
      EXPECT_LT(pairs[i - 1].first, left);
      EXPECT_LT(pairs[i - 1].second, right);
    }
  }
}

TEST(Align, Small) {
  EXPECT_TRUE(align({}, {}).empty());
  EXPECT_TRUE(align({1, 2}, {}).empty());
  EXPECT_TRUE(align({1, 2}, {3, 4, 5}).empty());
  EXPECT_EQ(align({1, 2, 3}, {1, 3}), (std::vector<std::pair<int, int>>{{0, 0}, {2, 1}}));
  check({1, 2, 3, 1, 2, 2, 1}, {3, 2, 1, 2, 1, 3});  // Myers's own example: 4 in common
}

TEST(Align, IsAsLongAsTheTableSays) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const int symbols = 1 + static_cast<int>(random() % 6);
    std::vector<int> a(random() % 40), b(random() % 40);
    for (int& one : a) one = static_cast<int>(random()) % symbols;
    for (int& one : b) one = static_cast<int>(random()) % symbols;
    check(a, b);
    if (HasFailure()) return;
  }
}

// What only one side holds changes no alignment of the rest.
TEST(Align, AmongWhatOneSideAloneHolds) {
  EXPECT_EQ(align({9, 1, 9, 2, 9}, {1, 8, 8, 2}),
            (std::vector<std::pair<int, int>>{{1, 0}, {3, 3}}));
  const std::vector<int> a(10000, 1), b(10000, 2);
  EXPECT_TRUE(align(a, b).empty());
}

// The differences are more than the length: two random orders of thirty opcodes have a third in
// common.
TEST(Align, FiveThousandInAnotherOrder) {
  std::mt19937 random(1);
  std::vector<int> a(5000), b(5000);
  for (int& one : a) one = static_cast<int>(random() % 30);
  for (int& one : b) one = static_cast<int>(random() % 30);
  const auto started = std::clock();
  EXPECT_GT(align(a, b).size(), 1250U);
  EXPECT_LT(static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC, 5.0);
  a.resize(2000), b.resize(2000);
  EXPECT_EQ(static_cast<int>(align(a, b).size()), longest_in_two_rows(a, b));
}

// Both halves together have as much in common as the whole; rows of bits of one to four words.
TEST(Align, HalvesAddUp) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const int symbols = 1 + static_cast<int>(random() % 6);
    std::vector<int> a(2 + random() % 60), b(random() % 200);
    for (int& one : a) one = static_cast<int>(random()) % symbols;
    for (int& one : b) one = static_cast<int>(random()) % symbols;
    const compare::align::Halves cut = compare::align::halve(a, b);
    ASSERT_EQ(cut.a, static_cast<int>(a.size() / 2));
    const auto part = [](const std::vector<int>& all, int begin, std::size_t end) {
      return std::vector<int>(all.begin() + begin, all.begin() + static_cast<long>(end));
    };
    const int first = longest(part(a, 0, static_cast<std::size_t>(cut.a)),
                              part(b, 0, static_cast<std::size_t>(cut.b)));
    const int second = longest(part(a, cut.a, a.size()), part(b, cut.b, b.size()));
    ASSERT_EQ(first + second, longest(a, b));
  }
}

// Every tenth instruction is another, and half of the others have one opcode: what is equal in full
// is aligned with itself. A run that both have lies twice, and is not an anchor.
TEST(Align, AnchorsHoldWhatIsTheSame) {
  std::mt19937 random(4);
  std::vector<int> a(6000), b;
  std::vector<std::uint64_t> whole_a, whole_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int>(random() % 2) * static_cast<int>(random() % 8);
    whole_a.push_back(i % 1000 < 20 ? i % 1000 : 1000 + i);
  }
  b = a, whole_b = whole_a;
  for (std::size_t i = 5; i < b.size(); i += 10) b[i] = 100, whole_b[i] = 1;
  const compare::align::IndexPairs pairs = compare::align::align_by_anchors(a, b, whole_a, whole_b);
  EXPECT_EQ(pairs.size(), a.size() / 10 * 9);
  for (const auto& [left, right] : pairs) {
    ASSERT_EQ(left, right);
    ASSERT_NE(left % 10, 5);
  }
}

}  // namespace
}  // namespace phasebit::test
