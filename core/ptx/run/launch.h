// The launch that is run: grid, memory and parameters.
#pragma once

#include "core/launch/external.h"
#include "core/launch/launch.h"
#include "core/launch/verify.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::ptx::run {

struct RunBuffer {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> words;  // from the first on
  bool is_open = false;              // what comes after them is not known; else it is 0
};

inline constexpr int lanes_of_warp = 32;

// Buffers lie so far from one another that none runs into the next.
inline std::uint64_t address_of_buffer(std::size_t buffer) {
  return (std::uint64_t{buffer} + 1) << 36;
}

// Addresses of parameters, of a thread's own memory, and of variables of the file.
inline constexpr std::uint64_t parameter_window = std::uint64_t{0x7e} << 40;
inline constexpr std::uint64_t local_window = std::uint64_t{0x7d} << 40;
inline constexpr std::size_t first_variable = 1000;  // as a buffer
inline bool is_parameter_address(std::uint64_t address) {
  return address >> 40 == 0x7e;
}

struct RunTensorMap {
  std::size_t offset = 0;  // among the parameters
  launch::tensor::TensorMap map;
  std::uint64_t address = 0;  // of the tensor
};

struct RunLaunch {
  std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::uint32_t shared_bytes = 0;  // dynamic
  std::vector<RunBuffer> buffers;
  std::vector<std::uint8_t> parameters;
  std::vector<RunTensorMap> maps;
  bool cooperative = false;    // the driver launches all CTAs at once, or none
  std::vector<int> sm_of_cta;  // by CTA of the grid; those that are not there run on SM 0
  int threads() const { return block[0] * block[1] * block[2]; }
  int warps() const { return (threads() + lanes_of_warp - 1) / lanes_of_warp; }  // of a CTA
  int ctas() const { return grid[0] * grid[1] * grid[2]; }
  int ctas_of_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
};

// Writes `bytes` bytes of the value to the parameters.
void put_parameter(RunLaunch& launch, std::size_t offset, std::uint64_t value, int bytes);

// KernelParams::seed of a variant's launch.
inline constexpr std::uint32_t seed_of_run = 0x2545F491U;

// What a run left in memory, buffer by buffer as RunLaunch has them.
using RunMemory = std::vector<std::vector<std::uint32_t>>;

// The same launch, on two SMs where a variant runs on all: what a CTA does is the same on each.
launch::LaunchShape shape_of_run(launch::LaunchShape shape);
// A variant's launch of so many items. `places`: parameter_places of its entry. Step::launch
// for what is not modelled: tensor maps.
Result<RunLaunch> launch_of(const launch::LaunchShape& shape, std::uint32_t items,
                            const std::vector<std::uint32_t>& places);
// An external kernel's. Step::launch for tensor maps and contents of buffers.
Result<RunLaunch> launch_of(const launch::ExternalLaunch& external, std::uint32_t items);
// What the verifier of a GPU's launches asks for.
launch::LaunchOutput output_of(const launch::LaunchShape& shape, std::uint32_t items,
                               const RunMemory& memory);
// The numbers of items that are run where none is given, each once. The first: every slot comes
// round three times. Then others after which the slots are in other places: one more, nearly twice
// as many, and fewer than there are slots.
std::vector<std::uint32_t> usual_items(const launch::LaunchShape& shape, int num_stages);

}  // namespace phasebit::ptx::run
