#include "core/store/json/lines.h"
#include "core/store/json/parts.h"
#include "core/store/json/sample_lines.h"
#include "core/store/json/writer.h"

#include <algorithm>
#include <iterator>

namespace phasebit::store::json {

using record::Results;

namespace {

// What a header has beside the rows: the part, and the names of at least twenty files of samples.
constexpr size_t most_name_bytes = 2000;

size_t text_bytes(const Results& results) {
  return json_text(arrange(results), {}).size() + most_name_bytes;
}

// A family larger than a file stays whole.
std::vector<Results> pieces_of(const Results& results, size_t most_bytes) {
  const size_t count = text_bytes(results) / most_bytes + 1;
  if (count == 1) return {results};
  const std::vector<Results> parts = split_results(results, count);
  if (parts.size() < 2) return {results};
  std::vector<Results> pieces;
  for (const Results& part : parts)
    std::ranges::move(pieces_of(part, most_bytes), std::back_inserter(pieces));
  return pieces;
}

fs::path path_of_part(const fs::path& path, size_t number) {
  if (number == 1) return path;
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
}

// Whether a file can go because it is that part of an earlier writing.
bool is_part(const fs::path& path, size_t number) {
  const auto text = base::read_file(path);
  if (!text) return false;
  const auto part = part_of_header(std::string_view(*text).substr(0, text->find('\n')));
  return part && part->number == number;
}

Status check_places(const fs::path& path, size_t count) {
  for (size_t number = 2; number <= count; ++number)
    if (const fs::path place = path_of_part(path, number);
        fs::exists(place) && !is_part(place, number))
      return with_hint(fail(Step::store, "{} is there and is no part of {}", place.string(),
                            path.filename().string()),
                       "export under another name, or move that file away");
  return {};
}

Status write_part(const fs::path& path, const Results& results, FilePart part) {
  const Arranged arranged = arrange(results);
  const std::vector<std::string> samples = sample_lines(arranged.points);
  PHASEBIT_TRY_ASSIGN(files, write_sample_files(path, samples));
  return base::write_file(path, json_text(arranged, {samples.size(), files, part}));
}

Status remove_parts(const fs::path& path, size_t number) {
  for (fs::path place = path_of_part(path, number); is_part(place, number);
       place = path_of_part(path, ++number)) {
    PHASEBIT_TRY(write_sample_files(place, {}));
    std::error_code error;
    if (!fs::remove(place, error))
      return fail(Step::io, "cannot remove {}: {}", place.string(), error.message());
  }
  return {};
}

}  // namespace

std::string to_json_lines(const Results& results) {
  const Arranged arranged = arrange(results);
  const std::vector<std::string> samples = sample_lines(arranged.points);
  return json_text(arranged, {.samples = samples.size()}) +
         fmt::format("{}", fmt::join(samples, ""));
}

Status write_json_lines(const fs::path& path, const Results& results, size_t most_bytes) {
  const std::vector<Results> pieces = pieces_of(results, most_bytes);
  PHASEBIT_TRY(check_places(path, pieces.size()));
  for (size_t n = 0; n < pieces.size(); ++n)
    PHASEBIT_TRY(write_part(path_of_part(path, n + 1), pieces[n], {n + 1, pieces.size()}));
  return remove_parts(path, pieces.size() + 1);
}

}  // namespace phasebit::store::json
