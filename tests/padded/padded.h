// What must hold between a cubin and its padded twin, read from the bytes and by nvdisasm.
#pragma once

#include <string>

namespace phasebit::test {

// Every section, symbol, relocation, attribute and segment, by a reading of its own of what each
// attribute holds. `entry` is the kernel that was padded; "" for all.
void expect_padded(const std::string& before, const std::string& after, std::size_t padding,
                   const std::string& entry = {});

// nvdisasm prints the same code after the NOPs, with labels at the same instructions and the same
// lines. `options` are its own: "-g".
void expect_same_listing(const std::string& nvdisasm, const std::string& before,
                         const std::string& after, std::size_t padding,
                         const std::string& options = {});

}  // namespace phasebit::test
