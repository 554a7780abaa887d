// Samples as compact text, lossless: {"items":[8,16,24,32],"cycles":[[90,170,251,330],[...]]}, and
// where there are readings "readings":[{"name":"polls","unit":"polls per item","sums":[[...]]}].
#pragma once

#include "core/results/record.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::results {

// The chain lengths are there once when the samples are rounds of the same lengths, the cycles a
// row a round. Other samples are one row, with all of their lengths.
struct SampleRows {
  nlohmann::ordered_json items, cycles;
  nlohmann::ordered_json readings;  // null when there are none
};
// Every sample has as many readings as there are names.
SampleRows rows_of_samples(const std::vector<Sample>& samples,
                           const std::vector<ReadingName>& readings = {});

struct NamedSamples {
  std::vector<Sample> samples;
  std::vector<ReadingName> readings;
};
// An Error when they are not lists of numbers in range that match.
Result<NamedSamples> samples_of_rows(const SampleRows& rows);

}  // namespace phasebit::results
