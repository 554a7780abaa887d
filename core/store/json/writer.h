// The text of one file of results.
#pragma once

#include "core/store/json/arranged.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::store::json {

// The how manieth of how many files, from 1.
struct FilePart {
  std::size_t number = 1, count = 1;
  bool operator==(const FilePart&) const = default;
};

// What the header says of the files beside it.
struct FilesBeside {
  std::size_t samples = 0;  // points that have some
  std::vector<std::string> sample_files{};
  FilePart part{};
};

// Without the lines of samples.
std::string json_text(const Arranged& arranged, const FilesBeside& files);

// The part that a header says; none where it is no header of ours or of a file that is whole.
std::optional<FilePart> part_of_header(std::string_view line);

}  // namespace phasebit::store::json
