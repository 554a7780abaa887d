// The bytes of an image: by the packings that are known, else by cuobjdump.
#pragma once

#include "analysis/foreign/packed/fatbin.h"
#include "core/base/file.h"

#include <string>

namespace phasebit::foreign::packed {

class Unpacker {
 public:
  // The path may be empty: then what only cuobjdump can unpack is an error.
  explicit Unpacker(fs::path cuobjdump) : program_(std::move(cuobjdump)) {}

  // May be called from several threads. Messages name no file. Step::disassemble, Step::toolchain.
  Result<std::string> unpack(const FatbinMember& member) const;

 private:
  Result<std::string> run(const FatbinMember& member) const;
  fs::path program_;
};

}  // namespace phasebit::foreign::packed
