// What any GPU takes (CUDA C++ Programming Guide, technical specifications per compute capability).
#pragma once

namespace phasebit::isa {

inline constexpr int most_threads_of_cta = 1024;
inline constexpr int most_ctas_of_cluster = 16;
inline constexpr int most_shared_bytes = 227 << 10;
inline constexpr int most_sms = 1024;  // beyond every GPU's

}  // namespace phasebit::isa
