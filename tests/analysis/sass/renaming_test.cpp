#include "analysis/compare/diff.h"
#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

reading::CodeSubject renaming_side(const std::vector<std::string>& lines) {
  std::vector<std::string> all;
  for (const std::string& line : lines) all.push_back("| " + line);
  test::Handmade made = test::handmade(all);
  return {"one", 90, std::move(made.kernel), {}, {}};
}

// The signs of the rows: = s r o x, < and > where only one side has it.
std::string signs(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto diff = compare::diff_kernels(renaming_side(a), renaming_side(b));
  if (!diff) return diff.error().text();
  std::string signs;
  for (const compare::DiffRow& row : diff->rows)
    signs += row.left < 0 ? '>' : row.right < 0 ? '<' : "=srox"[static_cast<int>(row.change)];
  return signs;
}

struct RenamingRow {
  const char* what;
  std::vector<std::string> left, right;
  const char* signs;
};

// Worked out by hand: a row is "r" when what it reads was written by the rows that the other side
// has it from.
const std::vector<RenamingRow> renaming_rows = {
    {"a result and its reader",
     {"S2R R4,SR_TID.X", "IADD3 R5,R4,0x1,RZ", "EXIT"},
     {"S2R R7,SR_TID.X", "IADD3 R2,R7,0x1,RZ", "EXIT"},
     "rr="},
    {"the reader names another value",
     {"S2R R4,SR_TID.X", "S2R R5,SR_CTAID.X", "IADD3 R6,R4,0x1,RZ", "EXIT"},
     {"S2R R4,SR_TID.X", "S2R R5,SR_CTAID.X", "IADD3 R6,R5,0x1,RZ", "EXIT"},
     "==o="},
    {"two registers change places, the reader does not follow",
     {"S2R R4,SR_TID.X", "S2R R5,SR_CTAID.X", "IADD3 R6,R4,0x1,RZ", "EXIT"},
     {"S2R R5,SR_TID.X", "S2R R4,SR_CTAID.X", "IADD3 R6,R4,0x1,RZ", "EXIT"},
     "rro="},
    {"another name in another live range",
     {"S2R R4,SR_TID.X", "STS [R4],R4", "S2R R4,SR_CTAID.X", "STS [R4],R4", "EXIT"},
     {"S2R R6,SR_TID.X", "STS [R6],R6", "S2R R8,SR_CTAID.X", "STS [R8],R8", "EXIT"},
     "rrrr="},
    {"nothing wrote it: the register itself counts",
     {"STS [R4],R4", "EXIT"},
     {"STS [R5],R5", "EXIT"},
     "o="},
    {"a save of predicates, of another one than the one that was set",
     {"ISETP.GE.AND P0,PT,R1,0x5,PT", "P2R R4,PR,RZ,0x1", "STS [R1],R4", "EXIT"},
     {"ISETP.GE.AND P1,PT,R1,0x5,PT", "P2R R4,PR,RZ,0x1", "STS [R1],R4", "EXIT"},
     "ro=="},
    {"a save of predicates that are not among them",
     {"ISETP.GE.AND P0,PT,R1,0x5,PT", "P2R R4,PR,RZ,0x4", "@P0 EXIT", "EXIT"},
     {"ISETP.GE.AND P1,PT,R1,0x5,PT", "P2R R5,PR,RZ,0x4", "@P1 EXIT", "EXIT"},
     "rrr="},
    {"predicates by bits of a register",
     {"ISETP.GE.AND P0,PT,R1,0x5,PT", "R2P PR,R4,0x1", "@P0 EXIT", "EXIT"},
     {"ISETP.GE.AND P1,PT,R1,0x5,PT", "R2P PR,R4,0x1", "@P1 EXIT", "EXIT"},
     "r=o="},
    {"uniform ones",
     {"UISETP.GE.AND UP0,UPT,UR1,0x5,UPT", "UP2UR UR4,UPR,URZ,0x1", "EXIT"},
     {"UISETP.GE.AND UP1,UPT,UR1,0x5,UPT", "UP2UR UR4,UPR,URZ,0x1", "EXIT"},
     "ro="},
    {"zero is no register", {"MOV R4,RZ", "EXIT"}, {"MOV R4,R5", "EXIT"}, "o="},
    {"a constant differs too",
     {"S2R R4,SR_TID.X", "IADD3 R5,R4,0x1,RZ", "EXIT"},
     {"S2R R7,SR_TID.X", "IADD3 R2,R7,0x2,RZ", "EXIT"},
     "ro="},
    {"uniform registers and predicates",
     {"ULDC UR4,c[0x0][0x210]", "ISETP.GE.AND P0,PT,RZ,UR4,PT", "@P0 EXIT", "@!P0 MOV R2,UR4",
      "EXIT"},
     {"ULDC UR9,c[0x0][0x210]", "ISETP.GE.AND P2,PT,RZ,UR9,PT", "@P2 EXIT", "@!P2 MOV R2,UR9",
      "EXIT"},
     "rrrr="},
    {"the other sense of a predicate",
     {"ISETP.GE.AND P0,PT,RZ,0x1,PT", "@P0 EXIT", "EXIT"},
     {"ISETP.GE.AND P1,PT,RZ,0x1,PT", "@!P1 EXIT", "EXIT"},
     "ro="},
    {"the second register of a wide result",
     {"LDG.E.64 R4,desc[UR4][R2.64]", "FADD R5,R5,R5", "EXIT"},
     {"LDG.E.64 R8,desc[UR4][R2.64]", "FADD R9,R9,R9", "EXIT"},
     "rr="},
    {"the wrong half of a wide result",
     {"LDG.E.64 R4,desc[UR4][R2.64]", "FADD R1,R5,R5", "EXIT"},
     {"LDG.E.64 R8,desc[UR4][R2.64]", "FADD R1,R8,R8", "EXIT"},
     "ro="},
    {"the upper half of what is read wide",
     {"MOV R2,0x1", "MOV R3,0x2", "IMAD.WIDE R4,R6,0x4,R2", "EXIT"},
     {"MOV R2,0x1", "MOV R9,0x2", "IMAD.WIDE R4,R6,0x4,R2", "EXIT"},
     "=ro="},
    {"the upper half of an address",
     {"MOV R2,0x1", "MOV R3,0x2", "LDG.E R4,desc[UR4][R2.64]", "EXIT"},
     {"MOV R2,0x1", "MOV R9,0x2", "LDG.E R4,desc[UR4][R2.64]", "EXIT"},
     "=ro="},
    {"both halves of an address",
     {"MOV R2,0x1", "MOV R3,0x2", "LDG.E R4,desc[UR4][R2.64]", "EXIT"},
     {"MOV R8,0x1", "MOV R9,0x2", "LDG.E R4,desc[UR4][R8.64]", "EXIT"},
     "rrr="},
    {"64 bits that the modifier alone tells of",
     {"MOV R2,0x1", "MOV R3,0x2", "MATCH.ANY.U64 R4,R2", "EXIT"},
     {"MOV R2,0x1", "MOV R9,0x2", "MATCH.ANY.U64 R4,R2", "EXIT"},
     "=ro="},
    {"the last register of what is stored",
     {"MOV R4,0x1", "MOV R7,0x2", "STS.128 [RZ],R4", "EXIT"},
     {"MOV R4,0x1", "MOV R9,0x2", "STS.128 [RZ],R4", "EXIT"},
     "=ro="},
    {"a guarded write keeps what was there",
     {"MOV R4,0x1", "@P0 MOV R4,0x2", "STS [RZ],R4", "EXIT"},
     {"MOV R4,0x1", "@P0 MOV R5,0x2", "STS [RZ],R5", "EXIT"},
     "=ro="},
    {"around a loop",
     {"MOV R4,0x1", "IADD3 R4,R4,0x1,RZ", "@P0 BRA 0x10", "EXIT"},
     {"MOV R6,0x1", "IADD3 R6,R6,0x1,RZ", "@P0 BRA 0x10", "EXIT"},
     "rr=="},
    {"around a loop, another value comes back",
     {"MOV R4,0x1", "IADD3 R4,R4,0x1,RZ", "@P0 BRA 0x10", "EXIT"},
     {"MOV R6,0x1", "IADD3 R7,R6,0x1,RZ", "@P0 BRA 0x10", "EXIT"},
     "ro=="},
    {"two arms that meet",
     {"@P0 BRA 0x30", "MOV R4,0x1", "BRA 0x40", "MOV R4,0x2", "STS [RZ],R4", "EXIT"},
     {"@P0 BRA 0x30", "MOV R5,0x1", "BRA 0x40", "MOV R5,0x2", "STS [RZ],R5", "EXIT"},
     "=r=rr="},
    {"an arm that brings another value",
     {"@P0 BRA 0x30", "MOV R4,0x1", "BRA 0x40", "MOV R4,0x2", "STS [RZ],R4", "EXIT"},
     {"@P0 BRA 0x30", "MOV R5,0x1", "BRA 0x40", "MOV R4,0x2", "STS [RZ],R5", "EXIT"},
     "=r==o="},
    {"beside an instruction that only one side has",
     {"S2R R4,SR_TID.X", "STS [R4],R4", "EXIT"},
     {"MEMBAR.ALL.CTA", "S2R R6,SR_TID.X", "STS [R6],R6", "EXIT"},
     ">rr="},
    {"what only one side wrote",
     {"S2R R4,SR_TID.X", "STS [R4],R4", "EXIT"},
     {"S2R R6,SR_TID.X", "LDS R6,[R6]", "STS [R6],R6", "EXIT"},
     "r>o="},
};

TEST(Renaming, SaysWhichRowsAreOnlyRenamed) {
  for (const RenamingRow& row : renaming_rows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(signs(row.left, row.right), row.signs);
    std::string back = row.signs;
    for (char& sign : back) sign = sign == '<' ? '>' : sign == '>' ? '<' : sign;
    EXPECT_EQ(signs(row.right, row.left), back);
  }
}

}  // namespace
}  // namespace phasebit::test
