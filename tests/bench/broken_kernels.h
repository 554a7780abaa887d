// Kernels that go wrong on a GPU, as PTX: the driver translates it, since nothing here is timed.
// They obey the ABI up to the point where they break.
#pragma once

#include <string>

namespace phasebit::test {

inline std::string broken_kernel(const std::string& entry, const std::string& body) {
  return ".visible .entry " + entry + R"((.param .align 8 .b8 pb[96])
{
.reg .b32 items, tid, wanted, here, cta, value;
.reg .b64 samples, status, limit, ticket, address, start, finish, since, now;
.reg .pred other, done;
ld.param.u32 items, [pb+4];
ld.param.u64 samples, [pb+8];
ld.param.u64 status, [pb+16];
ld.param.u32 wanted, [pb+56];
ld.param.u64 limit, [pb+64];
ld.param.u64 ticket, [pb+72];
mov.u32 here, %smid;
setp.ne.u32 other, here, wanted;
@other exit;
mov.u32 tid, %tid.x;
setp.ne.u32 other, tid, 0;
@other exit;
atom.global.add.u32 cta, [ticket], 1;
setp.ne.u32 other, cta, 0;
@other exit;
mov.u64 start, %clock64;
mov.u64 since, %globaltimer;
)" + body +
         R"(
mov.u64 finish, %clock64;
mov.u64 now, %globaltimer;
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
}

inline std::string broken_module() {
  return ".version 7.1\n.target sm_80\n.address_size 64\n.shared .align 8 .b64 barrier;\n" +
         broken_kernel("pb_sound", "") +
         // Nobody ever stores this number there.
         broken_kernel("pb_never_ends", R"(L_again:
ld.volatile.global.u32 value, [ticket];
setp.ne.u32 other, value, 0xffffffff;
@other bra L_again;
)") + broken_kernel("pb_traps", "trap;\n");
}

}  // namespace phasebit::test
