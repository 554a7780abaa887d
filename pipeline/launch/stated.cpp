#include "pipeline/launch/stated.h"

#include "core/base/saturated.h"

#include <nlohmann/json.hpp>

namespace phasebit::pipeline::launch {
namespace {

using nlohmann::json;

Size size_of(const ptx::PtxStatement& directive) {
  Size size{1, 1, 1};
  const std::vector<int> numbers = ptx::numbers_of(directive);
  for (size_t n = 0; n < size.size() && n < numbers.size(); ++n) size[n] = numbers[n];
  return size;
}

void read_directives(const ptx::PtxFile& file, const ptx::PtxFunction& entry, Stated& stated) {
  for (const size_t index : entry.directives) {
    const ptx::PtxStatement& directive = file.statements[index].parsed;
    const Size size = size_of(directive);
    if (directive.name == ".reqntid") {
      stated.block = size;
      stated.block_is_required = true;
    } else if (directive.name == ".maxntid") {
      stated.most_threads = base::saturated_product(size);
    } else if (directive.name == ".reqnctapercluster") {
      stated.cluster = size;
      stated.cluster_is_required = true;
    }
  }
}

// A size: a whole number that a launch may have somewhere.
std::optional<int> size_in(const json& value) {
  constexpr std::int64_t most = 1 << 24;
  if (!value.is_number_integer()) return {};
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > most) return {};
  return static_cast<int>(number);
}

// Of a key of Triton's; nothing where there is none.
std::optional<int> number_of(const json& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::nullopt : size_in(*found);
}

// Triton counts warps, the bytes of shared memory, and the CTAs of a cluster. Older ones say the
// cluster as cluster_dims.
void read_triton(const json& facts, Stated& stated) {
  const auto warps = number_of(facts, "num_warps"), shared = number_of(facts, "shared");
  if (!warps || !shared) return;
  constexpr int warp_threads = 32;
  if (!stated.block) stated.block = Size{warp_threads * *warps, 1, 1};
  stated.shared_bytes = shared;
  if (stated.cluster) return;
  if (const auto dims = facts.find("cluster_dims"); dims != facts.end() && dims->is_array()) {
    Size size{1, 1, 1};
    for (size_t n = 0; n < size.size() && n < dims->size(); ++n)
      size[n] = size_in((*dims)[n]).value_or(1);
    stated.cluster = size;
  } else if (const auto ctas = number_of(facts, "num_ctas")) {
    stated.cluster = Size{*ctas, 1, 1};
  }
}

}  // namespace

Result<Stated> stated_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                             const fs::path& path) {
  Stated stated;
  read_directives(file, entry, stated);
  fs::path beside = path;
  beside.replace_extension(".json");
  std::error_code ignored;
  if (!fs::is_regular_file(beside, ignored)) return stated;
  PHASEBIT_TRY_ASSIGN(text, base::read_file(beside));
  const json facts = json::parse(text, nullptr, false);
  if (facts.is_discarded())
    return with_hint(fail(Step::spec, "{} is no JSON", beside.string()),
                     "Triton's facts of the kernel are taken from it: move it away, or mend it");
  if (facts.is_object() && facts.value("name", json()) == entry.name) read_triton(facts, stated);
  return stated;
}

}  // namespace phasebit::pipeline::launch
