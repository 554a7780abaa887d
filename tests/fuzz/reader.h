// What a fuzzed reader calls. Each *_reader.cpp is linked with libFuzzer by tools/fuzz, and with
// corpus_test.cpp by every build.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace phasebit::test {

// A refusal names its step and what is wrong.
inline int refused(const Error& error) {
  if (error.step != Step::disassemble || error.message.empty()) bug("an error without words");
  return 0;
}

}  // namespace phasebit::test
