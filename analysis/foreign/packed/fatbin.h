// Where fatbins lie in a file that holds some, and what is in them.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::foreign::packed {

struct Fatbin {
  std::string_view bytes;    // with its header, as cuobjdump takes it
  bool relocatable = false;  // what a linker still has to take: of section __nv_relfatbin
};

// The fatbins of a file, in their order, up to the first that is damaged.
struct Fatbins {
  std::vector<Fatbin> all;
  std::string problem;  // of that one: "cut short: ..."; "" when there is none
};

// Of a fatbin file, or of the sections .nv_fatbin and __nv_relfatbin of a host object, executable
// or library. The views point into `bytes`. `name` stands for the file in messages.
// Step::disassemble when it is neither, has no such section, or the first fatbin is damaged.
//
// The outer header is {magic 0xba55ed50, 16-bit version, 16-bit size of the header, 64-bit size of
// what follows}, as CUDA's headers declared it up to toolkit 9 (fatBinaryCtl.h); the names of the
// sections are in fatbinary_section.h of every toolkit.
Result<Fatbins> find_fatbins(std::string_view bytes, std::string_view name);

struct FatbinMember {
  enum class Kind { ptx, elf, lto, other };
  enum class Packing { none, lz4, zstd, other };

  Kind kind = Kind::other;
  Packing packing = Packing::none;
  int sm = 0;                // 90
  std::string target;        // "sm_90a"; a fatbinary before 12.8 leaves the letter out
  std::string source;        // "k.cu"; "" where the member names none
  std::uint64_t size = 0;    // bytes, unpacked
  std::string_view payload;  // packed
  std::string_view whole;    // with its header
};

struct FatbinMembers {
  std::vector<FatbinMember> all;
  std::string problem;  // why there may be more: "damaged: ..."; "" when these are all
};

// The views point into `fatbin`. Nothing is unpacked.
FatbinMembers read_members(std::string_view fatbin);

// A fatbin of that member alone.
std::string alone(const FatbinMember& member);

// The bytes that were packed, with none of packing `none` copied needlessly: that is `payload`
// itself. Step::disassemble when the packing is not known, or the bytes are not of it.
Result<std::string> unpack(const FatbinMember& member);

// The bytes of an image: by the packings that are known, else by cuobjdump.

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
