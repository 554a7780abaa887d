// Samples as compact text, lossless: {"items":[8,16,24,32],"cycles":[[90,170,251,330],[...]]}.
#pragma once

#include "core/store/record.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit {

// The chain lengths stand once when the samples are rounds of the same lengths, the cycles a row a
// round. Other samples are one row, with all of their lengths.
struct SampleRows {
  nlohmann::ordered_json items, cycles;
};
SampleRows rows_of_samples(const std::vector<Sample>& samples);

// An Error when the two are not lists of numbers in range that match.
Result<std::vector<Sample>> samples_of_rows(const SampleRows& rows);

}  // namespace phasebit
