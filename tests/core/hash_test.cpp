#include "core/base/hash.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using base::content_hash;

namespace {

// From `printf '%s' TEXT | xxhsum -H2` (the reference implementation's own program).
TEST(ContentHash, AgreesWithTheReferenceProgram) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(content_hash("abc"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(content_hash("phasebit: a ring of buffers, 0123456789"),
            "55c668435c8a0a1378f692c8d8482ec9");
}

TEST(ContentHash, TheShortOneIsItsBeginning) {
  EXPECT_EQ(base::short_hash(""), "99aa06d30147");
  EXPECT_EQ(base::short_hash("abc"), "06b05ab6733a");
}

TEST(ContentHash, ZeroBytesCount) {
  EXPECT_NE(content_hash(std::string("a\0b", 3)), content_hash(std::string("a\0c", 3)));
}

}  // namespace
}  // namespace phasebit::test
