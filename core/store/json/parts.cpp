#include "core/store/json/parts.h"

#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace phasebit::store::json {

using record::PointRow;
using record::Results;

namespace {

// Names that belong together, as a forest.
class Families {
 public:
  std::size_t number(const std::string& name) {
    const auto [at, is_new] = numbers_.emplace(name, parents_.size());
    if (is_new) parents_.push_back(at->second);
    return at->second;
  }
  std::size_t root(std::size_t number) {
    while (parents_[number] != number) {
      parents_[number] = parents_[parents_[number]];
      number = parents_[number];
    }
    return number;
  }
  void unite(std::size_t a, std::size_t b) { parents_[root(b)] = root(a); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::size_t> parents_;
};

// The family of each row.
std::vector<std::size_t> families_of(const std::vector<PointRow>& points) {
  Families families;
  std::vector<std::size_t> of_row;
  for (const PointRow& point : points) {
    const std::size_t variant = families.number("variant " + point.variant_id.text());
    if (!point.sass_class.empty())
      families.unite(variant, families.number("code " + point.sass_class.text()));
    if (!point.same_as.empty())
      families.unite(variant, families.number("variant " + point.same_as.text()));
    of_row.push_back(variant);
  }
  for (std::size_t& family : of_row) family = families.root(family);
  return of_row;
}

// About how much text a row is, in tens of bytes: its key and image stand once, a row that was not
// measured shares its line.
std::vector<std::size_t> sizes_of(const std::vector<PointRow>& points) {
  std::unordered_set<std::string> seen;
  std::vector<std::size_t> sizes;
  for (const PointRow& point : points)
    sizes.push_back((point.measured() || point.error ? 15 : 1) +
                    (seen.insert(point.variant_id).second ? 12 : 0));
  return sizes;
}

// The part of each family: that in which its middle lies when all stand in a row. With two families
// or more the first and the last are half of all or more apart, and so in two parts.
std::unordered_map<std::size_t, std::size_t> parts_of(const std::vector<std::size_t>& families,
                                                      const std::vector<std::size_t>& sizes,
                                                      std::size_t count) {
  std::vector<std::size_t> order;
  std::unordered_map<std::size_t, std::size_t> size_of, part_of;
  for (std::size_t n = 0; n < families.size(); ++n) {
    const auto [at, is_new] = size_of.try_emplace(families[n], 0);
    if (is_new) order.push_back(families[n]);
    at->second += sizes[n];
  }
  const std::size_t all = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::size_t before = 0;
  for (const std::size_t family : order) {
    const std::size_t size = size_of.at(family);
    part_of[family] = (2 * before + size) * count / (2 * all);
    before += size;
  }
  return part_of;
}

}  // namespace

std::vector<Results> split_results(const Results& results, std::size_t count) {
  const std::vector<std::size_t> families = families_of(results.points);
  const auto part_of = parts_of(families, sizes_of(results.points), count);
  std::unordered_map<std::string, const record::VariantRow*> variants;
  for (const record::VariantRow& variant : results.variants) variants.emplace(variant.id, &variant);
  std::vector<Results> parts(count);
  for (std::size_t n = 0; n < families.size(); ++n) {
    Results& part = parts[part_of.at(families[n])];
    part.points.push_back(results.points[n]);
    // A variant is in one part alone, and goes there with its first row.
    if (const auto key = variants.extract(results.points[n].variant_id); !key.empty())
      part.variants.push_back(*key.mapped());
  }
  std::erase_if(parts, [](const Results& part) { return part.points.empty(); });
  for (Results& part : parts) {
    part.devices = results.devices;
    part.runs = results.runs;
    part.catalogue = results.catalogue;
  }
  return parts;
}

}  // namespace phasebit::store::json
