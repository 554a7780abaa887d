#include "core/ptx/statement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Row {
  const char* line;
  const char* name;
  const char* operands;  // with "|" between them
  const char* written;   // with a blank after each
  const char* read;
};

constexpr Row rows[] = {
    {"add.u32 a, b, 1;", "add.u32", "a|b|1", "a ", "b "},
    {"@!p bra L_wait;", "bra", "L_wait", "", "p L_wait "},
    {"  setp.lt.u32 p|q, a, 0x1f;", "setp.lt.u32", "p|q|a|0x1f", "p q ", "a "},
    {"mov.b64 {low, high}, x;", "mov.b64", "{low, high}|x", "low high ", "x "},
    {"st.shared.v2.b32 [a+8], {x, y};", "st.shared.v2.b32", "[a+8]|{x, y}", "", "a x y "},
    {"mbarrier.try_wait.parity.shared::cta.b64 done, [b], t;",
     "mbarrier.try_wait.parity.shared::cta.b64", "done|[b]|t", "done ", "b t "},
    {"mbarrier.arrive.shared.b64 _, [b];", "mbarrier.arrive.shared.b64", "_|[b]", "_ ", "b "},
    {"mov.u32 %r1, %tid.x;", "mov.u32", "%r1|%tid.x", "%r1 ", "%tid "},
    {"bar.sync a, 64;", "bar.sync", "a|64", "", "a "},
    {"bar.red.popc.u32 d, 1, p;", "bar.red.popc.u32", "d|1|p", "d ", "p "},
    {"nanosleep.u32 t;", "nanosleep.u32", "t", "", "t "},
    {"fma.rn.f32 f, f, 0f3F800000, g;", "fma.rn.f32", "f|f|0f3F800000|g", "f ", "f g "},
    {"ret;", "ret", "", "", ""},
    {"$L__1:", "$L__1", "", "", ""},
    {".reg .b32 a, b<4>;", ".reg .b32", "a|b<4>", "", ""},
    {".pragma \"nounroll\";", ".pragma", "\"nounroll\"", "", ""},
    {".maxntid 128", ".maxntid", "128", "", ""},
    {".explicitcluster", ".explicitcluster", "", "", ""},
    {"}", "}", "", "", ""},
};

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += name + " ";
  return out;
}

TEST(PtxStatement, IsTakenApartAndPutTogether) {
  for (const Row& row : rows) {
    const ptx::PtxStatement statement = ptx::take_apart(row.line);
    EXPECT_EQ(statement.name, row.name) << row.line;
    EXPECT_EQ(fmt::format("{}", fmt::join(statement.operands, "|")), row.operands) << row.line;
    EXPECT_EQ(listed(ptx::written_names(statement)), row.written) << row.line;
    EXPECT_EQ(listed(ptx::read_names(statement)), row.read) << row.line;
    const std::string line = row.line;
    EXPECT_EQ(ptx::put_together(statement), line.substr(line.find_first_not_of(' ')));
  }
}

TEST(PtxStatement, NamesAreReplacedWhole) {
  const auto rename = [](std::string_view name) { return name == "a" ? "x" : std::string(name); };
  EXPECT_EQ(ptx::replace_names("[a+8], ab, .a, 0xa, \"a\", {a, b}", rename),
            "[x+8], ab, .a, 0xa, \"a\", {x, b}");
}

}  // namespace
}  // namespace phasebit::test
