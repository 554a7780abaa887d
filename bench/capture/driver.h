// The driver under the hooks: what the program would have called, and what a note asks of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuda.h>

namespace phasebit::bench::capture {

// dlsym as it is without this library.
using FindSymbol = void* (*)(void* library, const char* name) noexcept;
FindSymbol find_symbol();

// An entry of libcuda.so.1 where the program has loaded it; null without one.
void* entry_of_driver(const char* name);

// "" where the driver does not say.
std::string name_of(CUfunction function);

// Of a thread when it begins; 0 where the driver does not say.
int registers_of(CUfunction function);

struct ParameterPlace {
  std::size_t offset = 0, bytes = 0;
};
// Nothing of a driver before 12.4, which does not say.
std::optional<std::vector<ParameterPlace>> parameters_of(CUfunction function);

// The allocation that an address lies in; nothing of a number that is none.
struct Allocation {
  std::uint64_t begin = 0, bytes = 0;
};
std::optional<Allocation> allocation_of(std::uint64_t address);

// What the GPU's memory holds when all that is queued in the stream is done; nothing where it
// cannot be read, or the stream is being captured into a graph.
std::optional<std::string> memory_at(std::uint64_t address, std::size_t bytes, CUstream stream);

}  // namespace phasebit::bench::capture
