// What a command line says of a parameter: `--param` and `--tensor-map`.
#pragma once

#include "pipeline/launch/parameter_list.h"

namespace phasebit::pipeline::launch {

// PLACE=VALUE, PLACE=TYPE:VALUE, PLACE=buffer:BYTES[:FILL], PLACE=bytes:DIGITS, PLACE=items[:TYPE],
// where PLACE is a parameter's name or number, in a struct with +BYTES behind it. Step::usage says
// what it is not, and what to write.
Result<image::WholeParameter> read_assignment(const ParameterList& list, const std::string& text);

// PLACE=ELEMENT,SIZES,STRIDES,BOX,SWIZZLE,INTERLEAVE: a map of a tensor of its own, of zeros. PLACE
// may be the offset among all parameters' bytes, too.
Result<image::WholeParameter> read_tensor_map(const ParameterList& list, const std::string& text);

}  // namespace phasebit::pipeline::launch
