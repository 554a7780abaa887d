#include "gen/catalogue/reader.h"

#include "core/base/nearest.h"
#include "core/isa/targets.h"
#include "gen/catalogue/template_folders.h"
#include "gen/forms/form.h"

#include <algorithm>

namespace phasebit::catalogue {

using base::TomlReader;
using base::TomlValue;

namespace {

// A name that an expression and `name=value` in an id can hold.
bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

// A word that an id can hold.
bool is_word(std::string_view word) {
  return !word.empty() && word.find_first_of("/=,: \t\n'\"{}") == std::string_view::npos;
}

}  // namespace

Result<Catalogue> Catalogue::load(const fs::path& templates) {
  return CatalogueReader(templates).read();
}

Result<Catalogue> CatalogueReader::read() {
  PHASEBIT_TRY_ASSIGN(targets, isa::TargetTable::load());
  families_ = targets.families();
  PHASEBIT_TRY(read_files());
  for (const Source& source : sources_) read_axes(source);
  name_derived(sources_.front());
  for (const Source& source : sources_) read_uses(source);
  for (const Source& source : sources_)
    if (status_) check_uses(source);
  if (status_) read_capabilities(sources_.front());
  if (status_)
    for (const Source& source : sources_) read_expressions(source);
  inherit_all();
  for (const Source& source : sources_) {
    if (status_) check_verbs(source);
    if (status_) check_files(source);
    if (status_) check_slot(source);
  }
  if (!status_) return tl::unexpected<Error>(status_.error());
  return std::move(catalogue_);
}

Status CatalogueReader::read_files() {
  const fs::path axes = templates_ / "axes.toml";
  PHASEBIT_TRY_ASSIGN(table, base::read_toml(axes));
  sources_.push_back({axes.string(), std::move(table), ComponentKind::probe, 0, true});
  for (const ComponentKind kind : component_kinds)
    catalogue_.vocabulary_.add_name(to_string(kind), ValueKind::word);
  for (const ComponentKind kind : component_axis_order) PHASEBIT_TRY(read_components(kind));
  return {};
}

Status CatalogueReader::read_components(ComponentKind kind) {
  const fs::path folder = templates_ / folder_of(kind);
  std::vector<std::string> names;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  if (failed) return fail(Step::spec, "cannot read {}: {}", folder.string(), failed.message());
  if (names.empty()) return fail(Step::spec, "{}: no {}", folder.string(), to_string(kind));
  std::sort(names.begin(), names.end());
  std::vector<Component>& components = catalogue_.components_[static_cast<size_t>(kind)];
  for (const std::string& name : names) {
    const fs::path file = folder / name / fmt::format("{}.toml", to_string(kind));
    if (!is_word(name)) return fail(Step::spec, "{}: not a name", (folder / name).string());
    PHASEBIT_TRY_ASSIGN(table, base::read_toml(file));
    Component component;
    component.name = name;
    component.word = catalogue_.vocabulary_.add_word(static_cast<int>(kind), name);
    sources_.push_back({file.string(), std::move(table), kind, components.size(), false});
    components.push_back(std::move(component));
  }
  return {};
}

Component& CatalogueReader::component_of(const Source& source) {
  if (source.is_common) return catalogue_.common_;
  return catalogue_.components_[static_cast<size_t>(source.kind)][source.index];
}

TomlReader CatalogueReader::top(const Source& source) {
  std::vector<std::string> keys = {"doc",  "axis",  "rule",  "needs",
                                   "gate", "words", "flags", "numbers"};
  const auto add = [&](std::initializer_list<const char*> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  if (source.is_common)
    add({"derived", "capabilities"});
  else
    add({"covers", "covers_ptxas", "uses"});
  if (!source.is_common && source.kind != ComponentKind::probe) add({"verbs", "empty", "can"});
  if (!source.is_common && source.kind == ComponentKind::protocol)
    add({"slot", "arrivals", "verify", "try", "waits_on"});
  if (!source.is_common && source.kind == ComponentKind::mover)
    add({"payload", "tensor_map", "stored"});
  if (!source.is_common && source.kind == ComponentKind::work) add({"works", "product"});
  return TomlReader(source.file, source.table, "the file", std::move(keys), status_);
}

void CatalogueReader::read_axes(const Source& source) {
  TomlReader reader = top(source);
  Component& component = component_of(source);
  component.doc = reader.text_or("doc", {});
  for (const TomlValue* table : reader.tables("axis")) {
    TomlReader axis_reader(source.file, *table, "[[axis]]",
                           {"name", "alias", "label", "doc", "values", "values_of", "range",
                            "default", "runtime", "when"},
                           status_);
    Axis axis = read_axis(axis_reader);
    if (status_) name_axis(axis_reader, source, axis);
    if (status_) component.axes.push_back(std::move(axis));
  }
}

Axis CatalogueReader::read_axis(TomlReader reader) {
  Axis axis;
  axis.where = reader.where();
  axis.name = reader.text("name");
  axis.alias = reader.text_or("alias", {});
  axis.label = reader.text_or("label", {});
  axis.doc = reader.text_or("doc", {});
  axis.runtime = reader.truth_or("runtime", false);
  if (!is_name(axis.name)) reader.refuse("name", "must be lower-case letters, digits and _");
  read_axis_values(reader, axis);
  read_values_of(reader, axis);
  read_default(reader, axis);
  return axis;
}

void CatalogueReader::read_axis_values(TomlReader& reader, Axis& axis) {
  if (reader.has("values") == reader.has("range"))
    return reader.refuse({}, fmt::format("axis '{}' needs either 'values' or 'range'", axis.name));
  const std::string key = reader.has("values") ? "values" : "range";
  const std::vector<std::string> words = reader.words(key);
  if (words.empty()) return reader.refuse(key, "is empty");
  const std::vector<TomlValue>& items = reader.find(key)->items;
  axis.integer = items.front().kind == TomlValue::Kind::number;
  for (const TomlValue& item : items)
    if (item.kind != items.front().kind) return reader.refuse(key, "mixes words and numbers");
  if (key == "range") {
    if (!axis.integer || items.size() != 2 || items[0].number > items[1].number)
      return reader.refuse(key, "must be [lowest, highest]");
    constexpr std::uint64_t most = 1'000'000;  // beyond, a range is a typo
    if (static_cast<std::uint64_t>(items[1].number) - static_cast<std::uint64_t>(items[0].number) >=
        most)
      return reader.refuse(key, fmt::format("has more than {} values", most));
    axis.low = items[0].number;
    axis.high = items[1].number;
    return;
  }
  for (const std::string& word : words) {
    if (!is_word(word)) return reader.refuse(key, fmt::format("'{}' cannot stand in an id", word));
    if (std::find(axis.values.begin(), axis.values.end(), word) != axis.values.end())
      return reader.refuse(key, fmt::format("'{}' twice", word));
    axis.values.push_back(word);
  }
}

// Values from a table of the program, behind those of the file.
void CatalogueReader::read_values_of(TomlReader& reader, Axis& axis) {
  if (!reader.has("values_of")) return;
  const std::string table = reader.text("values_of");
  if (table != "forms")
    return reader.refuse("values_of", fmt::format("no table '{}'", table),
                         base::nearest_word_hint(table, {"forms"}));
  if (axis.integer || axis.is_range())
    return reader.refuse("values_of", "needs 'values' that are words");
  const auto ids = forms::form_ids();
  if (!ids) return reader.refuse("values_of", ids.error());
  axis.values.insert(axis.values.end(), ids->begin(), ids->end());
}

void CatalogueReader::read_default(TomlReader& reader, Axis& axis) {
  const TomlValue* value = reader.find("default");
  if (value == nullptr)
    return reader.refuse({}, fmt::format("axis '{}' lacks 'default'", axis.name));
  axis.default_number = value->number;
  axis.default_value =
      value->kind == TomlValue::Kind::number ? std::to_string(value->number) : value->text;
  const bool right_kind =
      value->kind == (axis.integer ? TomlValue::Kind::number : TomlValue::Kind::text);
  if (!right_kind || !axis.has(axis.default_value))
    reader.refuse("default", fmt::format("not a value of axis '{}'", axis.name),
                  axis.is_range() ? fmt::format("a whole number in {}..{}", axis.low, axis.high)
                                  : base::nearest_word_hint(axis.default_value, axis.values));
}

// Components of one kind may share a name, since only one of them is chosen; then it is of one kind
// of value.
void CatalogueReader::name_axis(TomlReader& reader, const Source& source, Axis& axis) {
  Vocabulary& vocabulary = catalogue_.vocabulary_;
  const ValueKind kind = axis.integer ? ValueKind::number : ValueKind::word;
  for (const Source& other : sources_) {
    const Component& component = component_of(other);
    const bool may_share = !source.is_common && !other.is_common && source.kind == other.kind &&
                           source.index != other.index;
    for (const Axis& known : component.axes)
      if (known.name == axis.name && !(may_share && known.integer == axis.integer))
        return reader.refuse(
            "name", fmt::format("axis '{}' is already declared at {}", axis.name, known.where));
  }
  check_alias(reader, axis);
  axis.slot = vocabulary.slot(axis.name);
  if (axis.slot >= 0 && axis.slot < static_cast<int>(component_kinds.size()))
    return reader.refuse("name", fmt::format("'{}' is a leading axis", axis.name));
  if (axis.slot < 0) axis.slot = vocabulary.add_name(axis.name, kind);
  if (axis.integer) return;
  for (const std::string& word : axis.values) vocabulary.add_word(axis.slot, word);
  axis.default_number = vocabulary.word_id(axis.default_value);
}

// An alias is one axis's alone, and no axis's name.
void CatalogueReader::check_alias(TomlReader& reader, const Axis& axis) {
  for (const Source& other : sources_) {
    for (const Axis& known : component_of(other).axes) {
      const bool alias_taken = !axis.alias.empty() && known.name != axis.name &&
                               (known.name == axis.alias || known.alias == axis.alias);
      if (alias_taken || known.alias == axis.name)
        return reader.refuse(
            alias_taken ? "alias" : "name",
            fmt::format("'{}' already means axis '{}', declared at {}",
                        alias_taken ? axis.alias : axis.name, known.name, known.where));
    }
  }
}

void CatalogueReader::name_derived(const Source& source) {
  TomlReader reader = top(source);
  for (const std::string& name : reader.words("derived")) {
    if (!is_name(name) || catalogue_.vocabulary_.slot(name) >= 0)
      return reader.refuse("derived", fmt::format("'{}' is taken or no name", name));
    catalogue_.vocabulary_.add_name(name, ValueKind::number);
    catalogue_.derived_.push_back(name);
  }
}

}  // namespace phasebit::catalogue
