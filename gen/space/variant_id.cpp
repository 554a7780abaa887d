// Between ids, hashes, named values and keys.
#include "gen/space/point.h"
#include "gen/space/variants.h"

#include <algorithm>

namespace phasebit::space {

using catalogue::Catalogue;
using catalogue::component_kinds;
using image::VariantKey;

namespace {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

constexpr const char* id_form = "probe/protocol/mover/work, then /axis=value";

Result<NamedValues> split_id(std::string_view id) {
  NamedValues values;
  while (true) {
    const size_t end = std::min(id.find('/'), id.size());
    const std::string_view part = id.substr(0, end);
    const size_t equals = part.find('=');
    const size_t index = values.size();
    const bool leading = index < component_kinds.size();
    if (part.empty() || leading != (equals == std::string_view::npos))
      return with_hint(fail(Step::spec, "not the id of a variant"), id_form);
    if (leading)
      values.emplace_back(catalogue::to_string(component_kinds[index]), part);
    else
      values.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    if (end == id.size()) break;
    id.remove_prefix(end + 1);
  }
  if (values.size() < component_kinds.size())
    return with_hint(fail(Step::spec, "not the id of a variant"), id_form);
  return values;
}

bool looks_like_a_hash(std::string_view text) {
  constexpr size_t shortest = 4;
  return text.size() >= shortest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<VariantKey> find_hash(const Expansion& known, std::string_view prefix) {
  std::vector<const VariantKey*> found;
  for (const VariantKey& key : known.variants)
    if (key.hash.substr(0, prefix.size()) == prefix) found.push_back(&key);
  if (found.empty())
    return with_hint(fail(Step::usage, "{}: no variant has this hash", prefix),
                     "a hash is looked up in one sweep; an id needs none");
  if (found.size() > 1)
    return fail(Step::usage, "{}: the hash of {} variants, {} and {} among them", prefix,
                found.size(), found[0]->id, found[1]->id);
  return *found.front();
}

}  // namespace

Result<VariantKey> make_key(const Catalogue& catalogue, const NamedValues& values) {
  PHASEBIT_TRY_ASSIGN(settled, settle_values(catalogue, values));
  if (!settled.pruned.empty())
    return fail(Step::spec, "pruned: {}", fill_in(catalogue, settled.point, settled.pruned));
  return key_of(catalogue, settled.point);
}

Result<VariantKey> parse_variant(const Catalogue& catalogue, std::string_view id_or_hash,
                                 const Expansion* known) {
  if (looks_like_a_hash(id_or_hash)) return find_hash(known ? *known : Expansion{}, id_or_hash);
  return split_id(id_or_hash)
      .and_then([&](const NamedValues& values) { return make_key(catalogue, values); })
      .map_error([&](Error error) {
        error.step = Step::usage;
        error.message = fmt::format("{}: {}", id_or_hash, error.message);
        return error;
      });
}

Result<std::string> ptx_id(const Catalogue& catalogue, const VariantKey& key) {
  PHASEBIT_TRY_ASSIGN(point, point_of(catalogue, key));
  for (const catalogue::Component* part : catalogue.parts(point))
    for (const catalogue::Axis& axis : part->axes)
      if (axis.runtime) point[static_cast<size_t>(axis.slot)] = axis.default_number;
  return key_of(catalogue, point).id;
}

}  // namespace phasebit::space
