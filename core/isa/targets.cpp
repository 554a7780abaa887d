#include "core/isa/targets.h"

#include "core/base/text.h"
#include "core/base/toml_table.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace phasebit::isa {

Result<Target> parse_target(std::string_view name) {
  Target target;
  target.name = name;
  constexpr std::string_view prefix = "sm_";
  const char* end = name.data() + name.size();
  // A digit must follow: from_chars would take a minus sign too.
  const bool prefixed = name.substr(0, prefix.size()) == prefix && name.size() > prefix.size() &&
                        name[prefix.size()] >= '1' && name[prefix.size()] <= '9';
  const char* digits = prefixed ? name.data() + prefix.size() : end;
  const auto [rest, error] = std::from_chars(digits, end, target.sm);
  target.suffix.assign(rest, end);
  const bool suffix_ok = target.suffix.empty() || target.suffix == "a" || target.suffix == "f";
  if (!prefixed || error != std::errc{} || !suffix_ok)
    return fail(Step::usage, "'{}' is not an architecture such as sm_90a", name);
  return target;
}

namespace {

constexpr std::string_view targets_toml =
#include "core/isa/targets.toml.inc"
    ;

Result<Target> read_row(const toml::node& node, const std::string& path) {
  const auto line = node.source().begin.line;
  const toml::table* row = node.as_table();
  if (row == nullptr) return fail(Step::spec, "{}:{}: target is not a table", path, line);
  Target target;
  target.sm = (*row)["sm"].value_or(0);
  target.family = (*row)["family"].value_or("");
  target.max_shared_bytes_per_cta = (*row)["max_shared_bytes_per_cta"].value_or(0);
  if (target.sm <= 0 || target.family.empty() || target.max_shared_bytes_per_cta <= 0)
    return fail(Step::spec,
                "{}:{}: a target needs sm (a number), family (a word) and "
                "max_shared_bytes_per_cta (a number)",
                path, line);
  target.max_warps_per_sm = (*row)["max_warps_per_sm"].value_or(0);
  target.shared_bytes_per_sm = (*row)["shared_bytes_per_sm"].value_or(0);
  target.max_ctas_per_sm = (*row)["max_ctas_per_sm"].value_or(0);
  if ((target.max_warps_per_sm > 0) != (target.shared_bytes_per_sm > 0) ||
      (target.max_warps_per_sm > 0) != (target.max_ctas_per_sm > 0))
    return fail(Step::spec,
                "{}:{}: max_warps_per_sm, shared_bytes_per_sm and max_ctas_per_sm come together "
                "(numbers above 0)",
                path, line);
  target.max_registers_per_thread = 255;
  target.max_threads_per_cta = 1024;
  return target;
}

Result<TargetTable::Alike> read_alike(const toml::node& node,
                                      const std::vector<std::string>& families,
                                      const std::string& path) {
  const auto line = node.source().begin.line;
  const toml::table* row = node.as_table();
  if (row == nullptr) return fail(Step::spec, "{}:{}: family is not a table", path, line);
  TargetTable::Alike alike{(*row)["name"].value_or(""), (*row)["like"].value_or("")};
  for (const std::string& name : {alike.family, alike.like})
    if (std::find(families.begin(), families.end(), name) == families.end())
      return with_hint(fail(Step::spec, "{}:{}: no SASS family '{}'", path, line, name),
                       base::nearest_word_hint(name, families));
  return alike;
}

}  // namespace

Result<TargetTable> TargetTable::load() {
  return read(targets_toml, "core/isa/targets.toml");
}

Result<TargetTable> TargetTable::read(std::string_view text, const std::string& path) {
  TargetTable table;
  PHASEBIT_TRY_ASSIGN(file, base::parse_toml_table(text, path));
  const toml::array* rows = file["target"].as_array();
  if (rows == nullptr) return fail(Step::spec, "{}: no [[target]]", path);
  for (const toml::node& node : *rows) {
    PHASEBIT_TRY_ASSIGN(target, read_row(node, path));
    table.rows_.push_back(std::move(target));
  }
  const std::vector<std::string> families = table.families();
  const toml::array* alike = file["family"].as_array();
  for (std::size_t i = 0; alike != nullptr && i < alike->size(); ++i) {
    PHASEBIT_TRY_ASSIGN(one, read_alike((*alike)[i], families, path));
    table.alike_.push_back(std::move(one));
  }
  return table;
}

Result<Target> TargetTable::find(std::string_view name) const {
  PHASEBIT_TRY_ASSIGN(target, parse_target(name));
  const auto row = std::find_if(rows_.begin(), rows_.end(),
                                [&](const Target& known) { return known.sm == target.sm; });
  if (row == rows_.end()) return target;
  Target full = *row;
  full.name = target.name;
  full.suffix = target.suffix;
  return full;
}

std::vector<Target> TargetTable::runs_on(std::string_view name) const {
  const auto own = parse_target(name);
  const auto runs = [&](const Target& row) {
    if (own->suffix == "a") return row.sm == own->sm;
    return row.sm >= own->sm && (own->suffix.empty() || row.sm / 10 == own->sm / 10);
  };
  std::vector<Target> all;
  if (own) std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(all), runs);
  return all.empty() ? rows_ : all;
}

std::vector<std::string> TargetTable::families() const {
  std::vector<std::string> all;
  for (const Target& row : rows_)
    if (std::find(all.begin(), all.end(), row.family) == all.end()) all.push_back(row.family);
  return all;
}

}  // namespace phasebit::isa
