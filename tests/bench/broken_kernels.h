// Kernels that go wrong on a GPU, and some that must not, as PTX: the driver translates it, since
// nothing here is timed.
#pragma once

#include "tests/bench/hand_kernel.h"

#include <string>

namespace phasebit::test {

// One thread of one CTA runs the body.
inline std::string broken_kernel(const std::string& entry, const std::string& body,
                                 const std::string& more = "") {
  return hand_prologue(entry, more) + R"(mov.u32 here, %smid;
setp.ne.u32 other, here, wanted;
@other exit;
setp.ne.u32 other, tid, 0;
@other exit;
atom.global.add.u32 cta, [ticket], 1;
setp.ne.u32 other, cta, 0;
@other exit;
)" + hand_clocks +
         body + hand_epilogue;
}

// Traps unless the word at this offset of the buffer has this value, and counts it up: the next
// launch must find it as it was.
inline std::string found_word(const std::string& buffer, int offset, const std::string& value) {
  const std::string at = "[address+" + std::to_string(offset) + "]";
  return "ld.param.u64 address, [" + buffer + "];\nld.global.u32 value, " + at +
         ";\nsetp.ne.u32 other, value, " + value + ";\n@other trap;\nadd.u32 value, value, 1;\n" +
         "st.global.u32 " + at + ", value;\n";
}

inline std::string broken_module() {
  return ".version 7.1\n.target sm_80\n.address_size 64\n.shared .align 8 .b64 barrier;\n" +
         broken_kernel("pb_sound", "") +
         // No thread ever stores this number there.
         broken_kernel("pb_never_ends", R"(L_again:
ld.volatile.global.u32 value, [ticket];
setp.ne.u32 other, value, 0xffffffff;
@other bra L_again;
)") + broken_kernel("pb_traps", "trap;\n") +
         // Buffers of 4096 bytes by index, 64 of random:1 and 64 zeroed. The word at 4 of the
         // second is what MT19937 draws second from the seed 1.
         broken_kernel("pb_buffers",
                       found_word("numbers", 20, "5") + found_word("numbers", 4092, "1023") +
                           found_word("draws", 4, "0xFF4780EB") + found_word("zeros", 60, "0"),
                       ", .param .u64 numbers, .param .u64 draws, .param .u64 zeros");
}

}  // namespace phasebit::test
