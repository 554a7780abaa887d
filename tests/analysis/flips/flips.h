// Which bytes of an image do not decide the class of a kernel's code: each byte is flipped.
#pragma once

#include "core/base/error.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::test {

// Of one kind of bytes, in one image or in several.
struct Flipped {
  int images = 0;
  std::size_t bytes = 0, without_effect = 0;
};

// By what the bytes are: ".text.K", ".symtab st_value", ".nv.info.K EIATTR_REQNTID". K is the
// kernel, * another. Of `.nv.info*` there is one kind an attribute, of tables one a field.
using FlippedKinds = std::map<std::string, Flipped>;

enum class FlippedSections { all, read };  // read: without those that no class is made of

// Each byte of each section: all of its bits, then the lowest. One of them that does not change
// the class of `entry` makes it a byte without effect.
Result<FlippedKinds> flip_each(std::string image, const std::string& entry,
                               FlippedSections which = FlippedSections::all);

void add(FlippedKinds& all, const FlippedKinds& more);

// Why bytes of that kind need not count; "" where they must.
std::string_view reason_of(std::string_view kind);

// A line a kind: images, bytes, how many have no effect, and why.
std::string report(const FlippedKinds& kinds);

// Kinds with bytes without effect that no reason explains.
std::vector<std::string> unexplained(const FlippedKinds& kinds);

}  // namespace phasebit::test
