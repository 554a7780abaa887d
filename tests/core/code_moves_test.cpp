// Padding by a list of moves: no cubin is needed to say what must come out.
#include "core/launch/placement/code_moves.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::placement::CodeMoves;
using launch::placement::move_code;
using launch::placement::moves_from_bytes;
using launch::placement::to_bytes;

namespace {

using CodeMovesKind = CodeMoves::Insertion::Kind;

// As `cuobjdump -sass` shows NOPs of sm_75 and later: "MOV" of nothing, stall 1 or 0.
const std::string nop("\x18\x79\0\0\0\0\0\0\0\0\0\0\0\xe2\x0f\0", 16);
const std::string tail("\x18\x79\0\0\0\0\0\0\0\0\0\0\0\xc0\x0f\0", 16);

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// "head" with two numbers, a table of lines, code.
const std::string module = std::string("\x10\0\0\0", 4) + std::string("\xff\0\0\0\0\0\0\0", 8) +
                           "lines" + "CODECODECODECODE" + "end";
const CodeMoves moves = {{{14, CodeMovesKind::advance, 0},
                          {17, CodeMovesKind::filler, 2},
                          {17, CodeMovesKind::padding, 0},
                          {33, CodeMovesKind::tail, 0}},
                         {{0, 4, 1, 0, 0}, {4, 8, 0, 2, 5}}};

TEST(MoveCode, PutsInWhatIsSaidAndChangesTheNumbers) {
  // 48 bytes of padding fill up to 128: 3 NOPs before, 5 after. 0x10 + 48; 0xff + 2 * 128 + 5.
  EXPECT_EQ(move_code(module, moves, 48).value(),
            std::string("\x40\0\0\0", 4) + std::string("\x04\x02\0\0\0\0\0\0", 8) + "li" +
                std::string("\x02\xb0\0", 3) + "nes" + std::string(2, '\0') + times(3, nop) +
                "CODECODECODECODE" + times(5, tail) + "end");
  // 1024 = 8 * 128 in LEB128: 0x80 0x08.
  EXPECT_EQ(move_code(module, moves, 1024).value(),
            std::string("\x10\x04\0\0", 4) + std::string("\x04\x09\0\0\0\0\0\0", 8) + "li" +
                "\x02\x80\x08" + "nes" + std::string(2, '\0') + times(64, nop) +
                "CODECODECODECODE" + "end");
  EXPECT_EQ(move_code(module, moves, 0).value(), module);
}

TEST(MoveCode, RefusesOtherPaddingsAndOtherModules) {
  for (const int padding : {-16, 1, 24, 1040})
    EXPECT_EQ(move_code(module, moves, padding).error().text(),
              fmt::format("usage: padding={}: not a multiple of 16 from 0 to 1024", padding));
  const std::string other = "bundle: code moves of another module (pack it again)";
  EXPECT_EQ(move_code(module.substr(0, 30), moves, 16).error().text(), other);
  CodeMoves bad = moves;
  std::swap(bad.insertions[0], bad.insertions[3]);
  EXPECT_EQ(move_code(module, bad, 16).error().text(), other);
  bad = moves;
  bad.fields[0].bytes = 8;  // reaches into the next
  EXPECT_EQ(move_code(module, bad, 16).error().text(), other);
  bad.fields[0].bytes = 3;
  EXPECT_EQ(move_code(module, bad, 16).error().text(), other);
  bad = moves;
  bad.fields.push_back({module.size() - 7, 8, 1, 0, 0});
  EXPECT_EQ(move_code(module, bad, 16).error().text(), other);
}

TEST(Padding, IsToldFromCode) {
  const std::string code = times(7, "0123456789abcdef") + tail;
  for (const int padding : {16, 48, 128, 144, 1024}) {
    const int growth = (padding + 127) / 128 * 128;
    const std::string text = times(padding / 16, nop) + code + times((growth - padding) / 16, tail);
    EXPECT_EQ(launch::placement::padding_of(text), static_cast<std::size_t>(padding));
    EXPECT_EQ(launch::placement::unpadded(text), code);
  }
  for (const std::string& text : {code, std::string(), times(8, nop), nop + code, tail + code}) {
    EXPECT_EQ(launch::placement::padding_of(text), 0U);
    EXPECT_EQ(launch::placement::unpadded(text), text);
  }
}

TEST(MovesFile, ComesBackAsItWas) {
  const auto back = moves_from_bytes(to_bytes(moves), "m.moves");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, moves);
  CodeMoves large;
  for (std::uint64_t i = 1; i < 200; ++i) large.fields.push_back({i << 33, 8, 0, 70000, i << 40});
  EXPECT_EQ(moves_from_bytes(to_bytes(large), "m").value(), large);
}

TEST(MovesFile, ATornOneIsNamed) {
  const std::string bytes = to_bytes(moves);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] ^= 4;
    for (const std::string& torn : {changed, bytes.substr(0, at)})
      EXPECT_EQ(moves_from_bytes(torn, "m.moves").error().text(),
                "bundle: m.moves is torn or of another version (pack and copy the bundle again)");
  }
}

}  // namespace
}  // namespace phasebit::test
