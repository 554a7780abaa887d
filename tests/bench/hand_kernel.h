// What kernels written by hand for the GPU suite have in common: they obey the ABI up to the point
// where they break, hang, or look at what they were given.
#pragma once

#include <string>

namespace phasebit::test {

// Registers and parameters. `more` are parameters after the block: ", .param .u64 table".
inline std::string hand_prologue(const std::string& entry, const std::string& more = "") {
  return ".visible .entry " + entry + "(.param .align 8 .b8 pb[96]" + more + R"()
{
.reg .b32 items, tid, lane, wanted, here, cta, value, at, id, rank;
.reg .b64 samples, status, limit, ticket, address, start, finish, since, now, state, far;
.reg .pred other, done, mine;
ld.param.u32 items, [pb+4];
ld.param.u64 samples, [pb+8];
ld.param.u64 status, [pb+16];
ld.param.u32 wanted, [pb+56];
ld.param.u64 limit, [pb+64];
ld.param.u64 ticket, [pb+72];
mov.u32 tid, %tid.x;
and.b32 lane, tid, 31;
)";
}

inline const std::string hand_clocks = "mov.u64 start, %clock64;\nmov.u64 since, %globaltimer;\n";

// The record of the first thread of the first CTA.
inline const std::string hand_epilogue = R"(
mov.u64 finish, %clock64;
mov.u64 now, %globaltimer;
mov.u32 here, %smid;
setp.ne.u32 other, tid, 0;
@other exit;
setp.ne.u32 other, cta, 0;
@other exit;
st.global.u64 [samples], start;
st.global.u64 [samples+8], finish;
st.global.u64 [samples+16], since;
st.global.u64 [samples+24], now;
st.global.u32 [samples+32], items;
st.global.u32 [samples+36], 2;
st.global.u32 [samples+44], here;
exit;
}
)";

}  // namespace phasebit::test
